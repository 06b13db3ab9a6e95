package stoplog.store.s3

import org.scalatest.funsuite.AnyFunSuite

import stoplog.store.s3.S3Token._

class S3TokenCodecSuite extends AnyFunSuite {
  private val base   = "_stoplog/main/open/b/.part-1.txt.0123456789ab-0123456789abcdef"
  private val target = "b/part-1.txt"
  private val upload = Upload(
    Handle.of(Array[Byte](1, 2, 3)),
    Vector(
      UploadedPart(1, 5L << 20, Handle.of(Array[Byte](4))),
      UploadedPart(2, 5L << 20, Handle.of(Array[Byte](5)))
    )
  )

  private val tokens = Seq(
    "nothing yet"          -> S3Token(base, target, None, Tail.empty, Vector.empty),
    "a tail in the record" -> S3Token(
      base,
      target,
      None,
      Tail.InRecord(Handle.of("köln\n".getBytes)),
      Vector.empty
    ),
    "an upload and a tail object" -> S3Token(
      base,
      target,
      Some(upload),
      Tail.InObject(s"$base.tail-2", 17),
      Vector(s"$base.tail-1")
    ),
    "names of all kinds" -> S3Token("\"a\\b\"/東京 %20=+", "c&d#e/f", None, Tail.empty, Vector("\u0001"))
  )

  for ((what, token) <- tokens) test(s"a token comes back as it was: $what") {
    assert(S3TokenCodec.decode(S3TokenCodec.encode(token)) === Some(token))
  }

  test("version 1 stays as it is") {
    val text =
      s"""{"v":1,"base":"$base","target":"b/part-1.txt","upload":"AQID","parts":[{"n":1,"bytes":5242880,""" +
        s""""handle":"BA=="},{"n":2,"bytes":5242880,"handle":"BQ=="}],"tail":{"at":"$base.tail-2","bytes":17},""" +
        s""""stale":["$base.tail-1"]}"""
    assert(S3TokenCodec.encode(tokens(2)._2) === text)
    assert(S3TokenCodec.decode(text) === Some(tokens(2)._2))
  }

  test("paths, other stores' tokens and broken text are no tokens") {
    for (text <- Seq(base, s"$base.upload", "", "{", "[1]", "null", """{"base":"x"}"""))
      assert(S3TokenCodec.decode(text) === None, text)
  }

  test("a newer version is refused, and so is a token that lacks a field") {
    assertThrows[IllegalArgumentException](S3TokenCodec.decode("""{"v":2}"""))
    assertThrows[IllegalArgumentException](S3TokenCodec.decode("""{"v":1,"base":"x"}"""))
  }

  test("a token is cut within its tail, or between uploaded parts, and nowhere else") {
    val token = tokens(2)._2
    val mib5  = 5L << 20
    assert(token.sizeBytes === 2 * mib5 + 17)
    assert(token.cutTo(2 * mib5 + 3).map(_.tail) === Some(Tail.InObject(s"$base.tail-2", 3)))
    assert(token.cutTo(2 * mib5).map(_.sizeBytes) === Some(2 * mib5))
    assert(
      token.cutTo(mib5).map(cut => cut.upload.get.parts.map(_.number) -> cut.tail) === Some(
        Vector(1) -> Tail.empty
      )
    )
    assert(token.cutTo(mib5 + 1) === None)
    assert(token.cutTo(mib5 - 1) === None)
  }
}
