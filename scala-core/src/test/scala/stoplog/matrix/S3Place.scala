// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.fault.Faults
import stoplog.log.LogFiles
import stoplog.part.RecordShare
import stoplog.servers.S3Server
import stoplog.storage.hadoop.{HadoopDefaults, HadoopFiles, HadoopSettings}
import stoplog.storage.s3._
import stoplog.storage.{FileStore, JobDirectory, PartStore, ReplacedFiles, SpoolFiles}

/** A prefix of a bucket, looked at with the SDK's own client.
  *
  * @param server   where it is
  * @param endpoint how the query reaches it: the server's own, or that of a proxy in front of it
  * @param more     settings of S3A
  */
final class S3Place(
    server: String,
    endpoint: String,
    prefix: String,
    override val content: Content,
    more: Map[String, String]
) extends Place
    with Serializable {
  @transient private lazy val raw    = new RawS3(S3Bucket(server, S3Server.Bucket), prefix)
  @transient private lazy val hadoop = new HadoopFiles(root, new HadoopSettings(configuration))

  override def root: String = s"s3a://${S3Server.Bucket}/$prefix"

  /** Of a client of the server. */
  def configuration: Configuration = {
    val configuration = HadoopDefaults.configuration()
    configuration.setBoolean("fs.s3a.impl.disable.cache", true) // or settings of others would hold here
    (S3Server.settings(endpoint) ++ more).foreach { case (key, value) => configuration.set(key, value) }
    configuration
  }

  /** As on S3, and so little that some epochs find room and others do not: a row has some 30 bytes. */
  override def inRecord: RecordShare = RecordShare(ofAllParts = 600, ofOnePart = 70)

  override def parts(sinkId: String, faults: Faults): PartStore =
    new S3PartStore(
      hadoop,
      sinkId,
      S3Settings(partBytes = S3Settings.MinPartBytes, largePartBytes = S3Settings.MinPartBytes),
      faults
    )

  override def replaced(sinkId: String): ReplacedFiles = new ReplacedFiles(new S3FileStore(hadoop), sinkId)

  override def spoolFiles(sinkId: String): SpoolFiles = new SpoolFiles(new S3FileStore(hadoop), sinkId)

  override def records(sinkId: String, faults: Faults): LogFiles =
    new LogFiles(new S3FileStore(hadoop), sinkId)

  override def notes(sinkId: String): FileStore = new S3FileStore(hadoop)

  override def job(name: String): JobDirectory = new JobDirectory(new S3FileStore(hadoop), name)

  override def files(): Vector[String] = raw.keys()

  override def read(file: String): Array[Byte] = raw.bytes(file)

  override def plant(file: String, bytes: Array[Byte]): Unit = {
    val out = hadoop.fileSystem.create(hadoop.at(file), false)
    try out.write(bytes)
    finally out.close()
  }

  override def uploads(): Vector[String] = raw.openUploads().map(name => s"the upload of $name")

  /** Nothing there is bound to a process. */
  override def processesDied(): Unit = ()

  override def remove(): Unit = {
    hadoop.fileSystem.delete(new Path(root), true)
    hadoop.fileSystem.close()
    raw.close()
  }
}

object S3Place {

  /** The faster server; in a long run the one that keeps to S3 in all: S3Mock takes an object away when another upload of
    * its key is aborted, as one is that a dead attempt has left.
    */
  def create(content: Content): S3Place =
    if (Cells.inLongRun) at(S3Server.sharedS3Proxy, content)
    else through(S3Server.sharedS3Mock, S3Server.sharedS3Mock.endpoint, content, Unsigned)

  /** S3Mock looks at no signature, and who signs what goes over plain HTTP hashes every byte of it: a third of what the
    * matrix costs. `S3FaultMatrixSuite` and the suites of the stores sign.
    */
  private val Unsigned =
    Map("fs.s3a.aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider")

  def at(server: S3Server, content: Content): S3Place = through(server, server.endpoint, content)

  def through(
      server: S3Server,
      endpoint: String,
      content: Content,
      more: Map[String, String] = Map.empty
  ): S3Place = new S3Place(server.endpoint, endpoint, s"matrix-${UUID.randomUUID()}", content, more)
}
