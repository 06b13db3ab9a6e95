// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Path

import org.apache.avro.file.DataFileReader
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQuery
import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters._

import stoplog.FileSink
import stoplog.format.SparkSessionForTests
import stoplog.storage.hadoop.HadoopDefaults

/** Bulk formats as a user has them: one file for many micro-batches, read back by Spark's own sources. */
class BulkSinkSuite extends AnyFunSuite with SparkSessionForTests {

  for (format <- Seq("parquet", "orc", "avro"))
    test(s"$format: many micro-batches and a restart write a single file") {
      val place = new TestDirectory
      runs(place, format, epochs = 6)
      assert(place.files.isEmpty, "the part is open")
      runs(place, format, epochs = 5, finalizing = "always")
      assert(place.files.size === 1)
      assert(read(place, format) === expected(11))
    }

  test("writes keys and values to a sequence file") {
    val place = new TestDirectory
    runs(place, "sequencefile", epochs = 3, finalizing = "always")
    val found = spark.sparkContext
      .sequenceFile[Long, String](place.out + "/*")
      .map { case (id, word) => (id, word) }
      .collect()
    assert(found.sorted.toSeq === expected(3).map(row => (row.getLong(0), row.getString(1))))
  }

  test("row groups are full regardless of micro-batches") {
    val place = new TestDirectory
    runs(place, "parquet", epochs = 30, finalizing = "always", Map("parquet.block.size" -> "2000"))
    val groups = rowGroups(place)
    assert(groups.map(_._1).sum === 30 * Rows)
    assert(groups.size >= 3 && groups.size < 30)
    assert(
      groups.init.forall(_._1 > 2 * groups.map(_._1).sum / 3 / groups.size),
      s"about as many rows each: $groups"
    )
  }

  test("a micro-batch that fills half of a row group ends the row group") {
    val place   = new TestDirectory
    val options = Map("parquet.block.size" -> "600")
    runs(place, "parquet", epochs = 2, options = options)
    runs(place, "parquet", epochs = 3, finalizing = "always", options = options)
    assert(place.files.size === 1)
    assert(rowGroups(place).map(_._1) === Seq.fill(5)(Rows))
    assert(read(place, "parquet") === expected(5))
  }

  for (bytes <- Seq("0", "1"))
    test(s"a row group of $bytes bytes has a single row") {
      val place = new TestDirectory
      runs(place, "parquet", epochs = 2, finalizing = "always", Map("parquet.block.size" -> bytes))
      assert(rowGroups(place).map(_._1) === Seq.fill(2 * Rows)(1))
    }

  for (format <- Seq("parquet", "orc", "avro"))
    test(s"$format: a batch job writes a file for each task") {
      val place = new TestDirectory
      sink(place, format).build().write(spark.range(0, 1000, 1, 3).selectExpr("id", Word)).save()
      assert(place.files.size === 3)
      assert(read(place, format).size === 1000)
    }

  test("a changed schema ends open parts with their former columns") {
    val place = new TestDirectory
    runs(place, "parquet", epochs = 2)
    val input = MemoryStream[Long](spark.implicits.newLongEncoder, spark)
    val query = sink(place, "parquet")
      .withFinalizeOnTermination("always")
      .build()
      .writeStream(input.toDF().selectExpr("value AS id", "'more' AS more"))
      .option("checkpointLocation", place.checkpoint + "-2")
      .option("onForeignQuery", "adoptAndRepeat")
      .start()
    try {
      input.addData(1000L)
      query.processAllAvailable()
    } finally end(query)
    assert(place.files.size === 2)
    val both = spark.read.option("mergeSchema", "true").parquet(place.out)
    assert(both.columns.toSet === Set("id", "word", "more"))
    assert(both.count() === 2 * Rows + 1)
  }

  for ((before, now) <- Seq("parquet" -> "avro", "orc" -> "parquet"))
    test(s"a run that writes $now ends open parts of a run that wrote $before") {
      val place = new TestDirectory
      runs(place, before, epochs = 2)
      runs(place, now, epochs = 2, finalizing = "always")
      val (parquets, others) = place.files.partition(_.toString.endsWith(".parquet"))
      assert(parquets.size === 1 && others.size === 1)
      val rows = spark.read.parquet(parquets.map(_.toString): _*).collect().toSeq ++
        (if (now == "avro") others.flatMap(avro) else spark.read.orc(others.map(_.toString): _*).collect())
      assert(rows.sortBy(_.getLong(0)) === expected(4))
    }

