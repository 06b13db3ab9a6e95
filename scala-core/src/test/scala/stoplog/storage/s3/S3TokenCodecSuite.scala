// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.RecordBytes
import stoplog.storage.s3.S3Token._

class S3TokenCodecSuite extends AnyFunSuite {
  private val base   = "_stoplog/main/open/b/.part-1.txt.0123456789ab-0123456789abcdef"
  private val target = "b/part-1.txt"
  private val upload = Upload(
    Handle.of(Array[Byte](1, 2, 3)),
    Vector(
      UploadedPart(1, 5L << 20, Handle.of(Array[Byte](4))),
      UploadedPart(2, 5L << 20, Handle.of(Array[Byte](5)))
    ),
    S3Token.S3Room.Writer(3)
  )
  private val pieces =
    Vector(Piece(s"$base.piece-1", 5L << 20), Piece(s"$base.piece-2", 5L << 20))

  private val tokens = Seq(
    "nothing yet"          -> S3Token(base, target, None, Vector.empty, Tail.empty, Vector.empty),
    "a tail in the record" -> S3Token(
      base,
      target,
      None,
      Vector.empty,
      Tail(None, RecordBytes.of("köln\n".getBytes)),
      Vector.empty
    ),
    "an upload and a tail object" -> S3Token(
      base,
      target,
      Some(upload),
      Vector.empty,
      Tail.of(Piece(s"$base.tail-2", 17)),
      Vector(s"$base.tail-1")
    ),
    "an upload that only publishers add to, and what they will add" -> S3Token(
      base,
      target,
      Some(upload.copy(room = S3Token.S3Room.Publisher(259))),
      pieces,
      Tail.empty,
      Vector.empty
    ),
    "a tail of which an object has the first bytes, and the record the others" -> S3Token(
      base,
      target,
      None,
      Vector.empty,
      Tail(Some(Piece(s"$base.tail-2", 17)), RecordBytes.of("bonn\n".getBytes)),
      Vector.empty
    ),
    "names of all kinds" ->
      S3Token("\"a\\b\"/東京 %20=+", "c&d#e/f", None, Vector.empty, Tail.empty, Vector("\u0001"))
  )

  for ((what, token) <- tokens) test(s"a token survives a round trip: $what") {
    assert(S3TokenCodec.decode(S3TokenCodec.encode(token)) === Some(token))
  }

  test("version 1 is encoded and decoded unchanged") {
    val text =
      s"""{"v":1,"base":"$base","target":"b/part-1.txt","upload":"AQID","parts":[{"n":1,"bytes":5242880,""" +
        s""""handle":"BA=="},{"n":2,"bytes":5242880,"handle":"BQ=="}],"nextOfPublisher":259,""" +
        s""""waiting":[{"at":"$base.piece-1","bytes":5242880},{"at":"$base.piece-2","bytes":5242880}],"tail":""}"""
    assert(S3TokenCodec.encode(tokens(3)._2) === text)
    assert(S3TokenCodec.decode(text) === Some(tokens(3)._2))
  }

  test("a tail is truncated at, before and after the end of its object") {
    val tail = Tail(Some(Piece("t", 17)), RecordBytes.of("bonn\n".getBytes))
    assert(tail.bytes === 22)
    assert(tail.first(22) === tail)
    assert(tail.first(18) === Tail(Some(Piece("t", 17)), RecordBytes.of("b".getBytes)))
    assert(tail.first(17) === Tail.of(Piece("t", 17)))
    assert(tail.first(1) === Tail.of(Piece("t", 1)))
    assert(tail.first(0) === Tail.empty)
  }

  test("paths, tokens of other stores and malformed text are not tokens") {
    for (text <- Seq(base, s"$base.upload", "", "{", "[1]", "null", """{"base":"x"}"""))
      assert(S3TokenCodec.decode(text) === None, text)
  }

  test("rejects a newer version and a token with missing fields") {
    assertThrows[IllegalArgumentException](S3TokenCodec.decode("""{"v":2}"""))
    assertThrows[IllegalArgumentException](S3TokenCodec.decode("""{"v":1,"base":"x"}"""))
  }

  test("a token can be cut within its tail or between uploaded parts only") {
    val token = tokens(2)._2
    val mib5  = 5L << 20
    assert(token.sizeBytes === 2 * mib5 + 17)
    assert(token.cutTo(2 * mib5 + 3).map(_.tail) === Some(Tail.of(Piece(s"$base.tail-2", 3))))
    assert(token.cutTo(2 * mib5).map(_.sizeBytes) === Some(2 * mib5))
    assert(
      token.cutTo(mib5).map(cut => cut.upload.get.parts.map(_.number) -> cut.tail) === Some(
        Vector(1) -> Tail.empty
      )
    )
    assert(token.cutTo(mib5 + 1) === None)
    assert(token.cutTo(mib5 - 1) === None)
  }

  test("pieces waiting outside an upload can be cut at any byte") {
    val token = tokens(3)._2
    val mib5  = 5L << 20
    assert(token.sizeBytes === 4 * mib5)
    for (bytes <- Seq(2 * mib5, 2 * mib5 + 7, 3 * mib5, 3 * mib5 + 7, 4 * mib5))
      assert(token.cutTo(bytes).map(_.sizeBytes) === Some(bytes))
    assert(
      token.cutTo(3 * mib5 + 7).map(cut => cut.waiting -> cut.tail) === Some(
        pieces.take(1) -> Tail.of(pieces(1)).first(7)
      )
    )
    assert(token.cutTo(mib5).map(_.waiting) === Some(Vector.empty))
    assert(token.cutTo(2 * mib5 - 1) === None)
  }
}
