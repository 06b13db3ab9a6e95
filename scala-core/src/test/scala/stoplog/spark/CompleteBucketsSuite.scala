// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit, timestamp_seconds}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.filesink.SinkFollowUps
import stoplog.format.SparkSessionForTests
import stoplog.options.SinkOptions
import stoplog.storage.local.LocalUnderTest

class CompleteBucketsSuite extends AnyFunSuite with SparkSessionForTests {
  private def inDirectory(body: Path => Unit): Unit = {
    val directory = Files.createTempDirectory("stoplog-complete")
    try body(directory)
    finally LocalUnderTest.remove(directory)
  }

  private def rows(hour: Int): DataFrame = {
    val start = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond + hour * 3600
    spark.range(0, 10, 1, 1).select(timestamp_seconds(col("id") + lit(start)).as("at"), col("id"))
  }

  test("a day of partitionBy ends in the time zone of the session, which names its directory") {
    val options = SinkOptions.parse(
      Map("path" -> "/out", "format" -> "json", "partitionBy" -> "day", "bucketComplete" -> "processingTime")
    )
    val columns = new StructType().add("id", "bigint").add("day", "date")
    val zones   = Seq("America/Los_Angeles" -> "2026-02-01T08:00:00Z", "Asia/Tokyo" -> "2026-01-31T15:00:00Z")
    for ((zone, end) <- zones) SQLConf.withExistingConf(CompleteBucketsSuite.in(zone)) {
      val rule = SinkFollowUps.rule(options, columns)
      assert(rule.endMillis("day=2026-01-31") === Some(Instant.parse(end).toEpochMilli), zone)
    }
  }

  test("a manifest contains times of the column for every type of column") {
    inDirectory { directory =>
      val columns = Seq("at" -> "timestamp", "local" -> "timestamp_ntz", "day" -> "date")
      for ((column, kind) <- columns) {
        val out = directory.resolve(column)
        FileSink
          .forBulkFormat(out.toString, "parquet")
          .withOption("bucketColumn", column)
          .withOption("bucketFormat", "yyyy-MM-dd")
          .withManifest("json")
          .build()
          .write(rows(0).withColumn(column, col("at").cast(kind)))
          .save()
        val manifests  = LocalUnderTest.files(out).filter(_.toString.contains("/manifests/"))
        val text       = manifests.map(Files.readString).mkString
        val (min, max) = CompleteBucketsSuite.expected(column)
        assert(text.contains(s""""timeColumn":"$column""""))
        assert(text.contains(s""""min":"$min","max":"$max""""), text)
      }
    }
  }
}

private object CompleteBucketsSuite {
  def in(zone: String): SQLConf = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.session.timeZone", zone)
    conf
  }

  val expected: Map[String, (String, String)] = Map(
    "at"    -> ("2026-01-01T00:00:00Z" -> "2026-01-01T00:00:09Z"),
    "local" -> ("2026-01-01T00:00:00"  -> "2026-01-01T00:00:09"),
    "day"   -> ("2026-01-01"           -> "2026-01-01")
  )
}
