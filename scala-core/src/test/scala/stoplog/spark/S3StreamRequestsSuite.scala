// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files
import java.util.UUID

import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.FileSink
import stoplog.announce.RecordingTargets
import stoplog.format.SparkSessionForTests
import stoplog.servers.S3Call.{DeleteObject, DeleteObjects, ListObjectsV2, PutObject}
import stoplog.servers.{FaultProxy, S3Call, S3Request, S3Server}

/** What a stream of two tasks, each with a part that stays open, asks S3 for. */
class S3StreamRequestsSuite extends AnyFunSuite with SparkSessionForTests {
  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
  private val bucket     = "stoplog-stream-requests"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    S3Victim.configure(spark, S3Server.sharedS3Mock.endpoint)
    spark.sparkContext.hadoopConfiguration.set(s"fs.s3a.bucket.$bucket.endpoint", proxy.endpoint)
  }

  override protected def afterAll(): Unit =
    try proxy.close()
    finally super.afterAll()

  for (format <- Seq("text", "parquet"))
    test(
      s"an epoch of $format costs a PUT, a listing, and a PUT per overflowing part",
      LongRun.unless(format == "text"): _*
    ) {
      val rows = MemoryStream[String](2)(spark.implicits.newStringEncoder, spark.sqlContext)
      proxy.inject()
      val query = rows
        .toDF()
        .writeStream
        .format("stoplog")
        .option("format", format)
        .option("bucketAssigner", "basePath")
        .option("rolloverInterval", "1d")
        .option("inactivityInterval", "1d")
        .option("checkpointLocation", Files.createTempDirectory("stoplog-s3-requests").toString)
        .option("finalizeOnTermination", "always")
        .start(s"s3a://$bucket/${UUID.randomUUID()}")
      def epoch(): Map[S3Call, Int] = {
        rows.addData(Seq.fill(RowsPerEpoch)(random.alphanumeric.take(100).mkString))
        query.processAllAvailable()
        asked()
      }
      try {
        assert(epoch().values.sum === ForAStart + PerEpoch.values.sum)
        val costs = (2 to Epochs).map { _ =>
          proxy.inject()
          epoch()
        }
        assert(costs.toSet === Set(PerEpoch, WithoutRoom))
        assert(costs.count(_ == WithoutRoom) === Epochs / 3)
        proxy.inject()
      } finally {
        query.stop()
        assert(FileSink.awaitEnd(query.runId.toString, 120000))
      }
      assert((asked() - ListObjectsV2).values.sum === ForAnEnd) // a slow machine looks at the log once more
    }

  test(
    "announcements cost no request while the targets keep up, but their cursors now and then",
    LongRun.Only
  ) {
    val costs = Seq(0, 3).map { targets =>
      val path    = s"s3a://$bucket/${UUID.randomUUID()}"
      val numbers = 1 to targets
      val rows    = MemoryStream[String](2)(spark.implicits.newStringEncoder, spark.sqlContext)
      val query   = rows
        .toDF()
        .writeStream
        .format("stoplog")
        .option("format", "text")
        .option("bucketAssigner", "basePath")
        .option("rollingPolicy", "onCheckpoint")
        .options(numbers.map(n => s"announce.t$n" -> "recording").toMap)
        .options(numbers.map(n => s"announce.t$n.to" -> s"$path $n").toMap)
        .option("checkpointLocation", Files.createTempDirectory("stoplog-s3-requests").toString)
        .start(path)
      def epoch(): Unit = {
        rows.addData("a", "b")
        query.processAllAvailable()
      }
      try {
        (1 to 3).foreach(_ => epoch())
        proxy.inject()
        val begin = System.nanoTime()
        (1 to AnnouncedEpochs).foreach(_ => epoch())
        val most    = targets * ((System.nanoTime() - begin) / CursorNanos + 1)
        val cursors = proxy.requests.count(isOfCursor)
        // Each cursor is a file that is written, a listing of older ones, and their deletion.
        assert(cursors <= 3 * most, s"$cursors requests for $most cursors")
        asked()
      } finally {
        query.stop()
        assert(FileSink.awaitEnd(query.runId.toString, 120000))
        numbers.foreach { n =>
          val received = RecordingTargets.at(s"$path $n").received
          assert(received.map(_.id.sequence).distinct.size >= AnnouncedEpochs, "each epoch is announced")
        }
      }
    }
    assert(costs.map(_ - ListObjectsV2).distinct.size === 1, costs)
    assert(costs.head.values.sum > AnnouncedEpochs)
    // A slow machine looks at the log now and then. Targets with listings would double the number.
    for (cost <- costs) assert(cost.getOrElse(ListObjectsV2, 0) < AnnouncedEpochs * 3 / 2, costs)
  }

  /** Returns the requests except for heartbeats, cursors of announcements, and deletions. A driver without a
    * record writes a heartbeat each minute, and old files are deleted at intervals.
    */
  private def asked(): Map[S3Call, Int] = proxy.requests
    .filterNot(request => request.target.contains("/alive/") || Deletions(request.call))
    .filterNot(isOfCursor)
    .groupMapReduce(_.call)(_ => 1)(_ + _)

  private def isOfCursor(request: S3Request): Boolean = request.target.contains("announced")

  private val random = new scala.util.Random(1)

  /** Of a hundred bytes, half of them in each of two parts: the record has room for those of two epochs. */
  private val RowsPerEpoch = 4000

  private val Epochs = 6

  /** Fewer than the records after which a cursor is written. */
  private val AnnouncedEpochs = 20

  /** The time after which a cursor is written. */
  private val CursorNanos = 10L * 1000 * 1000 * 1000

  private val Deletions = Set[S3Call](DeleteObject, DeleteObjects)

  private val PerEpoch = Map[S3Call, Int](PutObject -> 1, ListObjectsV2 -> 1)

  private val WithoutRoom = PerEpoch + (PutObject -> 3)

  /** Whether the path is one of a directory, what the server can do, and an empty log, which takes two requests to be
    * found so.
    */
  private val ForAStart = 14

  /** An upload of each part, and a record that publishes both, without the listing behind it and what is deleted. */
  private val ForAnEnd = 12
}
