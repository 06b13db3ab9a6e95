package stoplog.format.parquet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

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
    for (round <- 0 to 5) {
      val spark = rate(rows.length)(SparkOutput.file(schema, rows, options).length)
      val ours  = rate(rows.length)(part(rows, options).length)
      println(f"round $round: Spark $spark%,.0f rows/s, ParquetBulk $ours%,.0f rows/s, ${ours / spark}%.2f")
    }
  }

  private def part(rows: Array[InternalRow], options: Map[String, String]): Array[Byte] = {
    val format = Blocks.format(schema, options)
    format.open(schema)
    val out       = new MemoryOutput(Array.empty)
    var directory = Array.empty[Byte]
    var next      = 0
    while (next < rows.length) {
      val writer = format.block(out, directory)
      while (next < rows.length && (next % 1000 != 0 || writer.bufferedBytes < format.blockBytes)) {
        writer.write(rows(next))
        next += 1
      }
      directory = writer.finish()
    }
    format.end(out, directory)
    out.bytes
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

  private def rate(rows: Int)(write: => Int): Double = {
    val start = System.nanoTime
    require(write > 0)
    rows / ((System.nanoTime - start) / 1e9)
  }
}
