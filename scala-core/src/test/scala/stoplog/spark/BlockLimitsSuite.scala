// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.FileSink
import stoplog.bucket.BasePathBucketAssigner
import stoplog.format.SparkSessionForTests

/** Limits of rows on files of blocks, as the blocks of real files are. */
class BlockLimitsSuite extends AnyFunSuite with SparkSessionForTests {

  for (
    (format, rows, settings) <- Seq( // of a few blocks
      ("parquet", 24000, Map("parquet.block.size" -> "200000")),
      ("orc", 36000, Map("orc.stripe.size" -> "200000")),
      ("avro", 10000, Map.empty[String, String])
    )
  )
    test(
      s"$format: a micro-batch stays below the row limit and reads at least one block",
      LongRun.unless(format == "orc"): _*
    ) {
      val in = new Input
      settings
        .foldLeft(
          FileSink.forBulkFormat(in.root.toString, format).withBucketAssigner(new BasePathBucketAssigner)
        ) { case (builder, (key, value)) =>
          builder.withOption(key, value)
        }
        .build()
        .write(spark.range(0, rows, 1, 1).selectExpr("id", "uuid() as word"))
        .save()
      val blocks = read(in, format, 1, rows)
      assert(blocks.size > 3, "with a limit below any block, each micro-batch reads one")
      val limit   = blocks.sorted.takeRight(2).sum + 10
      val limited = read(in, format, limit, rows)
      assert(limited.forall(_ <= limit) && limited.size < blocks.size)
      assert(read(in, format, rows, rows) === Seq(rows))
    }

  test("the row limit holds for files of one row each") {
    val in = new Input
    for (n <- 1 to 5) in.write(s"$n.bin", "bytes")
    assert(read(in, "binaryFile", 2, rows = 5) === Seq(2, 2, 1))
  }

  /** The rows of each micro-batch, all `rows` of them together. */
  private def read(in: Input, format: String, limit: Long, rows: Int): Seq[Long] = {
    val place   = new TestDirectory
    val reader  = spark.readStream.format("stoplog").option("format", format)
    val columns = Option.when(format != "binaryFile")("id BIGINT, word STRING")
    val limited = columns.fold(reader)(reader.schema).option("maxRowsPerTrigger", limit)
    val query   = place.copy(limited.load(in.root.toString), "parquet")
    if (columns.isDefined)
      assert(
        spark.read
          .parquet(place.out)
          .selectExpr("count(distinct id)", "count(*)")
          .head()
          .toString === s"[$rows,$rows]"
      )
    query.recentProgress.map(_.numInputRows).filter(_ > 0).toSeq
  }
}
