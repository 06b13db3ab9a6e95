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
