// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{EOFException, IOException}

import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._
import stoplog.storage.hadoop.HadoopFiles

/** Stores each part as a multipart upload, which is bound to its final name from the start.
  *
  * A handle contains the complete state: the upload, its parts, and the tail or the tail's location. Objects
  * in the staging directory are written once and never changed, so a writer of an ended run cannot damage the
  * data of any record. Such a writer can only add parts to an upload. No record names these parts, because
  * [[S3Token.S3Room]] assigns separate part numbers to each writer.
  */
private[stoplog] final class S3PartStore(
    files: HadoopFiles,
    sinkId: String,
    settings: S3Settings,
    faults: Faults
) extends PartStore
    with Serializable {
  @transient private lazy val objects    = new S3Objects(files)
  @transient private lazy val uploads    = new S3Uploads(objects)
  @transient private lazy val tails      = new S3Tails(objects, settings.recent)
  @transient private lazy val gaps       = objects.gaps
  @transient private lazy val publishing = new S3Publishing(objects, uploads, tails, faults)

  override def create(part: NewPart): PartOutput = output(begun(part), Array.emptyByteArray)

  /** Called by first attempts of the run that wrote the handle. */
  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val token   = cut(open, validBytes)
    val content = tailOf(token)
    output(tidied(token), content)
  }

  /** Reads the tail, and leaves the deletion of its object to the writer that resumes the new part. The
    * upload stays the same, because its bytes can be neither read nor copied. The new writer does not use the
    * upload before the publication, so the method checks that the upload exists (P-145).
    *
    * Error: `STOPLOG_PART_LOST`.
    */
  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = {
    val token = cut(open, validBytes)
    if (isGone(token)) throw Errors.uploadLost(objects.describe(token.target), token.uploadedBytes)
    if (token.upload.isDefined) output(token.inRoom(_.takenOver(gaps)), tailOf(token))
    else output(begun(part).copy(stale = token.tail.path.toVector ++ token.stale), tailOf(token))
  }

  /** No writer can change the data that the handle names, so the method only checks the data. */
  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed = {
    val token = cut(open, validBytes)
    token.tail.path.foreach { path =>
      val there = io(path)(objects.size(path)).getOrElse(0L)
      if (there < token.tail.pieceBytes)
        throw Errors.partShort(objects.describe(token.target), token.fullBytes + there, validBytes)
    }
    Closed(
      S3TokenCodec.encode(
        if (token.upload.isDefined) token.inRoom(_.takenOver(gaps))
        else
          uploading(token.copy(base = begun(part).base)) // late writers may put a marker to the old base
      )
    )
  }

  /** Publishing completes an upload, so the upload is started before the record is written. */
  override def closed(open: Resume, validBytes: Long): Publish = {
    val token = cut(open, validBytes)
    if (token.upload.isDefined) open else Closed(S3TokenCodec.encode(uploading(token)))
  }

  /** Moves the upload past the part numbers that the previous run may still use. */
  override def claimed(open: Resume): Resume =
    if (!S3TokenCodec.mayHaveUpload(open.token)) open
    else Resume(S3TokenCodec.encode(tokenOf(open.token).inRoom(_.claimed(gaps))))

  /** This store sees no writers, and need not see them: the claim has moved the uploads. A part without an
    * upload is restarted under a new name.
    */
  override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = open.map { part =>
    tokenOf(part.handle.token).upload.map(_.room) match {
      case Some(_: S3Token.S3Room.Writer) => FenceOutcome.Owned
      case _                              => FenceOutcome.Doubtful
    }
  }

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    val token = cut(part, sizeBytes)
    if (token.target != finishedPath)
      throw storeWrite(finishedPath, new IOException(s"the part was started as ${token.target}"))
    reading(token, sizeBytes)(publishing.publish(token))
  }

  override def staged(): Vector[Staged] = io(directory) {
    objects.list(directory).map { case (path, status) => Staged(path, status.getModificationTime) }
  }

  /** The marker is not sufficient evidence: a program that aborts an upload does not delete the marker. */
  override def isStaged(token: String): Boolean = io(token) {
    val part = tokenOf(token)
    part.objects.forall(objects.exists) && !isAborted(part)
  }

  override def stagedOf(token: String): Set[String] = tokenOf(token).objects.toSet

  /** The objects of [[stagedOf]] outlive the upload. */
  override def isLost(open: Resume): Boolean =
    S3TokenCodec.mayHaveUpload(open.token) && isGone(tokenOf(open.token))

  /** Accepts tokens from [[staged]] and handles of parts. Also aborts the upload of the token. */
  override def discard(token: String): Unit = io(token) {
    S3TokenCodec.decode(token) match {
      case Some(part) =>
        part.upload.foreach(upload => uploads.abort(part.target, upload.handle))
        objects.delete(part.objects ++ part.stale)
      case None =>
        if (token.endsWith(S3Token.MarkerSuffix)) abortMarked(token)
        objects.delete(Seq(token))
    }
  }

  /** Aborts the uploads, which would outlive their markers. */
  override def beforeRemoval(): Unit = {
    val markers = staged().map(_.token).filter(_.endsWith(S3Token.MarkerSuffix))
    markers.foreach(marker => io(marker)(abortMarked(marker)))
  }

  /** Holds no lock: writers are not visible to other processes, and need not be visible. */
  override def enter(run: RunId): AutoCloseable = () => ()

  override def othersGone(run: RunId): Boolean = false

  /** True if numbers may have gaps: writers then have separate names and numbers ([[S3Token.S3Room]]). */
  override def toleratesLateWriters: Boolean = gaps == S3Token.S3Room.Gaps.Allowed

  private def directory: String = SinkDirectory(sinkId).open

  private def begun(part: NewPart): S3Token = {
    val below = if (part.bucket.isEmpty) "" else s"${part.bucket}/"
    S3Token(
      base = s"$directory/$below.${part.name}.${part.run.uid}-${PartLayout.unique()}",
      target = s"$below${part.name}",
      upload = None,
      waiting = Vector.empty,
      tail = S3Token.Tail.empty,
      stale = Vector.empty
    )
  }

  /** Starts an upload without parts. Skipped for a part without bytes, which is never published. */
  private def uploading(token: S3Token): S3Token =
    if (token.sizeBytes == 0) token
    else
      io(token.target) {
        val handle = uploads.start(token.target)
        val begun  =
          token.copy(upload = Some(S3Token.Upload(handle, Vector.empty, S3Token.S3Room.Publisher(1))))
        try uploads.mark(begun)
        catch { case NonFatal(e) => abandon(token.target, handle, e) }
        begun
      }

  /** Aborts the upload, which no other process can find. */
  private def abandon(target: String, upload: S3Token.Handle, failure: Throwable): Nothing = {
    try uploads.abort(target, upload)
    catch { case NonFatal(e) => failure.addSuppressed(e) } // a lifecycle rule aborts it later
    throw failure
  }

  private def isGone(token: S3Token): Boolean = token.upload.exists(uploads.isGone(token.target, _))

  /** Also returns false if the state is unknown: all bytes of the part are in the upload. */
  private def isAborted(token: S3Token): Boolean =
    token.upload.exists(upload =>
      token.sizeBytes > token.uploadedBytes && !uploads.isThere(token.target, upload)
    )

  private def output(token: S3Token, content: Array[Byte]): S3Output =
    new S3Output(objects, uploads, tails, settings, token, content)

  private def cut(part: Publish, bytes: Long): S3Token = {
    val token = tokenOf(part.token)
    if (token.sizeBytes < bytes)
      throw Errors.partShort(objects.describe(token.target), token.sizeBytes, bytes)
    token.cutTo(bytes).getOrElse(throw unreadable(token, bytes))
  }

  private def tokenOf(text: String): S3Token =
    S3TokenCodec.decode(text).getOrElse(throw storeWrite(text, new IOException("this is not a part on S3")))

  private def tailOf(token: S3Token): Array[Byte] = reading(token, token.sizeBytes) {
    tails
      .readAndKeep(token.tail)
      .getOrElse(throw Errors.partShort(objects.describe(token.target), token.fullBytes, token.sizeBytes))
  }

  /** Deletes old tails, several in one request. Other tails use storage until recovery finds them. */
  private def tidied(token: S3Token): S3Token =
    if (token.stale.sizeIs < S3PartStore.StaleTogether) token
    else {
      try objects.delete(token.stale)
      catch { case NonFatal(_) => () }
      token.copy(stale = Vector.empty)
    }

  private def abortMarked(path: String): Unit = for {
    content <- objects.read(path)
    marked  <- S3TokenCodec.decode(new String(content, "UTF-8"))
    upload  <- marked.upload
  } uploads.abort(marked.target, upload.handle)

  private def unreadable(token: S3Token, bytes: Long): Throwable =
    storeWrite(
      token.target,
      new IOException(s"an upload cannot be read, so a part cannot continue at $bytes bytes")
    )

  private def reading[A](token: S3Token, sizeBytes: Long)(action: => A): A = io(token.target) {
    try action
    catch {
      case _: EOFException =>
        throw Errors.partShort(objects.describe(token.target), token.fullBytes, sizeBytes)
    }
  }

  private def io[A](path: String)(action: => A): A =
    try action
    catch { case e: IOException => throw storeWrite(path, e) }

  private def storeWrite(path: String, e: IOException): Throwable =
    Errors.storeWrite(objects.describe(path), HadoopFiles.reason(e), e)
}

private object S3PartStore {

  /** The number of stale tails that are deleted with one request. */
  private val StaleTogether = 8
}
