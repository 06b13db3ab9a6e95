// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

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
private[s3] sealed trait S3Room extends Product with Serializable {
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

private[s3] object S3Room {

  /** The run that the record belongs to goes on in place. */
  final case class Writer(from: Int) extends S3Room {
    protected override def past: Int = from + Allotted

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

  /** How many parts a writer may add to an upload that a record names before the next record does: 2 GiB of 8 MiB
    * each, or 4 GiB of 16 MiB. What it has beyond that waits in objects.
    */
  val Allotted: Int = 256

  /** From here on no numbers are left out any more, so that enough are left for the rest of the part. */
  private val LastMoved = LastNumber / 2

  /** Of a handle of version 1, whose writers used one number after the other, and no bound was set to them. */
  def unbounded(lastNumber: Int): S3Room = Publisher(lastNumber + (LastNumber - lastNumber) / 2)
}
