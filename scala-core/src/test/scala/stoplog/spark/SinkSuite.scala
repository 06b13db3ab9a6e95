// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row, functions}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQueryException, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.engine.Existing
import stoplog.error.{StoplogArgumentException, Thrown}
import stoplog.{FileSink, FileSinkBuilder}
import stoplog.format.SparkSessionForTests

/** What a user does from Scala, and what of it the end-to-end tests in Python cannot do. */
class SinkSuite extends AnyFunSuite with SparkSessionForTests {

  test("accepts instances of a custom encoder, assigner and policy") {
    val place = new TestDirectory
    val sink  = FileSink
      .forRowFormat(place.out, new BracketEncoder("["))
      .withBucketAssigner(new FirstLetter("letter="))
      .withRollingPolicy(new Few(3))
      .build()
    runOf(sink.writeStream(words("ant", "ape", "asp", "auk", "bat")), place)
    assert(place.lines === Seq("[ant", "[ape", "[asp", "[auk", "[bat"))
    assert(place.directories === Set("letter=a", "letter=b"))
    assert(place.files.map(_.getFileName.toString).forall(_.endsWith(".brackets")))
  }

  test("accepts class names of a custom encoder, assigner and policy, with compression") {
    val place = new TestDirectory
    val plain = words("ant", "ape", "asp").writeStream
      .format("stoplog")
      .option("format", classOf[BracketEncoder].getName)
      .option("bucketAssigner", classOf[FirstLetter].getName)
      .option("rollingPolicy", classOf[Few].getName)
      .option("path", place.out)
    runOf(plain, place)
    assert(place.lines === Seq("<ant", "<ape", "<asp"))
    assert(place.files.size === 2)
    assert(place.reasons(spark) === Seq("end", "few"))
  }

  test("passes write options as parameters to custom classes") {
    val place = new TestDirectory
    val own   = classOf[Configured].getName
    val plain = words("ant", "ape", "asp", "bat").writeStream
      .format("stoplog")
      .options(Map("format" -> "text", "bucketAssigner" -> own, "rollingPolicy" -> own))
      .option("bucketAssigner.Prefix", "letter=")
      .option("rollingPolicy.limit", "1")
      .option("path", place.out)
    runOf(plain, place)
    assert(place.directories === Set("letter=a", "letter=b"))
    assert(place.files.size === 4)
  }

  test("an assigner receives event times of rows and the watermark of the micro-batch") {
    val place  = new TestDirectory
    val stream = memory
    val at     = "timestamp_seconds(CAST(split(value, '@')[1] AS BIGINT)) AS at"
    val rows = stream.toDF().selectExpr("split(value, '@')[0] AS word", at).withWatermark("at", "10 seconds")
    val sink = FileSink.forRowFormat(place.out, "json").withBucketAssigner(new ByTimes).build()
    def run(word: String) = {
      stream.addData(word)
      runOf(sink.writeStream(rows), place)
    }
    run("ant@100")
    run("bat@200")
    assert(place.directories === Set("at=100000-none", "at=200000-90000"))
    val batch = new TestDirectory
    val plain = spark.sql("SELECT 'ant' AS word, timestamp'2026-01-01' AS at")
    FileSink.forRowFormat(batch.out, "json").withBucketAssigner(new ByTimes).build().write(plain).save()
    assert(batch.directories === Set("at=none-none"))
  }

