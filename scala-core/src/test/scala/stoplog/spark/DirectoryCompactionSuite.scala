// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.parquet.format.Util
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types.MetadataBuilder
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.FileSink
import stoplog.compact.{CompactionInput, Compactor, PlannedCompaction}
import stoplog.format.SparkSessionForTests
import stoplog.part.BlockOutput

/** The batch command over directories that Spark's own writers have made. */
class DirectoryCompactionSuite extends AnyFunSuite with SparkSessionForTests {

  for (format <- Seq("parquet", "orc", "json"))
    test(
      s"$format: compaction merges small files of each partition with the same rows",
      LongRun.unless(format != "orc"): _*
    ) {
      val place = new TestDirectory
      spark
        .range(0, 1000, 1, 5)
        .selectExpr("id", "cast(id as string) as word", "id % 2 as p")
        .write
        .partitionBy("p")
        .format(format)
        .save(place.out)
      val before      = rows(place, format)
      val compactions = FileSink.compactDirectory(spark, place.out)
      assert(compactions.plan().map(m => m.directory -> m.names.size) === Seq("p=0" -> 5, "p=1" -> 5))
      assert(place.files.size === 10, "nothing has happened yet")
      assert(compactions.run().size === 2)
      assert(place.files.size === 2)
      assert(place.directories === Set("p=0", "p=1"))
      assert(rows(place, format) === before)
      assert(compactions.run() === Nil, "there is nothing more to do")
      spark
        .range(1000, 1010, 1, 2)
        .selectExpr("id", "cast(id as string) as word", "0 as p")
        .write
        .mode("append")
        .partitionBy("p")
        .format(format)
        .save(place.out)
      assert(compactions.run().map(_.names.size) === Seq(3), "the merged one and two more")
    }

  test("CSV with headers requires options, and files of different columns are not merged") {
    val place = new TestDirectory
    Seq("a,b" -> "1,2", "a,b" -> "3,4\n", "c" -> "5", "c" -> "6").zipWithIndex.foreach {
      case ((header, row), n) =>
        write(place, s"part-$n.csv", s"$header\n$row")
    }
    assert(FileSink.compactDirectory(spark, place.out).plan() === Nil)
    FileSink.compactDirectory(spark, place.out, Map("format" -> "csv", "header" -> "true")).run()
    assert(place.files.map(Files.readString(_)).toSet === Set("a,b\n1,2\n3,4\n", "c\n5\n6\n"))
  }

  test("merges lines by their lineSep and keeps files of UTF-16") {
    val place = new TestDirectory
    val rows  = spark.range(0, 3, 1, 3).selectExpr("concat('row ', id) AS value")
    rows.write.option("lineSep", "\u0001").text(place.out)
    val compactions = FileSink.compactDirectory(spark, place.out, Map("lineSep" -> "\u0001")).run()
    assert(compactions.map(_.names.size) === Seq(3))
    val read = spark.read.option("lineSep", "\u0001").text(place.out).collect().map(_.getString(0))
    assert(read.toSeq === Seq("row 0", "row 1", "row 2"))
    val wide = new TestDirectory
    rows.write.option("encoding", "UTF-16LE").json(wide.out)
    assert(FileSink.compactDirectory(spark, wide.out).run() === Nil)
  }

  test("keeps multi-line JSON documents and merges files of lines in the same directory") {
    val place    = new TestDirectory
    val document = "{\n  \"n\": 1\n}\n"
    Seq("a", "c").foreach(name => write(place, s"$name.json", document))
    Seq("b", "d").foreach(name => write(place, s"$name.json", "{\"n\":2}"))
    val compactions = FileSink.compactDirectory(spark, place.out).run()
    assert(compactions.map(_.names) === Seq(Seq("b.json", "d.json")))
    assert(
      place.files.map(Files.readString(_)).sorted === Seq(document, document, "{\"n\":2}\n{\"n\":2}\n").sorted
    )
  }

