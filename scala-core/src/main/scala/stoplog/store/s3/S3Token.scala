package stoplog.store.s3

/** All that is known of an unfinished part: full parts of an upload, and the tail behind them.
  *
  * Paths are relative to the sink's path.
  *
  * @param base   what the names of the part's objects in the staging directory begin with; used by one writer alone
  * @param target the name under which it is going to be finished; an upload is bound to it from the start
  * @param upload none as long as there is no full part
  * @param stale  tails of earlier epochs, which nobody needs once this token is in a record
  */
private[s3] final case class S3Token(
    base: String,
    target: String,
    upload: Option[S3Token.Upload],
    tail: S3Token.Tail,
    stale: Vector[String]
) {
  def uploadedBytes: Long = upload.fold(0L)(_.parts.map(_.bytes).sum)

  def sizeBytes: Long = uploadedBytes + tail.bytes

  /** The same part with fewer bytes behind it; `None` if its end is then within what has been uploaded: uploaded
    * bytes can be left out part by part only, since nobody can read them.
    */
  def cutTo(bytes: Long): Option[S3Token] = {
    val kept     = upload.map(u => u.copy(parts = within(u.parts, bytes)))
    val uploaded = kept.fold(0L)(_.parts.map(_.bytes).sum)
    if (uploaded == uploadedBytes) Some(copy(tail = tail.first(bytes - uploaded)))
    else if (uploaded == bytes) Some(copy(upload = kept, tail = S3Token.Tail.empty))
    else None
  }

  /** The objects in the staging directory that the part needs, its upload's marker included. */
  def objects: Vector[String] = upload.map(_ => marker).toVector ++ tail.path

  /** The object that says which upload there is, for whoever cleans up after a writer that died. */
  def marker: String = base + S3Token.MarkerSuffix

  private def within(parts: Vector[S3Token.UploadedPart], bytes: Long): Vector[S3Token.UploadedPart] = {
    val ends = parts.scanLeft(0L)(_ + _.bytes).drop(1)
    parts.zip(ends).takeWhile { case (_, end) => end <= bytes }.map(_._1)
  }
}

private[s3] object S3Token {

  val MarkerSuffix: String = ".upload"

  /** A multipart upload, and what has been uploaded to it; handles as Hadoop gives them. */
  final case class Upload(handle: Handle, parts: Vector[UploadedPart]) {

    /** Whoever goes on uses numbers above all that are in the record, and so changes nothing that is in it. */
    def nextNumber: Int = parts.lastOption.fold(1)(_.number + 1)
  }

  final case class UploadedPart(number: Int, bytes: Long, handle: Handle)

  /** Bytes that mean something to Hadoop alone, in base64. */
  final case class Handle(base64: String) {
    def bytes: Array[Byte] = java.util.Base64.getDecoder.decode(base64)
  }

  object Handle {
    def of(bytes: Array[Byte]): Handle = Handle(java.util.Base64.getEncoder.encodeToString(bytes))
  }

  /** What is behind the last full part. */
  sealed trait Tail extends Product with Serializable {
    def bytes: Long
    def path: Option[String]
    def first(bytes: Long): Tail
  }

  object Tail {
    final case class InRecord(content: Handle) extends Tail {
      override def bytes: Long              = content.bytes.length.toLong
      override def path: Option[String]     = None
      override def first(bytes: Long): Tail = InRecord(Handle.of(content.bytes.take(bytes.toInt)))
    }

    /** In the staging directory. */
    final case class InObject(at: String, bytes: Long) extends Tail {
      override def path: Option[String]     = Some(at)
      override def first(bytes: Long): Tail = copy(bytes = bytes)
    }

    val empty: Tail = InRecord(Handle(""))
  }
}
