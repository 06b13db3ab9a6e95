// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{ByteArrayInputStream, EOFException, InputStream}
import java.net.URI
import java.util.{Map => JMap}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.read.FileBytes.Chunk
import stoplog.source.format.FileInput

class FileBytesSuite extends AnyFunSuite {
  private val content = Array.tabulate(20000)(_.toByte)

  private def file(stored: Array[Byte] = content): FileInput = new FileInput {
    override def name: String                  = "f"
    override def location: URI                 = new URI("file:/f")
    override def bytes: Option[Long]           = Some(content.length.toLong)
    override def open(from: Long): InputStream = new ByteArrayInputStream(stored.drop(from.toInt))
  }

  private def chunks(format: FileBytes, from: Long, until: Long): Seq[Chunk] = {
    val reader = format.reader(file(), from, until)
    assert(reader.position === from)
    val read =
      Iterator.continually(reader.readBatch()).takeWhile(_.isDefined).flatten.map(_.toVector).toVector
    assert(read.sizeIs <= 1) // a piece is never cut
    assert(reader.position === until.min(content.length.toLong).max(from))
    reader.close()
    read.flatten
  }

  test("the chunks of a file are its bytes, in order") {
    val read = chunks(new FileBytes(JMap.of()), 0, Long.MaxValue)
    assert(read.flatMap(_.bytes) === content.toSeq)
    assert(read.map(_.at) === Seq(0, 8192, 16384))
    assert(read.forall(chunk => (chunk.start, chunk.end, chunk.size) == ((0, 20000, 20000))))
  }

  test("a piece also has the bytes of a record that ends after the piece") {
    val format = new FileBytes(JMap.of("tail", "1k"))
    assert(format.isSplittable && !new FileBytes(JMap.of()).isSplittable)
    val read = chunks(format, 100, 10000)
    assert(read.flatMap(_.bytes) === content.slice(100, 11024).toSeq)
    assert(read.head === read.head.copy(start = 100, end = 10000, at = 100))
    assert(chunks(format, 15000, 19500).flatMap(_.bytes) === content.drop(15000).toSeq)
    assert(chunks(format, 20000, 20000).isEmpty)
  }

  test("a file that is shorter than listed is an error") {
    val reader = new FileBytes(JMap.of()).reader(file(content.take(9000)), 0, 20000)
    val e      = intercept[EOFException](reader.readBatch().get.foreach(_ => ()))
    assert(e.getMessage === "the file ends at byte 9000, and had 20000 bytes when listed")
  }
}
