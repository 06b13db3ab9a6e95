// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** What Spark's own tools and functions know of files that are read and written here. */
class SparkUiSuite extends AnyFunSuite with SparkSessionForTests {

  for (format <- Seq("json", "parquet"))
    test(s"$format: rows and bytes of tasks appear in Spark's output metrics") {
      val place  = new TestDirectory
      val output = StageOutput.of(spark) {
        spark
          .range(0, 100, 1, 2)
          .toDF()
          .write
          .format("stoplog")
          .options(Map("format" -> format, "bucketAssigner" -> "basePath"))
          .mode("append")
          .save(place.out)
      }
      assert(output === StageOutput(100, place.files.map(Files.size(_)).sum))
    }

  test("a small directory is broadcast, by the sizes of files after filters") {
    val in = new Input
    for (day <- 1 to 2) in.write(s"day=$day/a.json", """{"id":1,"word":"ant"}""" + "\n")
    val all                   = read(in, "id INT, word STRING, day INT")
    def size(rows: DataFrame) = rows.queryExecution.optimizedPlan.stats.sizeInBytes
    assert(size(all) === 44)
    assert(size(all.where("day = 1")) <= 22)
    assert(size(all.select("id")) < 44)
    val joined = spark.range(1000000).join(all, "id")
    assert(joined.queryExecution.sparkPlan.toString.contains("BroadcastHashJoin"))
    assert(joined.count() === 2)
  }

  test("explain shows pushed filters") {
    val in = new Input
    in.write("day=1/a.json", """{"id":1}""" + "\n")
    val lines = read(in, "id INT, day INT").where("day = 1 AND id > 0")
    assert(plan(lines).contains("PartitionFilters: [IsNotNull(day), EqualTo(day,1)]"), plan(lines))
    val blocks = new Input
    spark.range(10).write.mode("overwrite").parquet(blocks.root.toString)
    val parquet =
      spark.read.format("stoplog").option("format", "parquet").load(blocks.root.toString).where("id > 5")
    assert(plan(parquet).contains("PushedFilters: [IsNotNull(id), GreaterThan(id,5)]"), plan(parquet))
  }

  for (format <- Seq("json", "text", "parquet", "orc"))
    test(s"$format: input_file_name() and _metadata match Spark's own sources") {
      val in    = new Input
      val where = in.root.resolve("a b/day=1").toString
      spark.range(4).selectExpr("CAST(id AS STRING) AS value").coalesce(1).write.format(format).save(where)
      spark
        .range(4)
        .selectExpr("CAST(id AS STRING) AS value")
        .coalesce(1)
        .write
        .format(format)
        .mode("append")
        .save(where)
      val below   = in.root.resolve("a b").toString
      val columns = Seq(
        "value", "input_file_name()", "input_file_block_start()", "input_file_block_length()",
        "_metadata.file_path", "_metadata.file_name", "_metadata.file_size", "_metadata.file_block_start",
        "_metadata.file_block_length", "_metadata.file_modification_time"
      ) ++ Option.when(format == "parquet")("_metadata.row_index")
      val ours   = spark.read.format("stoplog").schema("value STRING").option("format", format).load(below)
      val sparks = spark.read.schema("value STRING").format(format).load(below)
      assert(text(ours.selectExpr(columns: _*)) === text(sparks.selectExpr(columns: _*)))
      assert(
        text(ours.where("value = '2'").selectExpr(columns: _*)) === text(
          sparks.where("value = '2'").selectExpr(columns: _*)
        )
      )
      assert(text(ours.selectExpr("input_file_name()")) === text(sparks.selectExpr("input_file_name()")))
    }

  private def read(in: Input, schema: String): DataFrame =
    spark.read.format("stoplog").schema(schema).option("format", "json").load(in.root.toString)

  private def plan(rows: DataFrame): String = rows.queryExecution.executedPlan.toString

  private def text(rows: DataFrame): Seq[String] = rows.collect().map(_.toString).sorted.toSeq
}
