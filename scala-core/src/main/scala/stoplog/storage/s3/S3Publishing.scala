// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{ByteArrayInputStream, EOFException, FileNotFoundException, IOException}

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.sink.CommitOutcome
import stoplog.sink.CommitOutcome.{AlreadyCommitted, Committed, Lost}
import stoplog.storage.s3.S3Token.{Piece, Tail}
import stoplog.storage.{PartLayout, RecentWrites}

/** Makes parts on S3 visible by completing their uploads. Each upload was started before a record named the
  * part. An upload can be completed only once. So a late publisher does not restore a part that readers have
  * already deleted (decision 0025).
  *
  * Some servers reject a repeated completion, others repeat the first response, and the first response may
  * have been lost. So the responses are ignored, and the content of the store decides. Final names are
  * globally unique, hence an object of the recorded length under this name is this part.
  */
private[s3] final class S3Publishing(objects: S3Objects, uploads: S3Uploads, tails: S3Tails, faults: Faults) {

  /** Several processes may publish a part concurrently. Errors: `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`.
    */
  def publish(token: S3Token): CommitOutcome = {
    val outcome = complete(token, token.upload, left = Tries)
    if (outcome == Committed) faults.at(Step.MidPublish)
    if (outcome != Lost) objects.delete(token.objects ++ token.stale)
    outcome
  }

  @scala.annotation.tailrec
  private def complete(token: S3Token, upload: Option[S3Token.Upload], left: Int): CommitOutcome =
    there(token) match {
      case Some(outcome) =>
        upload.foreach(begun =>
          uploads.abort(token.target, begun.handle)
        ) // another publisher has completed it
        outcome
      case None =>
        val begun = upload.getOrElse(beginLate(token))
        completed(token, begun) match {
          case Right(outcome) =>
            if (outcome == Lost && token.upload.isEmpty) uploads.abort(token.target, begun.handle)
            outcome
          case Left(_) if left > 1 => complete(token, Some(begun), left - 1)
          case Left(failure)       => throw failure
        }
    }

  /** Starts an upload for an open part that [[S3PartStore.closed]] has not prepared. */
  private def beginLate(token: S3Token): S3Token.Upload =
    S3Token.Upload(uploads.start(token.target), Vector.empty, S3Token.S3Room.Publisher(1))

  /** Returns `Left` if a retry may succeed: concurrent publishers may invalidate each other's parts. */
  private def completed(token: S3Token, upload: S3Token.Upload): Either[IOException, CommitOutcome] =
    try
      whole(token, upload) match {
        case None        => Right(there(token).getOrElse(Lost))
        case Some(whole) =>
          uploads.complete(token.target, whole)
          Right(Committed)
      }
    catch {
      case e: EOFException          => throw e
      case _: FileNotFoundException => Right(there(token).getOrElse(Lost))
      case e: IOException           => Left(e)
    }

  /** Returns the upload with all waiting objects and the tail as last parts; `None` if one is missing. */
  private def whole(token: S3Token, upload: S3Token.Upload): Option[S3Token.Upload] =
    (token.waiting.map(Tail.of) :+ token.tail).filter(_.bytes > 0).zipWithIndex.foldLeft(Option(upload)) {
      case (sofar, (piece, index)) =>
        for {
          before  <- sofar
          content <- tails.read(piece)
        } yield {
          val number = upload.room.from + index
          val part   = uploads.put(
            token.target,
            upload.handle,
            number,
            new ByteArrayInputStream(content),
            content.length
          )
          before.copy(parts = before.parts :+ part)
        }
    }

  /** In most cases the object does not exist, so its size is requested only if the object exists. */
  private def there(token: S3Token): Option[CommitOutcome] = sizeThere(token.target).map { actual =>
    if (actual == token.sizeBytes) AlreadyCommitted
    else throw taken(token, s"the object has $actual bytes, and the part has ${token.sizeBytes}")
  }

  private def sizeThere(target: String): Option[Long] =
    if (objects.exists(target)) objects.size(target) else None

  private def taken(token: S3Token, why: String): Throwable =
    Errors.nameTaken(objects.describe(token.target), why)

  private final val Tries = 3
}

/** The tails of parts, in records or in objects.
  *
  * @param recent the objects that this process has written, and need not read
  */
private[s3] final class S3Tails(objects: S3Objects, recent: RecentWrites) {

  /** Writes an object with a new name in place of `before`, which this process is unlikely to read again. */
  def write(base: String, content: Array[Byte], before: Tail): Tail = {
    val path = s"$base.tail-${PartLayout.unique()}"
    objects.put(path, content)
    before.path.foreach(old => recent.drop(objects.describe(old)))
    recent.keep(objects.describe(path), content)
    Tail.of(Piece(path, content.length.toLong))
  }

  /** Returns `None` if the tail's object is missing. Error: `EOFException` if it is shorter than recorded. */
  def read(tail: Tail): Option[Array[Byte]] = whole(tail)(first)

  /** Like [[read]], for a writer. Keeps the bytes in the process for all epochs until the next tail object.
    */
  def readAndKeep(tail: Tail): Option[Array[Byte]] = whole(tail) { piece =>
    val bytes = first(piece)
    bytes.foreach(recent.keep(objects.describe(piece.at), _))
    bytes
  }

  private def whole(tail: Tail)(read: Piece => Option[Array[Byte]]): Option[Array[Byte]] = tail.piece match {
    case None        => Some(tail.inRecord.bytes)
    case Some(piece) =>
      read(piece).map(bytes => if (tail.inRecord.isEmpty) bytes else bytes ++ tail.inRecord.bytes)
  }

  private def first(piece: Piece): Option[Array[Byte]] =
    recent.firstBytes(objects.describe(piece.at), piece.bytes.toInt)(objects.read(piece.at, piece.bytes))
}
