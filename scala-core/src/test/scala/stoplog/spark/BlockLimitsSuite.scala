// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.bucket.BasePathBucketAssigner
import stoplog.format.SparkSessionForTests

/** Limits of rows on files of blocks, as the blocks of real files are. */
class BlockLimitsSuite extends AnyFunSuite with SparkSessionForTests {

  private def all: DataFrame = spark.range(0, 60000, 1, 1).selectExpr("id", "uuid() as word")

  for (
    (format, settings) <- Seq(
      "parquet" -> Map("parquet.block.size" -> "200000"),
      "orc"     -> Map("orc.stripe.size" -> "200000"),
      "avro"    -> Map.empty[String, String]
    )
  ) test(s"$format: a micro-batch has no more rows than its limit, and one block at least") {
    val in = new Input
    settings
      .foldLeft(
        FileSink.forBulkFormat(in.root.toString, format).withBucketAssigner(new BasePathBucketAssigner)
      ) { case (builder, (key, value)) =>
        builder.withOption(key, value)
      }
      .build()
      .write(all)
      .save()
    val blocks = read(in, format, 1)
    assert(blocks.size > 3, "with a limit below any block, each micro-batch reads one")
    val limit   = blocks.sorted.takeRight(2).sum + 10
    val limited = read(in, format, limit)
    assert(limited.forall(_ <= limit) && limited.size < blocks.size)
    assert(read(in, format, 60000) === Seq(60000))
  }

  test("files of one row each") {
    val in = new Input
    for (n <- 1 to 5) in.write(s"$n.bin", "bytes")
    assert(read(in, "binaryFile", 2) === Seq(2, 2, 1))
  }

  /** The rows of each micro-batch. */
  private def read(in: Input, format: String, rows: Long): Seq[Long] = {
    val place   = new Place
    val reader  = spark.readStream.format("stoplog").option("format", format)
    val columns = Option.when(format != "binaryFile")("id BIGINT, word STRING")
    val limited = columns.fold(reader)(reader.schema).option("maxRowsPerTrigger", rows)
    val query   = place.copy(limited.load(in.root.toString), "parquet")
    if (columns.isDefined)
      assert(
        spark.read
          .parquet(place.out)
          .selectExpr("count(distinct id)", "count(*)")
          .head()
          .toString === "[60000,60000]"
      )
    query.recentProgress.map(_.numInputRows).filter(_ > 0).toSeq
  }
}
