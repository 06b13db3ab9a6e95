// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.nio.file.{Files, Path}

/** An S3 server, which tests may kill and start again over the same data, under the same address. */
trait S3Server {

  /** `http://<host>:<port>` */
  def endpoint: String

  /** As `kill -9`: what is under way is cut off. */
  def kill(): Unit

  /** Kills it if it still runs. Returns when it answers again. */
  def restart(): Unit

  /** How S3A reaches it, with few and quick retries. */
  final def settings: Map[String, String] = S3Server.settings(endpoint)
}

object S3Server {

  /** Every server has it from its start. */
  val Bucket = "stoplog"

  /** For S3A with any of these servers, or a proxy in front of one, at the endpoint. */
  def settings(endpoint: String): Map[String, String] = Map(
    "fs.s3a.endpoint"                 -> endpoint,
    "fs.s3a.endpoint.region"          -> "us-east-1",
    "fs.s3a.path.style.access"        -> "true",
    "fs.s3a.connection.ssl.enabled"   -> "false",
    "fs.s3a.aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
    "fs.s3a.access.key"               -> Bucket,
    "fs.s3a.secret.key"               -> Bucket,
    "fs.s3a.attempts.maximum"         -> "1",
    "fs.s3a.retry.limit"              -> "5",
    "fs.s3a.retry.interval"           -> "50ms",
    "fs.s3a.retry.throttle.limit"     -> "5",
    "fs.s3a.retry.throttle.interval"  -> "50ms"
  )

  /** A new one that is strict about ETags, the order and sizes of parts, and conditional writes; takes any credentials. */
  def startS3Mock(): S3Server = start("s3mock", "stoplog.servers.S3Mock")

  /** A new one that is quick to start and verifies signatures. */
  def startS3Proxy(): S3Server = start("s3proxy", "stoplog.servers.S3Proxy")

  /** One for all suites of this JVM that do not kill it. */
  lazy val sharedS3Mock: S3Server = startS3Mock()

  /** As `sharedS3Mock`. */
  lazy val sharedS3Proxy: S3Server = startS3Proxy()

  private def start(name: String, mainClass: String): S3Server =
    new Started(name, mainClass, Files.createTempDirectory(s"stoplog-$name"))

  private final class Started(name: String, mainClass: String, directory: Path) extends S3Server {
    @volatile private var process = launch()

    override def endpoint: String = process.address

    override def kill(): Unit = process.kill()

    override def restart(): Unit = {
      kill()
      process = launch()
    }

    private def launch(): ServerProcess = ServerProcess.start(name, mainClass, directory)
  }
}