  test("keeps a file whose name cannot grow and merges the others") {
    val place = new TestDirectory
    val long  = "x" * 246
    Seq("a", "b", long).foreach(name => write(place, s"$name.txt", s"row of ${name.take(1)}"))
    val compactions = FileSink.compactDirectory(spark, place.out).run()
    assert(compactions.map(_.names) === Seq(Seq("a.txt", "b.txt")))
    assert(place.files.map(Files.readString(_)).toSet === Set("row of a\nrow of b\n", "row of x"))
  }

  test("keeps files of columns with different meanings apart") {
    def meant(unit: String) =
      spark
        .range(3)
        .select(
          col("id").as("id", new MetadataBuilder().putString("unit", unit).putString("comment", unit).build())
        )
    val times                                = "cast('2026-01-31 10:00:00' AS TIMESTAMP_NTZ) AS id"
    val pairs: Seq[(String, Seq[DataFrame])] = Seq(
      "orc"     -> Seq(spark.range(3).toDF(), spark.range(3).selectExpr(times)),
      "parquet" -> Seq(meant("m"), meant("km"))
    )
    for ((format, frames) <- pairs) {
      val place = new TestDirectory
      for {
        rows <- frames
        _    <- 1 to 2
      } rows.coalesce(1).write.mode("append").format(format).save(place.out)
      val compactions = FileSink.compactDirectory(spark, place.out)
      assert(compactions.plan().map(_.names.size) === Seq(2, 2), format)
    }
  }

  test("keeps files in compressions that are not appended, and the buckets of a table") {
    val place = new TestDirectory
    val rows  = spark.range(0, 8, 1, 4).selectExpr("cast(id AS STRING) AS id")
    rows.write.option("compression", "deflate").csv(place.out)
    assert(FileSink.compactDirectory(spark, place.out, Map("format" -> "csv")).plan() === Nil)
    val table = new TestDirectory
    try {
      rows.write.option("path", table.out).bucketBy(2, "id").format("parquet").saveAsTable("bucketed")
      assert(FileSink.compactDirectory(spark, table.out).plan() === Nil)
    } finally spark.sql("DROP TABLE IF EXISTS bucketed"): Unit
  }

  test("keeps Parquet files with times of INT96 of a writer whose name readers need") {
    for ((writer, planned) <- Seq("parquet-mr version 1.13.1" -> 1, "impala version 4.0.0 (build x)" -> 0)) {
      val place = new TestDirectory
      spark.range(0, 4, 1, 2).selectExpr("timestamp_seconds(id) AS at").write.parquet(place.out)
      place.files.foreach(writtenBy(writer, _))
      assert(FileSink.compactDirectory(spark, place.out).plan().size === planned, writer)
    }
  }

