// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files
import java.nio.file.attribute.FileTime

import org.apache.spark.sql.streaming.{StreamingQueryProgress, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, FileSource}
import stoplog.bucket.{BasePathBucketAssigner, DateTimeBucketAssigner}
import stoplog.format.SparkSessionForTests

/** Which files are read, and which directories are listed, on a local disk and through Spark. */
class ReadyFilesSuite extends AnyFunSuite with SparkSessionForTests {

  test("readyMarker selects files whose markers exist") {
    val in = new Input
    in.write("day/a.txt", "ant\n")
    in.write("day/a.txt.done", "marker\n")
    in.write("day/b.txt", "bat\n")
    assert(read(in, "readyMarker" -> "{name}.done") === Seq("ant"))
    assert(read(in, "readyMarker" -> "_SUCCESS") === Seq())
    in.write("day/_SUCCESS", "")
    assert(read(in, "readyMarker" -> "_SUCCESS", "pathGlobFilter" -> "?.txt") === Seq("ant", "bat"))
  }

  test("the columns are from complete files, and never from a marker") {
    val in = new Input
    spark.range(1).coalesce(1).write.mode("overwrite").parquet(in.root.toString)
    val written = Files.list(in.root).filter(_.toString.endsWith(".parquet")).findFirst().get
    val file    = Files.move(written, in.root.resolve("a.parquet"))
    Files.setLastModifiedTime(file, FileTime.fromMillis(1000))
    in.write("a.parquet.done", "of a.parquet\n")
    in.write("b.parquet", "PAR1, and not complete")
    Files.list(in.root).filter(_.toString.endsWith(".crc")).forEach(Files.delete(_))
    def columns(options: (String, String)*) =
      spark.read.format("stoplog").options(options.toMap + ("format" -> "parquet")).load(in.root.toString)
    for (merge <- Seq("true", "false")) {
      val rows = columns("readyMarker" -> "{name}.done", "mergeSchema" -> merge)
      assert(rows.columns.toSeq === Seq("id") && rows.count() === 1)
    }
    Files.delete(in.root.resolve("a.parquet.done"))
    assert(columns("minFileAge" -> "1h").columns.toSeq === Seq("id"))
    Files.delete(in.root.resolve("b.parquet"))
    in.write("READY", "marker")
    assert(columns("readyMarker" -> "READY").columns.toSeq === Seq("id"))
  }

  for (format <- Seq("parquet", "orc", "avro"))
    test(s"$format: a file is read after a program has written the first bytes into the empty file") {
      val made = new Input
      FileSink
        .forBulkFormat(made.root.toString, format)
        .withBucketAssigner(new BasePathBucketAssigner)
        .build()
        .write(spark.range(0, 3, 1, 1).selectExpr("cast(id AS STRING) AS id"))
        .save()
      val file =
        made.root.toFile.listFiles().filterNot(_.getName.startsWith("_")).filter(_.isFile).head.toPath
      val in = new Input
      in.write("a", "")
      val place  = new TestDirectory
      def copy() = place.copy(
        spark.readStream.format("stoplog").option("format", format).schema("id STRING").load(in.root.toString)
      )
      val waiting = copy().lastProgress.sources.head.metrics.get("unreadyFiles")
      Files.write(in.root.resolve("a"), Files.readAllBytes(file))
      copy()
      assert(place.lines === Seq("0", "1", "2"))
      assert(waiting === "1")
    }

  test("a compressed file is read after a program has written the first bytes into the empty file") {
    val in = new Input
    in.write("a.txt.gz", "")
    in.write("b.txt", "")
    val place  = new TestDirectory
    def copy() =
      place.copy(spark.readStream.format("stoplog").option("format", "text").load(in.root.toString))
    copy()
    in.gzip("a.txt.gz", "ant\n")
    copy()
    assert(place.lines === Seq("ant"))
  }

  test("reads the sink's buckets of a range of hours only") {
    val in   = new Input
    val rows = spark.range(48).selectExpr("timestamp_seconds(1795219200 + id * 3600) AS at", "id")
    rows.write
      .format("stoplog")
      .options(Map("format" -> "json", "bucketColumn" -> "at"))
      .mode("append")
      .save(in.root.toString)
    val source = FileSource
      .forRecordStreamFormat("json", in.root.toString)
      .withDates(
        DateTimeBucketAssigner.DefaultPattern,
        from = Some("2026-11-21T06:00"),
        until = Some("2026-11-21T09:00")
      )
      .build()
    val ids = spark.read.format("stoplog").options(source.options()).schema("id BIGINT").load()
    assert(ids.collect().map(_.getLong(0)).toSet === Set(6L, 7L, 8L))
  }

  test("the next poll finds an old file after a rename and skips unchanged directories") {
    val in    = new Input
    val aside = new Input
    val place = new TestDirectory
    for (n <- 1 to 5) in.write(s"d$n/a.txt", s"$n\n")
    aside.write("old.txt", "old\n")
    Files.setLastModifiedTime(aside.root.resolve("old.txt"), FileTime.fromMillis(1000))
    for (directory <- "" +: (1 to 5).map(n => s"d$n"))
      Files.setLastModifiedTime(in.root.resolve(directory), FileTime.fromMillis(1000000))
    val progresses = new Progresses(spark)
    // Else a poll that finds nothing is told of once in ten seconds.
    spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "1")
    val query = spark.readStream
      .format("stoplog")
      .option("format", "text")
      .load(in.root.toString)
      .writeStream
      .format("text")
      .option("checkpointLocation", place.checkpoint)
      .trigger(Trigger.ProcessingTime(0))
      .start(place.out)
    try {
      val polled = progresses.next(metric(_, "skippedDirectories") >= 12)
      assert(metric(polled, "listedDirectories") === 6)
      Files.move(aside.root.resolve("old.txt"), in.root.resolve("d3/old.txt"))
      query.processAllAvailable()
      assert(place.lines === Seq("1", "2", "3", "4", "5", "old"))
      for (name <- Seq("listingMillis", "listings", "outstandingFiles", "outstandingBytes"))
        assert(metric(query.lastProgress, name) >= 0)
    } finally {
      query.stop()
      progresses.close()
      spark.conf.unset("spark.sql.streaming.noDataProgressEventInterval")
    }
  }

  test("rejects invalid options of dates and markers at the start") {
    def refused(options: (String, String)*) = intercept[IllegalArgumentException](
      read(new Input, options: _*)
    ).getMessage
    assert(refused("dateRange" -> "2026-01-01/").contains("unless datePattern is set"))
    assert(refused("datePattern" -> "yyyy").contains("without dateRange"))
    assert(refused("datePattern" -> "MM", "dateRange" -> "x/").contains("does not begin with a year"))
    assert(refused("readyMarker" -> "a/b").contains("name of a file in the same directory"))
    assert(refused("readyMarker" -> "{name}").contains("each file itself"))
    assert(refused("stableFor" -> "10").contains("has no unit"))
    val own = refused("readyMarker" -> "_DONE", "fileEnumerator" -> classOf[ManifestFinder].getName)
    assert(own.contains("with a custom fileEnumerator"))
  }

  private def read(in: Input, options: (String, String)*): Seq[String] =
    spark.read
      .format("stoplog")
      .options(options.toMap + ("format" -> "text"))
      .load(in.root.toString)
      .collect()
      .map(_.getString(0))
      .toSeq
      .sorted

  private def metric(progress: StreamingQueryProgress, name: String): Long =
    progress.sources.head.metrics.get(name).toLong
}
