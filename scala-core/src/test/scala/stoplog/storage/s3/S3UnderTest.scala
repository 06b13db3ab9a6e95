// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.ByteArrayInputStream
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.fault.Faults
import stoplog.laws.StorageUnderTest
import stoplog.part.Resume
import stoplog.storage.{FileStore, PartStore, RecentWrites}
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings}

/** A prefix of a bucket, looked at through S3A alone. */
final class S3UnderTest(
    bucket: S3Bucket,
    prefix: String,
    settings: S3Settings,
    override val sinkId: String = "main"
) extends StorageUnderTest {

  def root: String = s"s3a://${bucket.name}/$prefix"

  def conf: Configuration = bucket.conf

  def s3Store(as: S3Settings = settings): S3PartStore = new S3PartStore(hadoop, sinkId, as, Faults.none)

  private def hadoop: HadoopFiles = new HadoopFiles(root, new HadoopSettings(conf))

  private[s3] def objects: S3Objects = new S3Objects(hadoop)

  private[s3] def uploads: S3Uploads = new S3Uploads(objects)

  /** The same place as another client sees it. */
  def through(other: S3Bucket): S3UnderTest =
    new S3UnderTest(other, prefix, settings, sinkId)

  /** The server's view of the same place. */
  def raw(): RawS3 = new RawS3(bucket, prefix)

  override def partStore(): PartStore = s3Store()

  override def files(): FileStore = new S3FileStore(hadoop)

  /** The same files, for a process that keeps what it has written. */
  def recentFiles(): FileStore = new S3FileStore(hadoop, RecentWrites.OfProcess)

  override def neighbour(): StorageUnderTest = new S3UnderTest(bucket, prefix, settings, "neighbour")

  override def visible(): Set[String] =
    objects
      .list("")
      .map(_._1)
      .filterNot(_.split('/').exists(n => n.startsWith("_") || n.startsWith(".")))
      .toSet

  override def bytes(file: String): Array[Byte] =
    objects.read(file).getOrElse(throw new java.io.FileNotFoundException(file))

  override def plant(file: String, content: Array[Byte]): Unit = objects.put(file, content)

  /** The only thing a late writer can do to a part: add to its upload. */
  override def appendJunk(open: Resume, junk: Array[Byte]): Unit = {
    val token = tokenOf(open)
    token.upload.foreach(upload =>
      uploads.put(token.target, upload.handle, upload.room.from, new ByteArrayInputStream(junk), junk.length)
    )
  }

  override def cutShort(open: Resume, left: Long): Unit =
    tokenOf(open).tail.path.foreach { path =>
      objects.put(path, objects.read(path).get.take(left.toInt))
    }

  override def lose(open: Resume): Unit = {
    abortUpload(open)
    objects.delete(tokenOf(open).objects)
  }

  /** As a lifecycle rule does, which knows nothing of the objects beside. */
  private[s3] def abortUpload(open: Resume): Unit = {
    val token = tokenOf(open)
    token.upload.foreach(upload => uploads.abort(token.target, upload.handle))
  }

  override def close(): Unit = {
    val path = new Path(root)
    path.getFileSystem(conf).delete(path, true)
    ()
  }

  private[s3] def tokenOf(open: Resume): S3Token = S3TokenCodec.decode(open.token).get
}

object S3UnderTest {

  /** Every tail an object, and no part large enough for an upload before it is closed: all laws can be asked. */
  val tails: S3Settings = S3Settings(partBytes = 16 << 20, tailInRecordBytes = 0)

  /** The least that S3 takes. */
  val uploads: S3Settings = S3Settings(
    partBytes = S3Settings.MinPartBytes,
    largePartBytes = S3Settings.MinPartBytes,
    tailInRecordBytes = 0
  )

  def create(settings: S3Settings, bucket: S3Bucket = S3Bucket.plain): S3UnderTest =
    new S3UnderTest(bucket, UUID.randomUUID().toString, settings)
}
