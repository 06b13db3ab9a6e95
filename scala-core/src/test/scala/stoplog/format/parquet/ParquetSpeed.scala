// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.io.BufferedOutputStream
import java.nio.file.{Files, Path}

import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import stoplog.part.BlockOutput

/** Rows per second of a part in row groups of a writer each, and of Spark's own writer, in turns in one JVM.
  *
  * {{{
  * sbt "core/Test/runMain stoplog.format.parquet.ParquetSpeed 2000000 16777216"   # rows, bytes of a row group
  * }}}
  */
object ParquetSpeed {

  private val schema = StructType.fromDDL("id BIGINT, name STRING, x DOUBLE, at TIMESTAMP")

  def main(args: Array[String]): Unit = {
    val rows    = made(args(0).toInt)
    val options = Map("parquet.block.size" -> args(1))
    for (round <- 0 to 6) {
      val spark = rate(rows.length)(SparkOutput.write(_, schema, rows, options))
      val ours  = rate(rows.length)(write(_, rows, options))
      println(f"round $round: Spark $spark%,.0f rows/s, ParquetBulk $ours%,.0f rows/s, ${ours / spark}%.2f")
    }
  }

  private def write(file: Path, rows: Array[InternalRow], options: Map[String, String]): Unit =
    Using.resource(new FileOutput(file)) { out =>
      val format = Blocks.format(schema, options)
      format.open(schema)
      var directory = Array.empty[Byte]
      var next      = 0
      while (next < rows.length) {
        val writer = format.block(out, directory)
        do {
          writer.write(rows(next))
          next += 1
        } while (next < rows.length && (next % 1000 != 0 || writer.bufferedBytes < format.blockBytes))
        directory = writer.finish()
      }
      format.end(out, directory)
    }

  private def made(count: Int): Array[InternalRow] = {
    val random = new scala.util.Random(1)
    Array.tabulate(count) { i =>
      val name = UTF8String.fromString(random.alphanumeric.take(20).mkString)
      new GenericInternalRow(
        Array[Any](i.toLong, name, random.nextDouble(), 1700000000000000L + i)
      ): InternalRow
    }
  }

  private def rate(rows: Int)(write: Path => Unit): Double = {
    val file  = Files.createTempDirectory("stoplog-speed").resolve("part.parquet")
    val start = System.nanoTime
    write(file)
    val seconds = (System.nanoTime - start) / 1e9
    Files.delete(file)
    rows / seconds
  }

  private final class FileOutput(file: Path) extends BlockOutput {
    private val out                     = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)
    private var written                 = 0L
    override def position: Long         = written
    override def close(): Unit          = out.close()
    override def write(byte: Int): Unit = {
      out.write(byte)
      written += 1
    }
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      out.write(bytes, offset, length)
      written += length
    }
  }
}
