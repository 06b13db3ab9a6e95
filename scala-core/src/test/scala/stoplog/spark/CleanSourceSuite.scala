// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Paths, StandardCopyOption}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.bucket.BasePathBucketAssigner
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** `cleanSource`: what becomes of a file once its micro-batch is committed. */
class CleanSourceSuite extends AnyFunSuite with SparkSessionForTests {

  test("archives or deletes files after the commit of their micro-batch") {
    for (clean <- Seq("archive", "delete")) {
      val in    = new Input
      val place = new TestDirectory
      val away  = Files.createTempDirectory("stoplog-archive")
      val more  = if (clean == "archive") Seq("sourceArchiveDir" -> away.toString) else Seq.empty
      def run() = runOnce(in, place, Seq("cleanSource" -> clean, "maxFilesPerTrigger" -> "1") ++ more: _*)
      for (n <- 1 to 3) in.write(s"deep/$n.txt", s"$n\n")
      run()
      in.write("4.txt", "4\n")
      run()
      in.write("5.txt", "5\n")
      run()
      assert(place.lines === Seq("1", "2", "3", "4", "5"))
      val left = Files
        .walk(in.root)
        .iterator()
        .asScala
        .filter(Files.isRegularFile(_))
        .map(_.getFileName.toString)
        .toSet
      assert(left === Set.empty, "also the files of the last micro-batch")
      val archived =
        Files.walk(away).iterator().asScala.filter(Files.isRegularFile(_)).map(away.relativize(_).toString)
      assert(
        clean == "delete" || archived.toSet === Set("deep/1.txt", "deep/2.txt", "deep/3.txt", "4.txt",
          "5.txt")
      )
    }
  }

  test("a file with a valid-length file stays, because the limit would apply to the next file of the name") {
    for (clean <- Seq("archive", "delete")) {
      val in    = new Input
      val place = new TestDirectory
      val away  = Files.createTempDirectory("stoplog-archive")
      in.write("a.txt", "1\nnever committed\n")
      in.write("_a.txt.valid-length", "\u0000\u00012")
      in.write("b.txt", "2\n")
      val more = if (clean == "archive") Seq("sourceArchiveDir" -> away.toString) else Seq.empty
      runOnce(in, place, Seq("cleanSource" -> clean) ++ more: _*)
      assert(place.lines === Seq("1", "2"))
      assert(Files.exists(in.root.resolve("a.txt")) && Files.exists(in.root.resolve("_a.txt.valid-length")))
      assert(!Files.exists(in.root.resolve("b.txt")) && !Files.exists(away.resolve("a.txt")))
    }
  }

  test("availableNow cleans the files of its only micro-batch, and its progress counts the files") {
    val in    = new Input
    val place = new TestDirectory
    for (n <- 1 to 3) in.write(s"$n.txt", s"$n\n")
    val query = runOnce(in, place, "cleanSource" -> "delete")
    assert(place.lines === Seq("1", "2", "3") && in.root.toFile.list().isEmpty)
    val counts = query.recentProgress.filter(_.numInputRows > 0).last.sources.head.metrics
    assert(counts.get("cleanedFiles") === "3" && counts.get("uncleanedFiles") === "0")
  }

  test("deletes an Avro file without a suffix only after reading its rows") {
    val hadoop = spark.sparkContext.hadoopConfiguration
    val in     = new Input
    FileSink
      .forBulkFormat(in.root.toString, "avro")
      .withBucketAssigner(new BasePathBucketAssigner)
      .withPartSuffix("")
      .build()
      .write(spark.range(0, 3, 1, 1).selectExpr("cast(id AS STRING) AS id"))
      .save()
    def read() = spark.read.format("stoplog").option("format", "avro").load(in.root.toString)
    hadoop.set("avro.mapred.ignore.inputs.without.extension", "true")
    try {
      assert(read().count() === 3)
      val place = new TestDirectory
      place.copy(
        spark.readStream
          .format("stoplog")
          .options(Map("format" -> "avro", "cleanSource" -> "delete"))
          .schema("id STRING")
          .load(in.root.toString)
      )
      assert(place.lines === Seq("0", "1", "2"))
      assert(!in.root.toFile.list().exists(_.startsWith("part")))
    } finally hadoop.unset("avro.mapred.ignore.inputs.without.extension")
  }

  test("a stop cleans the files of the last committed micro-batch") {
    val in    = new Input
    val place = new TestDirectory
    in.write("1.txt", "1\n")
    val query = start(in, place, Trigger.ProcessingTime("1 hour"), Seq("cleanSource" -> "delete"))
    while (query.lastProgress == null || query.lastProgress.numInputRows == 0) Thread.onSpinWait()
    assert(in.root.toFile.list() === Array("1.txt"), "Spark reports a commit with the next trigger")
    query.stop()
    assert(in.root.toFile.list().isEmpty)
  }

