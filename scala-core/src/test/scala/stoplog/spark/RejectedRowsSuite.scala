// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.OutputStream
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.file.DataFileReader
import org.apache.avro.generic.GenericDatumReader
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQuery
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.Thrown
import stoplog.format.{Encoder, SparkSessionForTests}
import stoplog.util.UserObject

/** Rows that cannot be written, as a user meets them. Every third row is one. */
class RejectedRowsSuite extends AnyFunSuite with SparkSessionForTests {

  private val AncientTimestamps = Seq(
    "id",
    "IF(id % 3 = 0, TIMESTAMP'1500-01-01 00:00:00', TIMESTAMP'2026-01-01 00:00:00') AS at"
  )

  private val NullNames = Seq("id", "IF(id % 3 = 0, NULL, 'a name') AS name")

  private val AvroOptions = Map(
    "format"     -> "avro",
    "avroSchema" ->
      """{"type":"record","name":"R","fields":[{"name":"id","type":"long"},{"name":"name","type":"string"}]}"""
  )

  for (
    (name, options, columns) <- Seq(
      ("text", Map("format" -> "text"), Seq("IF(id % 3 = 0, NULL, CAST(id AS STRING)) AS value")),
      (
        "an encoder, compressed",
        Map("format" -> instance(new HalfARow), "compression" -> "gzip"),
        Seq("id")
      ),
      ("avro", AvroOptions, NullNames),
      ("parquet", Map("format" -> "parquet"), AncientTimestamps),
      (
        "parquet in blocks that are filled at once",
        Map("format" -> "parquet", "parquet.block.size" -> "2000"),
        AncientTimestamps
      )
    )
  )
    test(s"$name: rejected rows share a single file after many micro-batches and a restart") {
      withoutAncientTimestamps {
        val query = new Query(options, columns)
        query.run(epochs = 3)
        assert(query.place.everything.forall(_.startsWith("_")), "all parts are open")
        query.run(epochs = 3, "finalizeOnTermination" -> "always")
        assert(query.place.files.size === 1)
        assert(query.goodRows === 6 * Rows * 2 / 3)
        assert(query.rejected().size === 6 * Rows / 3)
        assert(query.files("_rejected").size === 1)
        assert(query.rejectedInMetrics === 3 * Rows / 3, "of the last run")
      }
    }

  for (bucket <- Seq("'_rejected/b1'", "repeat('x', 256)"))
    test(s"a rejected row records reason, micro-batch, bucket and content: $bucket") {
      val options = Map("format" -> "json", "bucketBy" -> s"IF(id = 3, $bucket, concat('b', id % 2))")
      val query   = new Query(options, Seq("id"))
      query.run(epochs = 1, "finalizeOnTermination" -> "always")
      val row     = query.rejected().head
      assert(row.getAs[String]("reason").contains("STOPLOG_BUCKET_ID"))
      assert(row.getAs[String]("bucket") === null)
      assert(row.getAs[Long]("batch") === 0)
      assert(row.getAs[Row]("row").getAs[Long]("id") === 3)
      assert(query.rejected().size === 1 && query.goodRows === Rows - 1)
    }

  test("rejected rows keep their bucket") {
    val query = new Query(AvroOptions + ("bucketBy" -> "concat('b', id % 2)"), NullNames)
    query.run(epochs = 1, "finalizeOnTermination" -> "always")
    assert(query.files("_rejected/b0").size === 1 && query.files("_rejected/b1").size === 1)
    assert(query.rejected().map(_.getAs[String]("bucket")).toSet === Set("b0", "b1"))
    assert(query.place.directories === Set("b0", "b1"))
  }

