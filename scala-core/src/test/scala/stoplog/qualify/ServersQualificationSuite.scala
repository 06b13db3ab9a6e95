// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.servers.{FaultProxy, S3Server}
import stoplog.storage.hdfs.{HdfsUnderTest, MiniHdfs}
import stoplog.storage.s3.S3Bucket
import stoplog.thread.Clock

/** The verdicts on the servers of the tests, as docs/storage/qualify.md prints them. */
class ServersQualificationSuite extends AnyFunSuite {

  test("HDFS is safe", LongRun.Only) {
    val path    = new Path(s"${MiniHdfs.uri}/qualify-${UUID.randomUUID()}")
    val verdict = {
      path.getFileSystem(HdfsUnderTest.configuration()).mkdirs(path)
      qualified(path.toString, HdfsUnderTest.configuration())
    }
    assert(verdict.safety === Safety.Safe, verdict.tried)
    assert(verdict.left === None)
  }

  if (LongRun.isOn) test("S3Mock is safe behind a proxy that passes the writes of an object one at a time") {
    val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
    try {
      val verdict = onBucket(S3Bucket(proxy.endpoint, "stoplog-qualify"))
      assert(verdict.safety === Safety.Safe, verdict.tried)
      assert(verdict.left === None)
      assert(verdict.notes.exists(_.contains("lifecycle")))
    } finally proxy.close()
  }

  if (LongRun.isOn) test("S3Proxy is safe") {
    val verdict = onBucket(S3Bucket.ofOtherMake)
    assert(verdict.safety === Safety.Safe, verdict.tried)
    assert(verdict.left === None)
  }

  if (LongRun.isOn) test("a purge of uploads is a setting of the verdict") {
    val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
    try {
      val purge   = Map("fs.s3a.multipart.purge" -> "true", "fs.s3a.multipart.purge.age" -> "2000000000")
      val verdict = onBucket(S3Bucket(proxy.endpoint, "stoplog-qualify-faulty", purge))
      verdict.safety match {
        case Safety.SafeWith(settings) => assert(settings.exists(_.contains("fs.s3a.multipart.purge=false")))
        case other                     => fail(s"$other: ${verdict.tried}")
      }
    } finally proxy.close()
  }

  private def onBucket(bucket: S3Bucket): StoreVerdict =
    qualified(s"s3a://${bucket.name}/qualify-${UUID.randomUUID()}", bucket.conf)

  private def qualified(url: String, configuration: Configuration): StoreVerdict =
    new StoreQualification(Clock.system, limitMillis, patienceMillis = 60000)
      .of(url, configuration, (_, _) => ())

  /** A few races for each promise in the ordinary run. */
  private def limitMillis: Long = if (LongRun.isOn) StoreQualification.LimitMillis else 1000
}
