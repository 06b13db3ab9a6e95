// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import stoplog.part.RecordBytes

/** All that is known of an unfinished part: full parts of an upload, what waits to become parts, and the tail.
  *
  * Paths are relative to the sink's path.
  *
  * @param base   what the names of the part's objects in the staging directory begin with; used by one writer alone
  * @param target the name under which it is going to be finished; an upload is bound to it from the start
  * @param upload none as long as there is no full part
  * @param waiting objects behind the upload's parts, each large enough for one: written by those who may add none
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

  /** All but the tail. */
  def fullBytes: Long = uploadedBytes + waiting.map(_.bytes).sum

  def sizeBytes: Long = fullBytes + tail.bytes

  /** Of all parts of the upload but the last, once there is one. */
  def partBytes: Option[Int] =
    upload.flatMap(_.parts.headOption).map(_.bytes).orElse(waiting.headOption.map(_.bytes)).map(_.toInt)

  def inRoom(room: S3Room => S3Room): S3Token = copy(upload = upload.map(u => u.copy(room = room(u.room))))

  /** The same part with fewer bytes behind it; `None` if its end is then within what has been uploaded: uploaded
    * bytes can be left out part by part only, since they cannot be read.
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

  /** The objects in the staging directory that the part needs, its upload's marker included. */
  def objects: Vector[String] = upload.map(_ => marker).toVector ++ waiting.map(_.at) ++ tail.path

  /** The object that says which upload there is, for the cleanup after a writer that died. */
  def marker: String = base + S3Token.MarkerSuffix

  private def within[A](parts: Vector[A], bytes: Long)(size: A => Long): Vector[A] = {
    val ends = parts.scanLeft(0L)(_ + size(_)).drop(1)
    parts.zip(ends).takeWhile { case (_, end) => end <= bytes }.map(_._1)
  }
}

private[s3] object S3Token {

  val MarkerSuffix: String = ".upload"

  val PieceInfix: String = ".piece-"

  /** A multipart upload, and what has been uploaded to it; handles as Hadoop gives them. */
  final case class Upload(handle: Handle, parts: Vector[UploadedPart], room: S3Room)

  final case class UploadedPart(number: Int, bytes: Long, handle: Handle)

  /** Bytes that mean something to Hadoop alone, in base64. */
  final case class Handle(base64: String) {
    def bytes: Array[Byte] = java.util.Base64.getDecoder.decode(base64)
  }

  object Handle {
    def of(bytes: Array[Byte]): Handle = Handle(java.util.Base64.getEncoder.encodeToString(bytes))
  }

  /** The first bytes of an object in the staging directory. */
  final case class Piece(at: String, bytes: Long)

  /** The bytes behind the last full part: those of an object, if there is one, and behind them those in the record. */
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

  /** The right to add parts to an upload next, and the part numbers that go with it.
    *
    * S3 keeps the last part that came under a number, and completes an upload by the numbers and ETags of a record. So
    * a late writer that uses a number which a record names, or will name, spoils the part for good. Four rules keep the
    * numbers of writers that may be alive at the same time apart, however many there are and however long they live:
    *
    *   1. Only a writer that goes on in place adds parts: first attempts of the run that owns the part, one after the
    *      other (I1). From a record until the next it uses no more than [[S3Room.Allotted]] numbers.
    *   1. A claim moves the parts that it finds past what the run before may be using ([[claimed]]). The claim itself
    *      says so, and of two claims the later one starts from the earlier one's numbers.
    *   1. A writer that takes a part over adds nothing to the upload ([[takenOver]]). Its bytes become objects of names
    *      that no other writer has.
    *   1. These go up when the part is published, under numbers past all of these. Publishers all add the same bytes,
    *      which stay readable until the upload is completed: if one of them replaces the part of another, it can be
    *      put again.
    */
  sealed trait S3Room extends Product with Serializable {
    import S3Room._

    /** The first number that no writer uses that may be alive. */
    def from: Int

    /** For the run whose claim this goes into. Where only publishers were to add, there has been none: the part is open. */
    def claimed(gaps: Gaps): S3Room = gaps match {
      case Gaps.Allowed if past <= LastMoved => Writer(past)
      case _                                 => takenOver(gaps)
    }

    /** For an attempt that does not know who else is at work. */
    def takenOver(gaps: Gaps): S3Room = gaps match {
      case Gaps.Allowed => Publisher(past)
      case Gaps.Refused => Publisher(from)
    }

    /** The first number behind all that a writer may be using already. */
    protected def past: Int
  }

  object S3Room {

    /** The run that the record belongs to goes on in place. */
    final case class Writer(from: Int) extends S3Room {
      protected override def past: Int = (from + Allotted).min(LastNumber)

      /** The last number until the next record. */
      def until: Int = (from + Allotted - 1).min(LastNumber - 1)
    }

    /** Publishers alone add parts. */
    final case class Publisher(from: Int) extends S3Room {
      protected override def past: Int = from
    }

    /** Whether the numbers of an upload may leave some out. S3 refuses it for directory buckets, and where parts have
      * checksums of their own. Then each part goes on in objects once its writer has changed, and whether a late writer
      * has come between a publisher's two requests is told by the ETags, which S3 compares.
      */
    sealed trait Gaps extends Product with Serializable
    object Gaps {
      case object Allowed extends Gaps
      case object Refused extends Gaps
    }

    /** The highest part number that S3 allows. */
    val LastNumber: Int = 10000

    /** The parts that a writer may add to an upload that a record names before the next record does: 2 GiB of 8 MiB
      * each, or 4 GiB of 16 MiB. What it has beyond that waits in objects.
      */
    val Allotted: Int = 256

    /** From here on no numbers are left out any more, so that enough are left for the rest of the part. */
    private val LastMoved = LastNumber / 2

    /** Of a handle of version 1, whose writers used one number after the other, and no bound was set to them. */
    def unbounded(lastNumber: Int): S3Room = Publisher(lastNumber + (LastNumber - lastNumber) / 2)
  }
}