  test("avro: another codec or calendar of the session starts another file, since headers record both") {
    val place = new TestDirectory
    val days  = Seq("id", Word, "date_add(DATE '1001-01-01', CAST(id AS INT)) AS day")
    runs(place, "avro", epochs = 2, columns = days)
    under("spark.sql.avro.compression.codec" -> "deflate")(runs(place, "avro", epochs = 1, columns = days))
    under("spark.sql.avro.datetimeRebaseModeInWrite" -> "LEGACY")(
      runs(place, "avro", epochs = 1, finalizing = "always", columns = days)
    )
    assert(place.reasons(spark) === Seq("contentChanged", "contentChanged", "end"))
    val found = spark.read
      .format("org.apache.spark.sql.avro.AvroFileFormat")
      .load(place.out)
      .orderBy("id")
      .selectExpr("word", "CAST(day AS STRING)")
    val first = java.time.LocalDate.of(1001, 1, 1)
    assert(
      found.collect().toSeq ===
        (0L until 4L * Rows).map(id => Row(s"word $id", first.plusDays(id).toString))
    )
  }

  private def under(setting: (String, String))(run: => Unit): Unit = {
    spark.conf.set(setting._1, setting._2)
    try run
    finally spark.conf.unset(setting._1)
  }

  private final val Rows = 20
  private final val Word = "concat('word ', id) AS word"

  /** Micro-batches of [[Rows]] rows each, going on where the last run of this place stopped. */
  private def runs(
      place: TestDirectory,
      format: String,
      epochs: Int,
      finalizing: String = "never",
      options: Map[String, String] = Map.empty,
      columns: Seq[String] = Seq("id", Word)
  ): Unit = {
    val input = sources.getOrElseUpdate(place, MemoryStream[Long](spark.implicits.newLongEncoder, spark))
    val base  = sink(place, format).withFinalizeOnTermination(finalizing)
    val query = options
      .foldLeft(base) { case (builder, (key, value)) => builder.withOption(key, value) }
      .build()
      .writeStream(input.toDF().selectExpr("value AS id").selectExpr(columns: _*).coalesce(1))
      .option("checkpointLocation", place.checkpoint)
      .start()
    try
      for (_ <- 1 to epochs) {
        val first = written.getOrElse(place, 0L)
        input.addData(first until first + Rows)
        written(place) = first + Rows
        query.processAllAvailable()
      }
    finally end(query)
  }

  private val sources = scala.collection.mutable.Map.empty[TestDirectory, MemoryStream[Long]]
  private val written = scala.collection.mutable.Map.empty[TestDirectory, Long]

  private def sink(place: TestDirectory, format: String) =
    FileSink.forBulkFormat(place.out, format).withOption("bucketAssigner", "basePath")

  private def end(query: StreamingQuery): Unit = {
    query.stop()
    assert(FileSink.awaitEnd(query.runId.toString, 120000))
    query.exception.foreach(throw _)
  }

  /** Avro by its own reader: Spark's is a module of its own. */
  private def read(place: TestDirectory, format: String): Seq[Row] = format match {
    case "avro" => place.files.flatMap(avro).sortBy(_.getLong(0))
    case other  => spark.read.format(other).load(place.out).orderBy("id").collect().toSeq
  }

  private def avro(file: Path): Seq[Row] = {
    val reader = new DataFileReader[GenericRecord](file.toFile, new GenericDatumReader[GenericRecord]())
    try reader.iterator().asScala.map(r => Row(r.get("id"), r.get("word").toString)).toVector
    finally reader.close()
  }

  private def expected(epochs: Int): Seq[Row] =
    (0L until epochs.toLong * Rows).map(id => Row(id, s"word $id"))

  private def rowGroups(place: TestDirectory): Seq[(Long, Long)] = {
    val file   = new HadoopPath(place.files.head.toUri)
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, HadoopDefaults.configuration()))
    try reader.getFooter.getBlocks.asScala.toSeq.map(block => (block.getRowCount, block.getTotalByteSize))
    finally reader.close()
  }
}
