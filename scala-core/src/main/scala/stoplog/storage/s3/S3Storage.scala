// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.IOException
import java.net.URI
import java.util.UUID

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.part.RecordShare
import stoplog.storage._
import stoplog.storage.hadoop.HadoopFiles

/** S3, or another store with multipart uploads and conditional writes. Unfinished parts are uploads. A layout
  * does not apply to the names of uploads. Uploaded bytes are durable as soon as the store has acknowledged
  * them.
  */
private[stoplog] final class S3Storage(path: String, files: HadoopFiles, faults: Faults) extends Storage {

  override def files(sinkId: String): FileStore = new S3FileStore(files, RecentWrites.OfProcess)

  override def parts(sinkId: String, layout: PartLayout): PartStore =
    new S3PartStore(files, sinkId, S3Settings(recent = RecentWrites.OfProcess), faults)

  override def uri(relative: String): URI = files.at(relative).toUri

  /** A part grows within an upload, and its tail is copied. */
  override def growth(sinkId: String): Growth = Growth.AppendAndTruncate

  override def probe(sinkId: String, layout: PartLayout): String = {
    tryObjects(sinkId)
    "S3: an object was written, not written over another object, and deleted; an upload was started and " +
      "aborted."
  }

  /** Checks only whether the path is an object. The user may have no rights above the path. */
  override def refuseUnfit(): Unit =
    try
      if (new S3Objects(files).exists(""))
        throw Errors.pathNotWritable(path, s"${files.root} is not a directory")
    catch { case e: IOException => throw Errors.pathNotWritable(path, HadoopFiles.reason(e)) }

  override def finishesAnywhere: Boolean = false

  /** The objects that accompany an upload have longer names than the part. */
  override def pathProblem(path: String): Option[String] =
    S3Storage.keyProblem(files, path + S3Storage.LongerBy)

  private[stoplog] override def inRecord: RecordShare = S3Storage.InRecord

  /** Tries all calls of the sink, so that the start fails instead of the first epoch. */
  private def tryObjects(sinkId: String): Unit = {
    val objects = new S3Objects(files)
    val uploads = new S3Uploads(objects)
    val path    = s"${SinkDirectory(sinkId).open}/.probe.${UUID.randomUUID()}"
    try {
      objects.put(path, S3Storage.Content)
      try {
        if (isNew(sinkId) && objects.putIfAbsent(path, S3Storage.Content))
          refuse(
            "its server does not support conditional writes (If-None-Match), which the commit log needs"
          )
        uploads.abort(s"$path.2", uploads.start(s"$path.2"))
      } finally objects.delete(Seq(path))
    } catch { case e: IOException => refuse(HadoopFiles.reason(e)) }
  }

  /** A sink with a log has passed the trial before. Each rejected write adds messages to S3A's log, so the
    * trial does not run at every start. Lists the directory of the sink, which contains the trial object: for
    * an empty directory, Hadoop makes three requests.
    */
  private def isNew(sinkId: String): Boolean = {
    val directory = SinkDirectory(sinkId)
    !new S3FileStore(files).names(directory.path).exists(name => s"${directory.path}/$name" == directory.log)
  }

  private def refuse(why: String): Nothing = throw Errors.pathNotWritable(files.root, why)
}

private object S3Storage {

  /** Returns why S3 accepts no object at this path. */
  def keyProblem(files: HadoopFiles, path: String): Option[String] =
    Storage.tooLong(files.at(path).toUri.getPath.stripPrefix("/"), MostKeyBytes, "S3")

  private val Content = Array[Byte]('?')

  private final val MostKeyBytes = 1024

  private val LongerBy = S3Token.PieceInfix + PartLayout.unique()

  /** Limits the size of a record, because a hundred records are kept. For one part, the limit is a size that
    * a task can send to the driver.
    */
  private val InRecord = RecordShare(ofAllParts = 1 << 20, ofOnePart = 512 << 10, atLeast = 2 << 10)
}

/** The sizes of the pieces into which parts are split for S3.
  *
  * @param partBytes         the size of every part of an upload except the last: at least 5 MiB, as required
  *                          by S3. One object has at most 10,000 parts
  * @param largePartBytes    the part size of an upload whose first epoch fills such a part: fewer requests
  *                          for large epochs
  * @param tailInRecordBytes the maximum size of a tail that is always in the record, regardless of the number
  *                          of open parts. A longer tail is in an object, and its last bytes may be in the
  *                          record
  * @param uploadThreads     the maximum number of concurrent part uploads of one process; a writer with more
  *                          parts waits
  * @param recent            the tails that this process has written, and need not read
  */
private[stoplog] final case class S3Settings(
    partBytes: Int = 8 << 20,
    largePartBytes: Int = 16 << 20,
    tailInRecordBytes: Int = 2 << 10,
    uploadThreads: Int = 4,
    recent: RecentWrites = RecentWrites.None
) {
  require(partBytes >= S3Settings.MinPartBytes, s"partBytes must be at least ${S3Settings.MinPartBytes}")
  require(largePartBytes >= partBytes, "largePartBytes must not be less than partBytes")
  require(tailInRecordBytes >= 0, "tailInRecordBytes must not be negative")
  require(uploadThreads > 0, "uploadThreads must be positive")
}

private[stoplog] object S3Settings {

  /** The minimum size that S3 requires of every part of an upload except the last. */
  val MinPartBytes: Int = 5 << 20
}