  test("a stop keeps the files of a failed micro-batch") {
    val in    = new Input
    val place = new TestDirectory
    in.write("1.txt", "1\n")
    runOnce(in, place, "cleanSource" -> "delete")
    in.write("2.txt.gz", "no gzip")
    intercept[Exception](runOnce(in, place, "cleanSource" -> "delete"))
    assert(place.lines === Seq("1") && in.root.toFile.list() === Array("2.txt.gz"))
  }

  test("reads a recurring file name on each day, with a run for each day") {
    for (clean <- Seq("archive", "delete")) {
      val in      = new Input
      val place   = new TestDirectory
      val away    = Files.createTempDirectory("stoplog-archive")
      val archive = if (clean == "archive") Seq("sourceArchiveDir" -> away.toString) else Seq.empty
      for (day <- 1 to 4) {
        in.write("_new", s"day$day ${"x" * day}\n")
        Files.move(in.root.resolve("_new"), in.root.resolve("daily.csv"), StandardCopyOption.REPLACE_EXISTING)
        in.write(s"other$day.csv", s"other$day\n")
        runOnce(in, place, Seq("cleanSource" -> clean) ++ archive: _*)
      }
      assert(place.lines.count(_.startsWith("day")) === 4 && place.lines.size === 8)
      assert(away.toFile.list().count(_.startsWith("daily")) >= (if (clean == "archive") 3 else 0))
    }
  }

  test("rejects an archive that names another file system, and keeps scheme and server of the option") {
    for (archive <- Seq("hdfs://nowhere:1/archive", "file://archive/in", "s3a://bucket/archive")) {
      val in    = new Input
      val place = new TestDirectory
      in.write("1.txt", "ant\n")
      val error = intercept[Exception](
        runOnce(in, place, "cleanSource" -> "archive", "sourceArchiveDir" -> archive)
      )
      assert(Thrown.conditions(error).contains("STOPLOG_SOURCE_ARCHIVE"), archive)
      assert(in.root.resolve("1.txt").toFile.exists)
    }
    val (in, place) = (new Input, new TestDirectory)
    val away        = Files.createTempDirectory("stoplog-archive")
    for (number <- 1 to 2) {
      in.write(s"$number.txt", "ant\n")
      runOnce(in, place, "cleanSource" -> "archive", "sourceArchiveDir" -> s"file://$away")
    }
    assert(away.resolve("1.txt").toFile.exists)
  }

  test("rejects a local path with a server, which no reader would use") {
    val place = new TestDirectory
    val error = intercept[Exception](
      spark.read.format("stoplog").option("format", "text").load(s"file://data/in").collect()
    )
    assert(
      Thrown.conditions(error).contains("STOPLOG_SOURCE_PATH") && error.getMessage.contains("file:///data/in")
    )
    val sink = intercept[Exception](
      spark.range(1).write.format("stoplog").option("format", "json").mode("append").save("file://data/out")
    )
    assert(Thrown.conditions(sink).contains("STOPLOG_PATH_NOT_WRITABLE"))
    assert(place.files.isEmpty)
  }

  test("rejects an archive on another file system before reading a row") {
    val memory = Paths.get("/dev/shm")
    assume(Files.isWritable(memory))
    val in    = new Input
    val place = new TestDirectory
    assume(Files.getFileStore(memory).name != Files.getFileStore(in.root).name)
    val away = Files.createTempDirectory(memory, "stoplog-archive")
    in.write("a", "1\n")
    val archive = Seq("cleanSource" -> "archive", "sourceArchiveDir" -> away.toString)
    val error   = intercept[Exception](runOnce(in, place, archive: _*))
    assert(Thrown.conditions(error).contains("STOPLOG_SOURCE_ARCHIVE"))
    assert(error.getMessage.contains("two mounted file systems"))
    assert(!Files.exists(Paths.get(place.out)) || place.lines.isEmpty)
    assert(away.toFile.list().isEmpty)
    Files.delete(away)
  }

  private def start(
      in: Input,
      place: TestDirectory,
      trigger: Trigger,
      options: Seq[(String, String)]
  ): StreamingQuery =
    spark.readStream
      .format("stoplog")
      .options(Map("format" -> "text") ++ options)
      .load(in.root.toString)
      .writeStream
      .format("text")
      .option("checkpointLocation", place.checkpoint)
      .trigger(trigger)
      .start(place.out)

  private def runOnce(in: Input, place: TestDirectory, options: (String, String)*): StreamingQuery = {
    val query = start(in, place, Trigger.AvailableNow(), options)
    query.awaitTermination()
    query
  }
}
