// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.functions.{col, lit, raise_error, when}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.admin.{AdminAction, SinkAdmin}

/** The storage in queries, as its users write them: by its scheme alone. */
class FolderQuerySuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val spark =
    SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()

  override protected def afterAll(): Unit = spark.stop()

  test("a stream that is stopped, fails and starts again writes each row once") {
    val place = Files.createTempDirectory("folder")
    run(place, last = 549)
    assert(numbers(place).size < 550, "the last part is still open")
    assert(intercept[Exception](run(place, last = 779, broken = Some(700))).getMessage.contains("broken"))
    run(place, last = 779)
    val plan = SinkAdmin.at(out(place)).finalizeOpenParts()
    assert(plan.actions.nonEmpty)
    plan.carryOut()
    assert(numbers(place) === (0 to 779))
    assert(
      SinkAdmin.at(out(place)).clean().actions.forall(_.isInstanceOf[AdminAction.Keep]),
      "of attempts that failed"
    )
    val parts = spark.read.format("stoplog").option("view", "parts").load(out(place))
    assert(
      parts.filter(col("state") === "published").agg("records" -> "sum").collect().head.getLong(0) === 780
    )
  }

  test("a batch query writes all rows, and replaces them") {
    val place                                            = Files.createTempDirectory("folder")
    def write(mode: String, from: Int, until: Int): Unit =
      lines(spark.range(from.toLong, until.toLong, 1, 3).toDF("number")).write
        .format("stoplog")
        .option("format", "text")
        .option("bucketAssigner", "basePath")
        .mode(mode)
        .save(out(place))
    write("append", 0, 100)
    write("append", 100, 150)
    assert(numbers(place) === (0 until 150))
    write("overwrite", 0, 30)
    assert(numbers(place) === (0 until 30))
  }

  test("preflight tries the storage, and leaves nothing") {
    val place = Files.createTempDirectory("folder")
    val sink  = FileSink.forRowFormat(out(place), "text").build()
    val found = sink.check(lines(spark.range(1).toDF("number")))
    assert(found.isReady, found)
    assert(found.toString.contains("A folder: a file was created, not created a second time, and deleted."))
    assert(numbers(place) === Nil)
  }

  test("a path under which nothing was ever written has no state") {
    val place = Files.createTempDirectory("folder")
    assert(
      condition(
        spark.read.format("stoplog").option("view", "parts").load(out(place))
      ) === "STOPLOG_SINK_UNKNOWN"
    )
    Files.createDirectories(place.resolve("out"))
    assert(spark.read.format("stoplog").option("view", "parts").load(out(place)).count() === 0)
  }

  test("what reads files through Hadoop refuses the scheme by name") {
    val place = Files.createTempDirectory("folder")
    assert(
      condition(FileSink.compactDirectory(spark, out(place), Map("format" -> "text")).plan()) ===
        "STOPLOG_NOT_COMPACTABLE"
    )
    assert(
      condition(
        run(place, last = 9, options = Map("compaction" -> "smallParts"))
      ) === "STOPLOG_NOT_COMPACTABLE"
    )
    assert(!Files.exists(place.resolve("out")), "a query that is refused has changed nothing")
    assert(
      condition(
        spark.read.format("stoplog").option("format", "parquet").load(out(place)).count()
      ) === "STOPLOG_JAR_MISSING"
    )
  }

  test("a stream reads the files of the storage once, and archives them") {
    val place = Files.createTempDirectory("folder")
    val input = place.resolve("in")
    for (file <- 0 until 3) {
      Files.createDirectories(input)
      Files.writeString(input.resolve(s"$file.txt"), (0 until 10).map(n => s"${file * 10 + n}\n").mkString)
      if (file != 1) copy(place)
    }
    assert(numbers(place) === (0 until 30))
    val archived = Files.list(place.resolve("done"))
    try assert(archived.count() > 0)
    finally archived.close()
  }

  test("a batch query reads the files of the storage") {
    val place = Files.createTempDirectory("folder")
    Files.createDirectories(place.resolve("out/a"))
    Files.writeString(place.resolve("out/a/one.txt"), "1\n2\n")
    Files.writeString(place.resolve("out/_hidden.txt"), "3\n")
    val rows = spark.read.format("stoplog").option("format", "text").load(out(place))
    assert(rows.collect().map(_.getString(0)).toSeq.sorted === Seq("1", "2"))
  }

  /** Copies the lines of all new files, and ends. */
  private def copy(place: Path): Unit = {
    val rows = spark.readStream
      .format("stoplog")
      .option("format", "text")
      .option("cleanSource", "archive")
      .option("sourceArchiveDir", place.resolve("done").toString)
      .load(s"folder:${place.resolve("in")}")
    val query = rows
      .toDF("line")
      .writeStream
      .format("stoplog")
      .option("format", "text")
      .option("bucketAssigner", "basePath")
      .option("checkpointLocation", place.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start(out(place))
    query.awaitTermination()
    FileSink.awaitFinished(query, 600000): Unit
  }

  private def out(place: Path): String = s"folder:${place.resolve("out")}"

  private def numbers(place: Path): Seq[Int] =
    if (Files.isDirectory(place.resolve("out"))) CommittedLines.in(place.resolve("out")).map(_.toInt).sorted
    else Nil

  private def lines(rows: DataFrame): DataFrame = rows.select(col("number").cast("string").as("line"))

  private def condition(action: => Any): String =
    Iterator
      .iterate[Throwable](intercept[Exception](action))(_.getCause)
      .takeWhile(_ != null)
      .collect {
        case named: SparkThrowable if String.valueOf(named.getCondition).startsWith("STOPLOG_") =>
          named.getCondition
      }
      .nextOption()
      .getOrElse("none")

  /** Until all numbers are written, in micro-batches of 100 rows and files of 250. */
  private def run(
      place: Path,
      last: Int,
      broken: Option[Int] = None,
      options: Map[String, String] = Map.empty
  ): Unit = {
    val rows = spark.readStream
      .format("stoplog")
      .option("source", "example.NumbersSource")
      .option("last", last.toString)
      .option("maxRowsPerTrigger", "100")
      .load()
    val checked = broken.fold(rows)(n =>
      rows.select(when(col("number") === n, raise_error(lit("broken"))).otherwise(col("number")).as("number"))
    )
    val query = lines(checked).writeStream
      .format("stoplog")
      .options(
        (Map(
          "format"            -> "text",
          "maxRecordsPerPart" -> "250",
          "bucketAssigner"    -> "basePath"
        ) ++ options).asJava
      )
      .option("finalizeOnTermination", "never")
      .option("checkpointLocation", place.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start(out(place))
    try query.awaitTermination()
    finally FileSink.awaitFinished(query, 600000): Unit // a broken query leaves rows of an epoch invisible
  }
}