  test("final metrics of a run include parts published at its end") {
    val place = new TestDirectory
    val query = csv(place)
      .build()
      .writeStream(words("ant", "ape"))
      .option("checkpointLocation", place.checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 300000))
    assert(query.lastProgress.sink.metrics.get("publishedRows") === "0", "both are in open parts yet")
    val metrics = FileSink.finalMetrics(query.runId.toString)
    assert((metrics.get("openParts"), metrics.get("publishedRows")) === ("0", "2"))
    assert(FileSink.finalMetrics("no run").isEmpty)
  }

  test("views reject a missing path and have no rows for an empty path") {
    for (view <- Seq("parts", "epochs", "open", "buckets")) {
      def look(path: String) = spark.read.format("stoplog").option("view", view).load(path)
      val error              = intercept[StoplogArgumentException](look("/nowhere/at/all"))
      assert(error.getCondition === "STOPLOG_SINK_UNKNOWN")
      assert(look(java.nio.file.Files.createTempDirectory("stoplog-empty").toString).count() === 0)
    }
  }

  test("a bucket outside the path fails the query by name and publishes nothing") {
    val place = new TestDirectory
    val sink  = FileSink.forRowFormat(place.out, "text").withBucketAssigner(new BadBucket).build()
    val error = intercept[StreamingQueryException](runOf(sink.writeStream(words("ant")), place))
    assert(Thrown.conditions(error).contains("STOPLOG_BUCKET_ID"))
    assert(place.files.isEmpty)
  }

  test("distribution groups rows by bucket or spreads rows over n writers") {
    val letters   = (1 to 40).flatMap(n => Seq(s"a$n", s"b$n"))
    val byBucket  = new TestDirectory
    val partition = words(letters: _*).selectExpr("value", "left(value, 1) AS letter")
    runOf(
      csv(byBucket).withPartitionBy("letter").withDistribution("byBucket").build().writeStream(partition),
      byBucket
    )
    assert(byBucket.files.size === 2, "one writer for each bucket")
    assert(byBucket.lines.size === 80)

    val spread = new TestDirectory
    val base   = csv(spread).withOption("bucketAssigner", "basePath").withDistribution("5")
    runOf(base.build().writeStream(words(letters: _*)), spread)
    assert(spread.files.size === 5)
    assert(spread.lines.size === 80)
  }

  test("rejects columns that differ only by case, like Spark's own writers") {
    def refused(format: String, columns: String*) = {
      val place = new TestDirectory
      val rows  = words("ant").selectExpr(columns: _*)
      val sink  = FileSink.fromOptions(Map("path" -> place.out, "format" -> format).asJava)
      intercept[Exception](runOf(sink.writeStream(rows), place)) match {
        case known: SparkThrowable => s"${known.getCondition} ${known.getMessage}"
        case other                 => throw other
      }
    }
    val two = Seq("value AS id", "value AS ID")
    for (format <- Seq("json", "csv", "parquet", "orc", "avro")) {
      val said = refused(format, two: _*)
      assert(
        said.startsWith("STOPLOG_UNSUPPORTED_COLUMN") && said.contains(
          s"The format $format cannot write the column ID"
        )
      )
    }
    assert(refused("json", "array(named_struct('x', 1, 'X', value)) AS a").contains("the column X"))
    val place = new TestDirectory
    val sink  = FileSink.fromOptions(Map("path" -> place.out, "format" -> "json").asJava)
    spark.conf.set("spark.sql.caseSensitive", "true")
    try runOf(sink.writeStream(words("ant").selectExpr(two: _*)), place)
    finally spark.conf.unset("spark.sql.caseSensitive")
    assert(place.lines === Seq("""{"id":"ant","ID":"ant"}"""))
  }

  test("an overwrite in dynamic mode replaces the partitions of its rows, and any other replaces all") {
    val place                                     = new TestDirectory
    val rows                                      = spark.range(2).selectExpr("id", "id AS day")
    def write(mode: String, of: DataFrame = rows) = of.write
      .format("stoplog")
      .options(Map("format" -> "json", "partitionBy" -> "day"))
      .mode(mode)
      .save(place.out)
    write("append")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try {
      write("overwrite", rows.where("day = 1"))
      assert(place.lines.size === 2)
      write("append")
    } finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert(place.lines.size === 4)
    write("overwrite")
    assert(place.lines.size === 2)
  }

  test("an overwrite replaces directories of a column whose name starts with _") {
    val place = new TestDirectory
    for (rows <- Seq("0 AS n", "1 AS n"))
      spark
        .range(2)
        .selectExpr(rows, "id AS _day")
        .write
        .format("stoplog")
        .options(Map("format" -> "json", "partitionBy" -> "_day"))
        .mode("overwrite")
        .save(place.out)
    assert(spark.read.json(place.out).where("n = 0").isEmpty)
    assert(spark.read.json(place.out).count() === 2)
  }

  test("rejects byBucket for buckets that are not columns, by name") {
    val place = new TestDirectory
    val sink  = csv(place).withBucketBy("left(value, 1)").withDistribution("byBucket").build()
    val error = intercept[StreamingQueryException](runOf(sink.writeStream(words("ant")), place))
    assert(Thrown.conditions(error).contains("STOPLOG_UNSUPPORTED"))
  }

  test("a session may set options, and options of the write override the session") {
    val place = new TestDirectory
    spark.conf.set("spark.datasource.stoplog.format", "text")
    spark.conf.set("spark.datasource.stoplog.partPrefix", "session")
    spark.conf.set("spark.datasource.stoplog.maxFilesPerTrigger", "100") // of sources
    try {
      rows("ant").write.mode("append").format("stoplog").save(place.out)
      rows("bat").write.mode("append").format("stoplog").option("partPrefix", "own").save(place.out)
    } finally {
      spark.conf.unset("spark.datasource.stoplog.format")
      spark.conf.unset("spark.datasource.stoplog.partPrefix")
      spark.conf.unset("spark.datasource.stoplog.maxFilesPerTrigger")
    }
    assert(place.lines === Seq("ant", "bat"))
    assert(place.files.map(_.getFileName.toString.takeWhile(_ != '-')).toSet === Set("session", "own"))
  }

  test("a changed format closes open parts and opens new parts") {
    val place  = new TestDirectory
    val stream = memory
    stream.addData("ant")
    def sink(compression: String) = text(place)
      .withCompression(compression)
      .withFinalizeOnTermination("never")
      .build()
      .writeStream(stream.toDF())
    runOf(sink("none"), place)
    assert(place.files.isEmpty)
    stream.addData("bat")
    runOf(sink("gzip"), place)
    assert(place.lines === Seq("ant"))
    assert(place.reasons(spark) === Seq("contentChanged"))
  }

  test("a query that fails in an epoch publishes large earlier parts without copies") {
    val place  = new TestDirectory
    val stream = memory
    val large  = "x" * (5 << 20)
    val fails  = functions.udf((line: String) => if (line == "bad") sys.error("a bad row") else line)
    val query  = text(place)
      .withFinalizeOnTermination("always")
      .build()
      .writeStream(stream.toDF().select(fails(functions.col("value")).as("value")))
      .option("checkpointLocation", place.checkpoint)
      .start()
    stream.addData(large)
    query.processAllAvailable()
    val open = place.everything.filter(_.contains("/open/"))
    val id   = Files.getAttribute(Path.of(place.out, open.toSeq: _*), "unix:ino")
    stream.addData("bad")
    intercept[StreamingQueryException](query.processAllAvailable())
    assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 300000))
    assert(place.lines === Seq(large))
    assert(Files.getAttribute(place.files.head, "unix:ino") === id, "the file is the one that the task wrote")
    val metrics = FileSink.finalMetrics(query.runId.toString)
    assert(
      (metrics.get("openParts"), metrics.get("publishedRows"), metrics.get("epochsCommitted")) === (
        "0",
        "1",
        "1"
      )
    )
  }

  test("the plan in the SQL tab has the sink's metrics") {
    val place = new TestDirectory
    val write = new SinkWrite(tableOf(place), info = null, Existing.Keep, planned = null)
    assert(
      write.supportedCustomMetrics().map(_.name()).toSet ===
        Set("stoplogPartsOpened", "stoplogPartsClosed", "stoplogBytesWritten")
    )
    assert(write.supportedCustomMetrics().forall(_.description().nonEmpty))
  }

  test("reports all problems before the start under a condition that Spark knows") {
    val place = new TestDirectory
    val error = intercept[SparkThrowable](
      rows("ant").write
        .mode("append")
        .format("stoplog")
        .option("format", "text")
        .option("maxPartSize", "huge")
        .option("comprission", "zstd")
        .save(place.out)
    )
    assert(error.getCondition === "STOPLOG_INVALID_OPTIONS")
    assert(error.getMessageParameters.get("problems").contains("compression"))
    assert(error.getSqlState === "22023")
  }

  private def tableOf(place: TestDirectory) = SinkTable.ofFiles(
    rows("ant").schema,
    Array.empty,
    Map("path" -> place.out, "format" -> "text").asJava
  )

  private def text(place: TestDirectory): FileSinkBuilder =
    FileSink.forRowFormat(place.out, "text").withOption("bucketAssigner", "basePath")

  private def csv(place: TestDirectory): FileSinkBuilder = FileSink.forRowFormat(place.out, "csv")

  private def memory: MemoryStream[String] = MemoryStream[String](spark.implicits.newStringEncoder, spark)

  private def words(values: String*): DataFrame = {
    val stream = memory
    stream.addData(values)
    stream.toDF()
  }

  private def rows(values: String*): DataFrame =
    spark.createDataset(values)(spark.implicits.newStringEncoder).toDF()

  private def runOf(writer: DataStreamWriter[Row], place: TestDirectory): Unit = {
    val query = writer.option("checkpointLocation", place.checkpoint).trigger(Trigger.AvailableNow()).start()
    try query.awaitTermination()
    finally assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 300000))
  }
}
