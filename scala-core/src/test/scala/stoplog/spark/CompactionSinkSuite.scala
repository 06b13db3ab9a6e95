// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.file.DataFileReader
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.compact.{CompactionInput, Compactor}
import stoplog.format.SparkSessionForTests
import stoplog.part.BlockOutput
import stoplog.storage.Digits

/** Compaction as a user has it: many small parts, and few in the end. */
class CompactionSinkSuite extends AnyFunSuite with SparkSessionForTests {

  for (format <- Seq("json", "csv", "parquet", "orc", "avro"))
    test(s"$format: compaction merges parts of many epochs in two runs") {
      val place = new TestDirectory
      runs(place, epochs = 5, "format" -> format, "header" -> "true")
      runs(place, epochs = 6, "format" -> format, "header" -> "true")
      assert(place.files.size < 8, "of 11")
      assert(read(place, format) === (0 until 11).flatMap(n => Seq(Row(2L * n), Row(2L * n + 1))))
      assert(!Files.exists(Path.of(place.out, "_stoplog", "main", "replaced", "0")))
    }

  test("a custom compactor merges files of a custom encoder") {
    val place = new TestDirectory
    runs(
      place,
      epochs = 6,
      "format"    -> classOf[BracketEncoder].getName,
      "compactor" -> classOf[Appending].getName
    )
    assert(place.files.size < 6)
    assert(place.lines.count(_.startsWith("<")) === 12, place.lines)
  }

  test("the view of epochs does not count a compaction that was called off") {
    val place                      = new TestDirectory
    runs(place, epochs = 6, "format" -> "json")
    def published: Map[Long, Long] = spark.read
      .format("stoplog")
      .option("view", "epochs")
      .load(place.out)
      .where("kind = 'compact'")
      .collect()
      .map(row => row.getAs[Long]("seq") -> row.getAs[Long]("published_rows"))
      .toMap
    val (seq, rows) = published.head
    assert(rows > 0)
    val note = Path.of(place.out, "_stoplog", "main", "log", s"${Digits.of(seq)}.visible")
    Files.writeString(note, """{"why":"a reader has taken a part"}""")
    assert(published(seq) === 0)
  }

  test("an overwrite fails while a compacting query runs, and replaces all files after its end") {
    implicit val context = spark.sqlContext
    import spark.implicits._
    val place       = new TestDirectory
    val source      = MemoryStream[String]
    val written     = Map("path" -> place.out, "format" -> "text", "rollingPolicy" -> "onCheckpoint")
    def overwrite() = Seq("new").toDF().write.format("stoplog").options(written).mode("overwrite").save()
    val query       = source
      .toDF()
      .writeStream
      .format("stoplog")
      .options(written + ("compaction" -> "smallParts"))
      .option("checkpointLocation", place.checkpoint)
      .start()
    source.addData("old")
    query.processAllAvailable()
    val refused = intercept[Exception](overwrite()).getMessage
    assert(refused.contains("STOPLOG_PATH_NOT_WRITABLE") && refused.contains("sink main"))
    query.stop()
    assert(FileSink.awaitEnd(query.runId.toString, 60000))
    overwrite()
    assert(place.lines === Seq("new"))
  }

  test("rejects compaction of a custom encoder without a compactor, and compactor without effect") {
    def problem(options: (String, String)*): String =
      intercept[IllegalArgumentException](
        FileSink.fromOptions(java.util.Map.ofEntries((options :+ ("path" -> "/x")).map { case (k, v) =>
          java.util.Map.entry(k, v)
        }: _*))
      ).getMessage
    assert(
      problem("format" -> classOf[BracketEncoder].getName, "compaction" -> "smallParts")
        .contains("needs a compactor")
    )
    assert(problem("format" -> "json", "compactor" -> "a.B").contains("has no effect"))
  }

  private def runs(place: TestDirectory, epochs: Int, options: (String, String)*): Unit = {
    implicit val context = spark.sqlContext
    import spark.implicits._
    val done   = if (Files.exists(Path.of(place.checkpoint, "commits"))) 5 else 0
    val source = MemoryStream[Long]
    val before = (0 until done).flatMap(n => Seq(2L * n, 2L * n + 1))
    before.grouped(2).foreach(source.addData(_))
    val rows = source.toDF()
    val all  = Map(
      "path"                  -> place.out,
      "rollingPolicy"         -> "onCheckpoint",
      "bucketAssigner"        -> "basePath",
      "finalizeOnTermination" -> "always",
      "compaction"            -> "smallParts",
      "compactAfterEpochs"    -> "1"
    ) ++ options.filterNot(o => o._1 == "header" && !options.contains("format" -> "csv"))
    val column =
      if (options.exists(_._2 == classOf[BracketEncoder].getName)) "cast(value as string) as value"
      else "value"
    val query = rows
      .selectExpr(column)
      .coalesce(1)
      .writeStream
      .format("stoplog")
      .options(all)
      .option("checkpointLocation", place.checkpoint)
      .start()
    (done until done + epochs).foreach { n =>
      source.addData(2L * n, 2L * n + 1)
      query.processAllAvailable()
    }
    query.stop()
    assert(FileSink.awaitEnd(query.runId.toString, 60000))
  }

  private def read(place: TestDirectory, format: String): Seq[Row] = format match {
    case "avro" => place.files.flatMap(avro).sortBy(_.getLong(0))
    case other  =>
      val reader = spark.read.format(other).option("header", "true").schema("value bigint")
      reader.load(place.out).orderBy("value").collect().toSeq
  }

  private def avro(file: Path): Seq[Row] =
    Using.resource(new DataFileReader[GenericRecord](file.toFile, new GenericDatumReader[GenericRecord]())) {
      _.iterator().asScala.map(record => Row(record.get("value"))).toVector
    }
}

/** Files that are nothing but records one after another. */
class Appending extends Compactor {
  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit =
    inputs.foreach { input =>
      val in = input.open()
      try in.transferTo(out)
      finally in.close()
    }
}
