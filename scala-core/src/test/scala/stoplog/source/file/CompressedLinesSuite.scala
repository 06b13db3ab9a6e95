// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayOutputStream, InputStream}
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source.ReadLimits
import stoplog.storage.{SourceFile, SourceFiles}

/** A compressed file in many micro-batches. */
class CompressedLinesSuite extends AnyFunSuite {
  private val gzip = new Decoding {
    override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] =
      Some(new GZIPInputStream(_))
  }

  private val lines = {
    val random = new Random(1)
    Vector.fill(20000)(random.nextLong().toHexString)
  }

  test("restarts do not make micro-batches of compressed lines smaller") {
    val limits = ReadLimits.none.copy(bytes = Some(20000L))
    def batches(between: SourceWorld => Unit): Vector[Vector[String]] = {
      val world = new SourceWorld(decoding = gzip)
      val bytes = new ByteArrayOutputStream()
      val out   = new GZIPOutputStream(bytes)
      out.write(lines.mkString("", "\n", "\n").getBytes("UTF-8"))
      out.close()
      world.files.put("a.gz", bytes.toByteArray, 1)
      Iterator
        .continually {
          between(world)
          world.batch(limits)
        }
        .takeWhile(_.nonEmpty)
        .toVector
    }
    val without = batches(_ => ())
    assert(without.flatten === lines)
    val sizes = batches(_.restart()).map(_.size)
    assert(sizes.size <= without.size + 1)
    assert(sizes.init.min > without.map(_.size).max / 3)
  }
}
