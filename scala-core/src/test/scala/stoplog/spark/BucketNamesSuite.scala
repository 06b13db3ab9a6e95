// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests
import stoplog.servers.S3Server
import stoplog.storage.hdfs.HdfsUnderTest
import stoplog.storage.s3.{S3Settings, S3UnderTest}

/** Buckets that are directories below the path, and that a storage cannot have nevertheless. */
class BucketNamesSuite extends AnyFunSuite with SparkSessionForTests {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    S3Victim.configure(spark, S3Server.sharedS3Mock.endpoint)
  }

  private def onHdfs(use: String => Unit): Unit = {
    val storage = HdfsUnderTest.create()
    try use(storage.root)
    finally storage.close()
  }

  private def onS3(use: String => Unit): Unit = {
    val storage = S3UnderTest.create(S3Settings())
    try use(storage.root)
    finally storage.close()
  }

  private def locally(use: String => Unit): Unit = use(Files.createTempDirectory("bucket-names").toString)

  private def save(path: String, options: (String, String)*): Unit =
    spark
      .range(0, 6, 1, 1)
      .write
      .format("stoplog")
      .options(Map("format" -> "json") ++ options)
      .mode("append")
      .save(path)

  for (
    (where, on, bucket) <- Seq[(String, (String => Unit) => Unit, String)](
      ("HDFS", onHdfs, "'12:30'"),
      ("S3", onS3, "concat_ws('/', array_repeat(repeat('ä', 120), 4))"),
      ("local disks", locally, "concat_ws('/', array_repeat(repeat('ä', 120), 17))")
    )
  )
    test(s"$where: a row with a bucket name that the storage rejects is a bad row") {
      on { path =>
        val buckets = "bucketBy" -> s"IF(id = 3, $bucket, 'good')"
        val failure = intercept[Exception](save(s"$path/failed", buckets))
        assert(Thrown.text(failure).contains("STOPLOG_BUCKET_ID"))
        save(s"$path/rejected", buckets, "onBadRow" -> "reject")
        assert(spark.read.json(s"$path/rejected/good").count() === 5)
        val rejected = spark.read.json(s"$path/rejected/_rejected").collect()
        assert(rejected.map(_.getAs[String]("reason")).forall(_.contains("STOPLOG_BUCKET_ID")))
        assert(rejected.length === 1)
      }
    }

  test("HDFS: a bucketFormat with names invalid on HDFS fails the start and the check") {
    onHdfs { path =>
      val error = intercept[SparkThrowable](save(path, "bucketFormat" -> "yyyy-MM-dd/HH:mm"))
      assert(error.getCondition === "STOPLOG_INVALID_OPTIONS")
      val sink  = FileSink.forRowFormat(path, "json").withOption("bucketFormat", "yyyy-MM-dd/HH:mm").build()
      val found = sink.check(spark.range(1).toDF())
      assert(found.problems.map(_.name) === Seq("buckets"), found)
      assert(found.problems.head.what.contains("STOPLOG_INVALID_OPTIONS"))
    }
  }

  test("HDFS: a check reports bucket names of the first rows that HDFS rejects") {
    onHdfs { path =>
      val sink  = FileSink.forRowFormat(path, "json").withOption("bucketBy", "concat(id, ':30')").build()
      val found = sink.check(spark.range(3).toDF())
      assert(found.problems.map(_.name) === Seq("buckets"), found)
    }
  }
}
