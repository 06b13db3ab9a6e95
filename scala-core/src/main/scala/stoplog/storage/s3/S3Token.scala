// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import stoplog.part.RecordBytes

/** The complete state of an unfinished part: the full parts of an upload, the objects that wait to become
  * parts, and the tail.
  *
  * Paths are relative to the sink's path.
  *
  * @param base   the prefix of the names of the part's objects in the staging directory; used by only one
  *               writer
  * @param target the final name of the part; an upload is bound to this name from the start
  * @param upload `None` while there is no full part
  * @param waiting objects after the upload's parts, each large enough for a part: written by writers that may
  *                not add parts
  * @param stale  tails of earlier epochs, garbage once this token is in a record
  */
private[s3] final case class S3Token(
    base: String,
    target: String,
    upload: Option[S3Token.Upload],
    waiting: Vector[S3Token.Piece],
    tail: S3Token.Tail,
    stale: Vector[String]
) {
  import S3Token.S3Room

  def uploadedBytes: Long = upload.fold(0L)(_.parts.map(_.bytes).sum)

  /** All bytes except the tail. */
  def fullBytes: Long = uploadedBytes + waiting.map(_.bytes).sum

  def sizeBytes: Long = fullBytes + tail.bytes

  /** The size of all parts of the upload except the last, once there is a part. */
  def partBytes: Option[Int] =
    upload.flatMap(_.parts.headOption).map(_.bytes).orElse(waiting.headOption.map(_.bytes)).map(_.toInt)

  def inRoom(room: S3Room => S3Room): S3Token = copy(upload = upload.map(u => u.copy(room = room(u.room))))

  /** Returns the part without its bytes after `bytes`; `None` if the new end is within an uploaded part.
    * Uploaded bytes cannot be read, so only whole parts can be omitted.
    */
  def cutTo(bytes: Long): Option[S3Token] =
    if (bytes >= fullBytes) Some(copy(tail = tail.first(bytes - fullBytes)))
    else if (bytes >= uploadedBytes) {
      val kept = within(waiting, bytes - uploadedBytes)(_.bytes)
      val left = bytes - uploadedBytes - kept.map(_.bytes).sum
      Some(copy(waiting = kept, tail = S3Token.Tail.of(waiting(kept.size)).first(left)))
    } else {
      val kept = upload.map(u => u.copy(parts = within(u.parts, bytes)(_.bytes)))
      Some(copy(upload = kept, waiting = Vector.empty, tail = S3Token.Tail.empty))
        .filter(_.uploadedBytes == bytes)
    }

  /** The objects in the staging directory that the part needs, including the marker of its upload. */
  def objects: Vector[String] = upload.map(_ => marker).toVector ++ waiting.map(_.at) ++ tail.path

  /** The object that names the upload, for the cleanup after the death of a writer. */
  def marker: String = base + S3Token.MarkerSuffix

  private def within[A](parts: Vector[A], bytes: Long)(size: A => Long): Vector[A] = {
    val ends = parts.scanLeft(0L)(_ + size(_)).drop(1)
    parts.zip(ends).takeWhile { case (_, end) => end <= bytes }.map(_._1)
  }
}