  for (format <- Seq("parquet", "avro"))
    test(s"a batch job also rejects bad rows ($format)") {
      withoutAncientTimestamps {
        val place   = new TestDirectory
        val columns = if (format == "avro") NullNames else AncientTimestamps
        spark
          .range(0, Rows, 1, 1)
          .selectExpr(columns: _*)
          .write
          .format("stoplog")
          .options(AvroOptions.filter(_ => format == "avro") + ("format" -> format))
          .options(Map("onBadRow" -> "reject", "bucketAssigner" -> "basePath"))
          .mode("append")
          .save(place.out)
        assert(count(place, format) === Rows * 2 / 3)
        assert(spark.read.json(place.out + "/_rejected").count() === Rows / 3)
      }
    }

  test("by default, the query fails with bucket, reason and remedy") {
    val query  = new Query(Map("format" -> instance(new HalfARow), "bucketBy" -> "'b'"), Seq("id"))
    val failed = intercept[Exception](query.run(epochs = 1, "onBadRow" -> "fail"))
    val said   = Thrown.text(failed)
    assert(
      said.contains("STOPLOG_BAD_ROW") && said.contains("bucket 'b'") && said.contains("0 is half a row")
    )
    assert(said.contains("set onBadRow to reject"))
    assert(query.place.files.isEmpty)
  }

  private final val Rows = 30

  private def instance(encoder: Encoder): String = UserObject.reference(encoder, "encoder")

  private def withoutAncientTimestamps(body: => Unit): Unit = {
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "EXCEPTION")
    spark.conf.set("spark.sql.parquet.int96RebaseModeInWrite", "EXCEPTION")
    try body
    finally
      Seq("datetime", "int96").foreach(kind =>
        spark.conf.unset(s"spark.sql.parquet.${kind}RebaseModeInWrite")
      )
  }

  private def count(place: TestDirectory, format: String): Long = format match {
    case "avro" =>
      place.files
        .map(_.toFile)
        .map(file =>
          Using.resource(new DataFileReader(file, new GenericDatumReader[AnyRef]))(_.iterator.asScala.size)
        )
        .sum
        .toLong
    case _ => spark.read.format(format).option("recursiveFileLookup", "true").load(place.out).count()
  }

  /** One query that is started again and again. */
  private final class Query(
      options: Map[String, String],
      columns: Seq[String]
  ) {
    val place             = new TestDirectory
    var rejectedInMetrics = 0L

    private val input = MemoryStream[Long](spark.implicits.newLongEncoder, spark)
    private var next  = 0L

    def run(epochs: Int, more: (String, String)*): Unit = {
      val query = start(more.toMap)
      try
        for (_ <- 1 to epochs) {
          input.addData(next until next + Rows)
          next += Rows
          query.processAllAvailable()
          rejectedInMetrics = query.lastProgress.sink.metrics.get("rejectedRows").toLong
        }
      finally {
        query.stop()
        assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 300000))
      }
    }

    def goodRows: Long =
      count(place, options.get("format").filterNot(_.startsWith("instance:")).getOrElse("text"))

    def rejected(directory: String = "_rejected"): Seq[Row] =
      spark.read.option("recursiveFileLookup", "true").json(s"${place.out}/$directory").collect().toSeq

    def files(directory: String): Seq[Path] =
      Using.resource(Files.walk(Path.of(place.out, directory)))(
        _.iterator.asScala.filter(Files.isRegularFile(_)).toSeq
      )

    private def start(more: Map[String, String]): StreamingQuery =
      input
        .toDF()
        .selectExpr("value AS id")
        .selectExpr(columns: _*)
        .coalesce(1)
        .writeStream
        .format("stoplog")
        .options(Map("finalizeOnTermination" -> "never", "onBadRow" -> "reject"))
        .options(if (options.contains("bucketBy")) options else options + ("bucketAssigner" -> "basePath"))
        .options(more)
        .option("checkpointLocation", place.checkpoint)
        .start(place.out)
  }
}

/** Fails at every third row, in the middle of it. */
final class HalfARow extends Encoder {
  override def suffix: String = ".txt"

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    out.write("row ".getBytes)
    if (row.getLong(0) % 3 == 0) throw new IllegalStateException(s"${row.getLong(0)} is half a row")
    out.write(s"${row.getLong(0)}\n".getBytes)
  }
}
