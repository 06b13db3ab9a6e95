// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files
import java.util.UUID

import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.format.SparkSessionForTests
import stoplog.servers.S3Call.{DeleteObjects, HeadObject, ListObjectsV2, PutObject}
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
    test(
      s"an epoch of $format costs a look for each task, a PUT for each open part and for the record, and a listing"
    ) {
      val rows  = MemoryStream[String](2)(spark.implicits.newStringEncoder, spark.sqlContext)
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
        proxy.inject()
        rows.addData(Seq.fill(RowsPerEpoch)(random.alphanumeric.take(100).mkString))
        query.processAllAvailable()
        asked()
      }
      try {
        epoch() // with all that a start asks for
        for (number <- 2 to Epochs)
          assert(epoch() === Map(PutObject -> 3, ListObjectsV2 -> 1, HeadObject -> 2), s"epoch $number")
      } finally {
        query.stop()
        assert(FileSink.awaitFinished(query.runId.toString, 120000)) // with all that it still asks for
      }
    }

  /** Without signs of life, of which a driver gives one each minute without a record, and without what is deleted now and then. */
  private def asked(): Map[S3Call, Int] = proxy.requests
    .filterNot(request => request.target.contains("/alive/") || request.call == DeleteObjects)
    .groupMapReduce(_.call)(_ => 1)(_ + _)

  private val random = new scala.util.Random(1)

  private val RowsPerEpoch =
    1000 // of a hundred bytes, half of them in each of two parts: too long for a record

  private val Epochs = 4
}
