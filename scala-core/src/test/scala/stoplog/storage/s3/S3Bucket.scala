// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import org.apache.hadoop.conf.Configuration

import stoplog.servers.S3Server
import stoplog.storage.hadoop.HadoopDefaults

/** A bucket of a server, as a client with these settings sees it. Hadoop keeps one client for a bucket, whatever its
  * settings: so each kind of client has a bucket of its own.
  *
  * @param endpoint as text, so that other processes find the same server
  * @param hadoop   settings besides those that every test needs
  */
final case class S3Bucket(endpoint: String, name: String, hadoop: Map[String, String] = Map.empty) {
  def conf: Configuration = {
    val conf = HadoopDefaults.configuration()
    (S3Bucket.common ++ hadoop).foreach { case (key, value) => conf.set(key, value) }
    conf.set("fs.s3a.endpoint", endpoint)
    conf
  }
}

object S3Bucket {

  def plain: S3Bucket = S3Bucket(S3Server.sharedS3Mock.endpoint, S3Server.Bucket)

  /** The same on a server of another make. */
  def ofOtherMake: S3Bucket = S3Bucket(S3Server.sharedS3Proxy.endpoint, "stoplog-other-make")

  /** How often S3A tries again. */
  val Retries = 2

  private val common = Map(
    "fs.s3a.endpoint.region"          -> "us-east-1",
    "fs.s3a.path.style.access"        -> "true",
    "fs.s3a.connection.ssl.enabled"   -> "false",
    "fs.s3a.aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
    "fs.s3a.access.key"               -> S3Server.Bucket,
    "fs.s3a.secret.key"               -> S3Server.Bucket,
    "fs.s3a.attempts.maximum"         -> "2",
    "fs.s3a.retry.limit"              -> Retries.toString,
    "fs.s3a.retry.interval"           -> "10ms",
    "fs.s3a.retry.throttle.interval"  -> "10ms"
  )
}
