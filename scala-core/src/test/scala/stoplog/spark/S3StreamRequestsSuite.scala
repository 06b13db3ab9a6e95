// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files
import java.util.UUID

import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.format.SparkSessionForTests
import stoplog.servers.S3Call.{DeleteObject, DeleteObjects, ListObjectsV2, PutObject}
import stoplog.servers.{FaultProxy, S3Call, S3Server}

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
    test(s"an epoch of $format costs a PUT, a listing, and a PUT per overflowing part") {
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

  /** Without signs of life, of which a driver gives one each minute without a record, and without what is deleted now and then. */
  private def asked(): Map[S3Call, Int] = proxy.requests
    .filterNot(request => request.target.contains("/alive/") || Deletions(request.call))
    .groupMapReduce(_.call)(_ => 1)(_ + _)

  private val random = new scala.util.Random(1)

  /** Of a hundred bytes, half of them in each of two parts: the record has room for those of two epochs. */
  private val RowsPerEpoch = 4000

  private val Epochs = 6

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
