// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, InputStream}
import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite
import stoplog.format.compress.Compression
import stoplog.source.file.MemoryFiles

/** Files of several members, as sinks and log shippers append them, and what damage between them is taken for. */
class DecompressionSuite extends AnyFunSuite {
  private val rows = Seq("first\n", "second\n")

  for (compression <- Compression.All if compression.suffix.nonEmpty) {
    val members = rows.map(member(compression, _))
    val whole   = members.reduce(_ ++ _)

    test(s"${compression.name}: the members of a file are read as a single stream") {
      assert(read(compression, whole) === rows.mkString)
    }

    test(s"${compression.name}: a damaged header of a later member is an error, not end of file") {
      val damaged = whole.clone()
      damaged(members.head.length) = (damaged(members.head.length) ^ 0x55).toByte
      intercept[IOException](read(compression, damaged))
    }

    test(s"${compression.name}: foreign bytes after the last member are an error") {
      intercept[IOException](read(compression, whole ++ "rubbish".getBytes(UTF_8)))
    }

    test(s"${compression.name}: a storage failure between two members is not end of file") {
      val failing = new FailingBehind(whole, members.head.length)
      intercept[IOException](read(compression, whole.length.toLong, failing))
    }

    test(s"${compression.name}: a stream without available() is read to its end") {
      val in = new ByteArrayInputStream(whole) { override def available(): Int = 0 }
      assert(read(compression, whole.length.toLong, in) === rows.mkString)
    }
  }

  private val random = new scala.util.Random(43)
  private val lines  = Seq.fill(6000)(s"${random.alphanumeric.take(32).mkString}\n").mkString

  for (compression <- Compression.All if compression.suffix.nonEmpty) {
    val members = lines.grouped(lines.length / 3).map(member(compression, _)).toVector
    val whole   = members.reduce(_ ++ _)
    val damages = Map(
      "without its last byte"    -> whole.dropRight(1),
      "without its last 9 bytes" -> whole.dropRight(9),
      "cut at two thirds"        -> whole.take(whole.length * 2 / 3),
      "cut in its first bytes"   -> whole.take(5),
      "with another byte amid"   -> whole.updated(whole.length / 2, (whole(whole.length / 2) ^ 0x55).toByte),
      "with zero bytes amid"     -> whole.patch(whole.length / 2, new Array[Byte](500), 500),
      "with another last byte"   -> whole.updated(whole.length - 1, (whole.last ^ 0x55).toByte),
      "with another checksum amid"    -> (members(0) ++ flipped(members(1), -6) ++ members(2)),
      "with foreign bytes at its end" -> (whole ++ "rubbish".getBytes(UTF_8)),
      "with a foreign head"           -> ("rubbish".getBytes(UTF_8) ++ whole)
    )
    for ((damage, bytes) <- damages)
      test(s"${compression.name}: a file $damage gives all bytes that can be decoded, by any reads") {
        val single = decoded(compression, bytes, most = 1)
        for (most <- Seq(100, 8 * 1024, 128 * 1024, 8 << 20))
          assert(decoded(compression, bytes, most) === single, s"reads of $most bytes")
        assert(
          lines.startsWith(single) || damage.contains("amid") || damage.contains("last byte") || damage
            .contains("checksum")
        )
        assert(single.length >= decodedByOthers(compression, bytes).length)
      }
  }

  test("gzip: lines in front of a damaged trailer, and padding after the last member") {
    val whole = lines.grouped(lines.length / 3).map(member(Compression.Gzip, _)).toVector
    val all   = whole.reduce(_ ++ _)
    for (cut <- 1 to 8) assert(decoded(Compression.Gzip, all.dropRight(cut)) === lines, s"without $cut bytes")
    for (at <- 1 to 8) {
      val two = decoded(Compression.Gzip, whole(0) ++ flipped(whole(1), -at) ++ whole(2))
      assert(
        two === lines.take(2 * (lines.length / 3)),
        s"another byte $at before the end of the second member"
      )
    }
    assert(read(Compression.Gzip, all ++ new Array[Byte](512)) === lines)
    intercept[IOException](read(Compression.Gzip, all ++ new Array[Byte](512) ++ Array[Byte](1)))
    val named      = new ByteArrayOutputStream
    val parameters = new org.apache.commons.compress.compressors.gzip.GzipParameters
    parameters.setFileName("a.txt")
    parameters.setComment("a comment")
    val out = new org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream(named, parameters)
    out.write(lines.getBytes(UTF_8))
    out.close()
    assert(read(Compression.Gzip, named.toByteArray) === lines)
  }