  /** Replaces the name of the writer in a Parquet file. */
  private def writtenBy(writer: String, file: Path): Unit = {
    val bytes  = Files.readAllBytes(file)
    val length = ByteBuffer.wrap(bytes, bytes.length - 8, 4).order(ByteOrder.LITTLE_ENDIAN).getInt
    val start  = bytes.length - 8 - length
    val footer = Util.readFileMetaData(new ByteArrayInputStream(bytes, start, length)).setCreated_by(writer)
    val end    = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, end)
    val size = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(end.size).array
    Files.write(file, bytes.take(start) ++ end.toByteArray ++ size ++ "PAR1".getBytes(UTF_8))
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    ()
  }

  test("does not merge a partial copy") {
    val place = new TestDirectory
    for (name <- Seq("a.json", "b.json", "c.json._COPYING_", "d.json._COPYING_"))
      write(place, name, "{\"n\":1}\n")
    val compactions = FileSink.compactDirectory(spark, place.out, Map("format" -> "json"))
    assert(compactions.plan().map(_.names) === Seq(Seq("a.json", "b.json")))
  }

  test("keeps large files, and merged files stay below compactTo") {
    val place = new TestDirectory
    (0 until 7).foreach(n => write(place, s"part-$n.json", s"""{"n":$n}\n""" * 10)) // 80 bytes each
    write(place, "part-8.json", "{}\n" * 100)
    val plan = FileSink
      .compactDirectory(spark, place.out, Map("compactTo" -> "200", "compactSmallerThan" -> "100"))
      .plan()
    assert(plan === Seq(Seq(0, 1), Seq(2, 3), Seq(4, 5)).map { pair =>
      PlannedCompaction("", pair.map(n => s"part-$n.json"), 160)
    })
  }

  test("keeps unreadable files and merges the others") {
    val place = new TestDirectory
    spark.range(0, 10, 1, 2).write.parquet(place.out)
    write(place, "part-9.parquet", "not Parquet")
    FileSink.compactDirectory(spark, place.out).run()
    assert(place.files.map(_.getFileName.toString).count(_ == "part-9.parquet") === 1)
    assert(place.files.size === 2)
  }

  test("the result names each failed group with its reason, and omits groups that others have changed") {
    val place = new TestDirectory
    for {
      directory <- Seq("full", "gone", "whole")
      n         <- 1 to 2
    } write(place, s"$directory/$n.txt", "row\n")
    val options = Map("compactor" -> classOf[FailingCompactor].getName)
    val result  = FileSink.compactDirectory(spark, place.out, options).run()
    assert(result.map(_.directory) === Seq("full", "whole"))
    val failed = result.head
    assert(result.last.problem === "")
    assert(failed.names === Seq("1.txt", "2.txt"))
    assert(failed.problem.startsWith("java.io.IOException: disk full") && !failed.problem.contains("hunter2"))
    assert(place.files.count(_.getParent.getFileName.toString == "full") === 2)
  }

  test("leaves files of an active sink, or recently published files, to the sink") {
    val place = new TestDirectory
    sink(place, compaction = "smallParts").write(spark.range(0, 4, 1, 4).toDF()).save()
    val query = sink(place, "smallParts")
      .writeStream(stream(place))
      .option("checkpointLocation", place.checkpoint)
      .start()
    query.processAllAvailable()
    query.stop()
    assert(FileSink.awaitEnd(query.runId.toString, 120000))
    val sinks  = place.files.size - 4
    val merged = FileSink.compactDirectory(spark, place.out).run()
    assert(merged.map(_.names.size) === Seq(4), "those of the batch job")
    assert(place.files.size === sinks + 1)
  }

  test("the parts view shows parts replaced by the batch command") {
    val place = new TestDirectory
    val query = sink(place, compaction = "none")
      .writeStream(stream(place))
      .option("checkpointLocation", place.checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    assert(FileSink.awaitEnd(query.runId.toString, 120000))
    def states =
      spark.read.format("stoplog").option("view", "parts").load(place.out).select("state").distinct()
    assert(states.collect().map(_.getString(0)).toSeq === Seq("published"))
    // Another commit, so that those before it are no longer of the newest record.
    write(place, "../source/c.txt", "5\n")
    val more = sink(place, compaction = "none")
      .writeStream(stream(place))
      .option("checkpointLocation", place.checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
    more.awaitTermination()
    assert(FileSink.awaitEnd(more.runId.toString, 120000))
    val merged = FileSink.compactDirectory(spark, place.out).run().flatMap(_.names).toSet
    assert(merged.nonEmpty)
    val shown = spark.read.format("stoplog").option("view", "parts").load(place.out).collect()
    for (row <- shown) {
      val name = row.getAs[String]("name")
      assert(row.getAs[String]("state") === (if (merged(name)) "replaced" else "published"), name)
    }
    assert(merged.subsetOf(shown.map(_.getAs[String]("name")).toSet))
    // As if readers had taken an input of each merge away: the others are finished parts as before.
    notesOfCompactions(place).foreach(Files.writeString(_, """{"why": "taken"}"""))
    assert(states.collect().map(_.getString(0)).toSeq === Seq("published"))
  }

  test("rejects directories of foreign tables and of other sinks by name") {
    for (
      by <- Seq("b/_stoplog/main", "../_stoplog/main", "../_delta_log", "_delta_log", "_spark_metadata",
        ".hoodie", "metadata/v1.metadata.json", "day=1/_orc_acid_version", "delta_0000001_0000001_0000")
    ) {
      val place = new TestDirectory
      write(place, "part-0.json", "{}\n")
      write(place, if (by.contains(".json")) by else s"$by/x", "{}")
      assert(condition(FileSink.compactDirectory(spark, place.out).plan()) === "STOPLOG_FOREIGN_TABLE", by)
      assert(condition(FileSink.compactDirectory(spark, place.out).run()) === "STOPLOG_FOREIGN_TABLE", by)
    }
    assert(
      condition(FileSink.compactDirectory(spark, "/nowhere/at/all").plan()) === "STOPLOG_NOT_COMPACTABLE"
    )
    assert(
      condition(
        FileSink.compactDirectory(spark, "/x", Map("maxPartSize" -> "1m"))
      ) === "STOPLOG_INVALID_OPTIONS"
    )
  }

  test("rejects data directories whose table metadata is in a parent or sibling directory") {
    for {
      kept <- Seq(
        Seq("metadata/v1.metadata.json"),
        Seq("metadata/v1.metadata.json.gz"),
        Seq("snapshot/snapshot-1", "manifest/manifest-1", "schema/schema-0")
      )
      data <- Seq("", "data", "data/day=1")
    } {
      val place = new TestDirectory
      kept.foreach(write(place, _, "{}"))
      write(place, s"data/day=1/part-0.json", "{}\n")
      val compactions = FileSink.compactDirectory(spark, s"${place.out}/$data")
      assert(condition(compactions.plan()) === "STOPLOG_FOREIGN_TABLE", s"$kept, $data")
    }
    val other = new TestDirectory
    write(other, "metadata", "a file")
    Seq("data/a.json", "data/b.json", "snapshot/x", "data/metadata/notes.json").foreach(
      write(other, _, "{}\n")
    )
    assert(FileSink.compactDirectory(spark, s"${other.out}/data").plan().map(_.names.size) === Seq(2))
  }

  private def notesOfCompactions(place: TestDirectory): Seq[Path] =
    Files
      .list(Path.of(place.out, "_stoplog", "replace", "log"))
      .iterator()
      .asScala
      .filter(_.toString.endsWith(".visible"))
      .toSeq

  private def sink(place: TestDirectory, compaction: String) = FileSink
    .forRowFormat(place.out, "json")
    .withOption("bucketAssigner", "basePath")
    .withOption("rollingPolicy", "onCheckpoint")
    .withOption("compaction", compaction)
    .build()

  private def stream(place: TestDirectory) = {
    write(place, "../source/a.txt", "1\n2\n")
    write(place, "../source/b.txt", "3\n4\n")
    spark.readStream
      .option("maxFilesPerTrigger", "1")
      .text(Path.of(place.out).getParent.resolve("source").toString)
  }

  private def rows(place: TestDirectory, format: String): Seq[String] =
    spark.read
      .format(format)
      .load(place.out)
      .selectExpr("id", "word", "p")
      .orderBy("id")
      .collect()
      .toSeq
      .map(_.toString)

  private def write(place: TestDirectory, name: String, text: String): Unit = {
    val file = Path.of(place.out).resolve(name).normalize
    Files.createDirectories(file.getParent)
    Files.write(file, text.getBytes(UTF_8))
    ()
  }

  private def condition(action: => Any): String = intercept[Throwable](action) match {
    case named: SparkThrowable => named.getCondition
    case unnamed               => throw unnamed
  }
}

/** Fails in the directory `full`, and in the directory `gone`, whose first file another program removes. */
class FailingCompactor extends Compactor {
  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    val first = inputs.head.path
    first.getParent.getName match {
      case "full" => throw new IOException("disk full, password=hunter2")
      case "gone" =>
        first.getFileSystem(inputs.head.configuration).delete(first, false)
        throw new IOException("no such file")
      case _ => inputs.foreach(input => Using.resource(input.open())(_.transferTo(out)))
    }
  }
}
