// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.io.{BufferedOutputStream, OutputStream}
import java.nio.file.{Files, Path}

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import stoplog.format.bulk.PartInBlocks
import stoplog.part.BlockOutput

/** Prints how long 2 million rows take, by stripes of writers of their own and by Spark's own writer, in turn. */
object OrcSpeed {

  def main(arguments: Array[String]): Unit = {
    val rounds = Seq.fill(6)(seconds(ours()) -> seconds(sparks())).drop(1)
    println(
      f"OrcBulk ${median(rounds.map(_._1))}%.2f s, Spark ${median(rounds.map(_._2))}%.2f s for $Rows rows"
    )
    println(rounds.map { case (a, b) => f"$a%.2f / $b%.2f" }.mkString("each: ", ", ", ""))
  }

  private final val Rows = 2000000

  private val schema = StructType.fromDDL("id BIGINT, name STRING, value DOUBLE, at TIMESTAMP")

  // Made before the clock runs.
  private val rows: Array[InternalRow] = {
    val random = new Random(1)
    Array.tabulate(Rows) { i =>
      val name = UTF8String.fromString(f"${random.nextInt()}%020d")
      new GenericInternalRow(Array[Any](i.toLong, name, random.nextDouble(), 1700000000000000L + i * 1000L))
    }
  }

  private def ours(): Path = {
    val path = Files.createTempDirectory("stoplog-orc").resolve("part.orc")
    val out  = new FileOutput(new BufferedOutputStream(Files.newOutputStream(path), 1 << 18))
    PartInBlocks.fill(OrcParts.rebuilt(OrcParts.format(schema), schema), rows.iterator, out)
    out.close()
    path
  }

  private def sparks(): Path = OrcParts.sparks(schema, rows.iterator)

  private def seconds(write: => Path): Double = {
    System.gc()
    val start = System.nanoTime()
    val path  = write
    val spent = (System.nanoTime() - start) / 1e9
    Files.delete(path)
    spent
  }

  private def median(values: Seq[Double]): Double = values.sorted.apply(values.size / 2)

  private final class FileOutput(out: OutputStream) extends BlockOutput {
    private var written = 0L

    override def position: Long = written

    override def write(byte: Int): Unit = { out.write(byte); written += 1 }

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      out.write(bytes, offset, length)
      written += length
    }

    override def close(): Unit = out.close()
  }
}