private[s3] object S3Token {

  val MarkerSuffix: String = ".upload"

  val PieceInfix: String = ".piece-"

  /** A multipart upload, and its uploaded parts; handles as returned by Hadoop. */
  final case class Upload(handle: Handle, parts: Vector[UploadedPart], room: S3Room)

  final case class UploadedPart(number: Int, bytes: Long, handle: Handle)

  /** Bytes that only Hadoop interprets, in base64. */
  final case class Handle(base64: String) {
    def bytes: Array[Byte] = java.util.Base64.getDecoder.decode(base64)
  }

  object Handle {
    def of(bytes: Array[Byte]): Handle = Handle(java.util.Base64.getEncoder.encodeToString(bytes))
  }

  /** The first bytes of an object in the staging directory. */
  final case class Piece(at: String, bytes: Long)

  /** The bytes after the last full part: the bytes of an object, if present, then the bytes in the record. */
  final case class Tail(piece: Option[Piece], inRecord: RecordBytes) {

    def bytes: Long = pieceBytes + inRecord.length

    def pieceBytes: Long = piece.fold(0L)(_.bytes)

    def path: Option[String] = piece.map(_.at)

    def first(bytes: Long): Tail =
      if (bytes == 0) Tail.empty
      else if (bytes <= pieceBytes) Tail(piece.map(_.copy(bytes = bytes)), RecordBytes.empty)
      else copy(inRecord = RecordBytes.of(inRecord.bytes.take((bytes - pieceBytes).toInt)))
  }

  object Tail {
    val empty: Tail = Tail(None, RecordBytes.empty)

    def of(piece: Piece): Tail = Tail(Some(piece), RecordBytes.empty)
  }

  /** The right to add the next parts to an upload, and the part numbers for these parts.
    *
    * S3 keeps the last part with a number, and completes an upload by the numbers and ETags of a record. If a
    * late writer uses a number that a record names, or will name, the writer damages the part permanently.
    * Four rules separate the numbers of writers that may be alive at the same time, regardless of their
    * number and lifetime:
    *
    *   1. Only a writer that resumes in place adds parts: first attempts of the run that owns the part, one
    *      after the other (I1). Between two records, the writer uses at most [[S3Room.Allotted]] numbers.
    *   1. A claim moves its parts past the numbers that the previous run may be using ([[claimed]]). The
    *      claim records the new numbers, and a second claim starts from the numbers of the first claim.
    *   1. A writer that takes over a part adds nothing to the upload ([[takenOver]]). Its bytes become
    *      objects whose names no other writer has.
    *   1. Publishers upload these objects when the part is published, under numbers after all others. All
    *      publishers add the same bytes, which stay readable until the upload is completed. If one publisher
    *      replaces the part of another, the part can be uploaded again.
    */
  sealed trait S3Room extends Product with Serializable {
    import S3Room._

    /** The first number that no live writer can be using. */
    def from: Int

    /** Returns the room for the run whose claim contains the part. The part is open, so no publisher has
      * added parts yet, even if only publishers had the right to add parts.
      */
    def claimed(gaps: Gaps): S3Room = gaps match {
      case Gaps.Allowed if past <= LastMoved => Writer(past)
      case _                                 => takenOver(gaps)
    }

    /** Returns the room for an attempt that does not know the other active writers. */
    def takenOver(gaps: Gaps): S3Room = gaps match {
      case Gaps.Allowed => Publisher(past)
      case Gaps.Refused => Publisher(from)
    }

    /** The first number after all numbers that a writer may already be using. */
    protected def past: Int
  }

  object S3Room {

    /** The run that owns the record resumes in place. */
    final case class Writer(from: Int) extends S3Room {
      protected override def past: Int = (from + Allotted).min(LastNumber)

      /** The last number before the next record. */
      def until: Int = (from + Allotted - 1).min(LastNumber - 1)
    }

    /** Only publishers add parts. */
    final case class Publisher(from: Int) extends S3Room {
      protected override def past: Int = from
    }

    /** Whether the part numbers of an upload may have gaps. S3 rejects gaps in directory buckets, and in
      * uploads whose parts have checksums. In these cases each part continues in objects once its writer has
      * changed. S3 compares the ETags, and so detects a late writer between a publisher's two requests.
      */
    sealed trait Gaps extends Product with Serializable
    object Gaps {
      case object Allowed extends Gaps
      case object Refused extends Gaps
    }

    /** The highest part number that S3 allows. */
    val LastNumber: Int = 10000

    /** The number of parts that a writer may add to a recorded upload before the next record: 2 GiB in parts
      * of 8 MiB, or 4 GiB in parts of 16 MiB. Further bytes wait in objects.
      */
    val Allotted: Int = 256

    /** The highest first number that a claim assigns to a writer: enough numbers remain for the part. */
    private val LastMoved = LastNumber / 2
  }
}