  test("bzip2: a damaged trailer or header between intact blocks leaves the later members readable") {
    val members = lines.grouped(lines.length / 3).map(member(Compression.Bzip2, _)).toVector
    val all     = members.reduce(_ ++ _)
    val second  = members(0).length + members(1).length
    for (at <- 1 to 8) {
      val trailer = members(0) ++ flipped(members(1), -at) ++ members(2)
      assert(decoded(Compression.Bzip2, trailer) === lines, s"another byte $at before the end")
      intercept[IOException](read(Compression.Bzip2, trailer))
    }
    for (at <- 0 to 3) {
      val header = flipped(all, second + at - all.length)
      assert(decoded(Compression.Bzip2, header) === lines, s"another byte $at of a header")
      intercept[IOException](read(Compression.Bzip2, header))
    }
    // A lost block, and not the start of the third member, ends the decoding.
    val block = flipped(all, second + 6 - all.length)
    assert(decoded(Compression.Bzip2, block) === lines.take(2 * (lines.length / 3)))
  }

  private def flipped(bytes: Array[Byte], at: Int): Array[Byte] =
    bytes.updated(bytes.length + at, (bytes(bytes.length + at) ^ 0x55).toByte)

  /** What is decoded before the failure, if any. */
  private def decoded(compression: Compression, bytes: Array[Byte], most: Int = 64 * 1024): String = {
    val files = new MemoryFiles
    val path  = s"part${compression.suffix}"
    files.put(path, bytes, 1)
    val file = files.file(path)
    before(most)(Decompression.of(files, file).get(files.open(file, 0)))
  }

  /** The same by the decoder of a library, with the reads of a line reader. */
  private def decodedByOthers(compression: Compression, bytes: Array[Byte]): String = before(64 * 1024) {
    val in = new ByteArrayInputStream(bytes)
    if (compression == Compression.Gzip) new java.util.zip.GZIPInputStream(in)
    else Decompression.ofName(compression.suffix).get(in)
  }

  private def before(most: Int)(open: => InputStream): String = {
    val out = new ByteArrayOutputStream
    try {
      val in     = open
      val buffer = new Array[Byte](most)
      var count  = 0
      while (count >= 0) {
        count = in.read(buffer)
        if (count > 0) out.write(buffer, 0, count)
      }
    } catch { case _: IOException => }
    out.toString(UTF_8)
  }

  private def member(compression: Compression, text: String): Array[Byte] = {
    val out    = new ByteArrayOutputStream
    val member = compression.openMember(out)
    member.write(text.getBytes(UTF_8))
    member.finish()
    member.close()
    out.toByteArray
  }

  private def read(compression: Compression, bytes: Array[Byte]): String =
    read(compression, bytes.length.toLong, new ByteArrayInputStream(bytes))

  private def read(compression: Compression, bytes: Long, in: InputStream): String = {
    val files = new MemoryFiles
    val path  = s"part${compression.suffix}"
    files.put(path, "-" * bytes.toInt, 1)
    val decode = Decompression.of(files, files.file(path)).get
    new String(decode(in).readAllBytes(), UTF_8)
  }

  /** Gives the bytes before a position, and fails there. */
  private final class FailingBehind(bytes: Array[Byte], position: Int) extends InputStream {
    private var at = 0

    override def read(): Int = {
      if (at == position) throw new IOException("the storage does not answer")
      at += 1
      bytes(at - 1) & 0xff
    }

    override def read(to: Array[Byte], offset: Int, length: Int): Int =
      if (length == 0) 0
      else {
        to(offset) = read().toByte
        1
      }
  }
}
