// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.{col, lit, timestamp_seconds}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.bucket.{BucketListener, CompleteBucket}
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests
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

  private def sink(out: Path, listener: BucketListener): FileSink = FileSink
    .forRowFormat(out.toString, "json")
    .withOption("bucketColumn", "at")
    .withOption("bucketFormat", "'hour='yyyy-MM-dd--HH")
    .withBucketComplete("watermark")
    .withBucketListener(listener)
    .withManifest("json")
    .build()

  test("a listener receives each complete bucket on the driver, with the active session") {
    inDirectory { directory =>
      RecordingListener.buckets = Vector.empty
      sink(directory, new RecordingListener).write(rows(0).union(rows(1))).save()
      assert(
        RecordingListener.buckets.map(_.bucket).sorted === Vector(
          "hour=2026-01-01--00",
          "hour=2026-01-01--01"
        )
      )
      assert(
        RecordingListener.buckets.forall(bucket =>
          bucket.rows == 10 && bucket.files == 1 && bucket.version == 1
        )
      )
      assert(
        RecordingListener.buckets.forall(bucket => Files.exists(Path.of(bucket.location, bucket.marker)))
      )
      assert(RecordingListener.sessions === Set(spark))
      assert(spark.read.json(directory.toString).count() === 20)
    }
  }

  test("a listener that throws fails the write by name, after the marker exists") {
    inDirectory { directory =>
      val failure = intercept[Exception](sink(directory, new Refusing).write(rows(0)).save())
      assert(Thrown.conditions(failure) === Seq("STOPLOG_BATCH_DECIDED", "STOPLOG_BUCKET_LISTENER"))
      assert(Files.exists(directory.resolve("hour=2026-01-01--00/_SUCCESS")))
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
  val expected: Map[String, (String, String)] = Map(
    "at"    -> ("2026-01-01T00:00:00Z" -> "2026-01-01T00:00:09Z"),
    "local" -> ("2026-01-01T00:00:00"  -> "2026-01-01T00:00:09"),
    "day"   -> ("2026-01-01"           -> "2026-01-01")
  )
}

final class RecordingListener extends BucketListener {
  override def onComplete(bucket: CompleteBucket): Unit = RecordingListener.synchronized {
    RecordingListener.buckets :+= bucket
    RecordingListener.sessions += SparkSession.active
  }
}

object RecordingListener {
  @volatile var buckets: Vector[CompleteBucket] = Vector.empty
  @volatile var sessions: Set[SparkSession]     = Set.empty
}

final class Refusing extends BucketListener {
  override def onComplete(bucket: CompleteBucket): Unit = throw new IllegalStateException(
    "the catalog is away"
  )
}
