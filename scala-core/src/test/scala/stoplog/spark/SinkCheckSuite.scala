// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.format.SparkSessionForTests
import stoplog.preflight.Preflight
import stoplog.servers.S3Server
import stoplog.storage.hadoop.TestFileSystems
import stoplog.storage.hdfs.HdfsUnderTest
import stoplog.storage.s3.{S3Settings, S3UnderTest}

/** A preflight tries each kind of storage by what the first epoch would try, and leaves nothing there. */
class SinkCheckSuite extends AnyFunSuite with SparkSessionForTests {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val configuration = spark.sparkContext.hadoopConfiguration
    TestFileSystems.register(configuration)
    S3Victim.configure(spark, S3Server.sharedS3Mock.endpoint)
  }

  private def rows: DataFrame = spark.range(3).selectExpr("id")

  private def check(path: String): Preflight = FileSink.forRowFormat(path, "json").build().check(rows)

  private def levels(found: Preflight): Map[String, String] =
    found.findings.map(each => each.name -> each.level).toMap

  private def left(root: String): Seq[String] = {
    val own   = new Path(root, "_stoplog")
    val files = own.getFileSystem(spark.sparkContext.hadoopConfiguration)
    if (files.exists(own)) files.listStatus(own).toSeq.map(_.getPath.getName) else Nil
  }

  test("HDFS: a check reports its attempts and deletes its files") {
    val storage = HdfsUnderTest.create()
    try {
      val found = check(storage.root)
      assert(found.isReady && found.warnings.isEmpty, found)
      assert(found.findings.exists(each => each.name == "storage" && each.what.contains("cut")))
      assert(left(storage.root).isEmpty)
    } finally storage.close()
  }

  test("S3: a check warns about unknown lifecycle rules and leaves no uploads") {
    val storage = S3UnderTest.create(S3Settings())
    val server  = storage.raw()
    try {
      val found = check(storage.root)
      assert(found.isReady && found.warnings.map(_.name) === Vector("lifecycle"), found)
      assert(found.findings.exists(each => each.name == "versions" && each.what.contains("hadoop-aws")))
      assert(server.openUploads().isEmpty && server.keys().isEmpty)
    } finally {
      server.close()
      storage.close()
    }
  }

  for ((scheme, level) <- Seq("cutting" -> "ok", "appendonly" -> "ok", "createonly" -> "warning"))
    test(s"a file system that is $scheme: $level, and no files remain") {
      val root  = TestFileSystems.directory(scheme)
      val found = check(root)
      assert(found.isReady && levels(found)("storage") === level, found)
      assert(left(root).isEmpty)
    }

  test("a file system without exclusive creation is a problem and ends the check") {
    val found = check(TestFileSystems.directory("lastwins"))
    assert(found.problems.map(_.name) === Vector("storage"), found)
    assert(
      found.problems.head.what.contains("STOPLOG_STORE_NOT_EXCLUSIVE") && !levels(found).contains("sinkId")
    )
  }

  test("an unknown storage is reported together with all other problems") {
    val sink  = FileSink.forRowFormat("nosuch://there/out", "text").withBucketBy("nobody").build()
    val found = sink.check(rows.selectExpr("id", "id AS again"))
    assert(found.problems.map(_.name) === Vector("format", "buckets", "path"), found)
    assert(found.names.isEmpty)
  }
}
