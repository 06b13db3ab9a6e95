// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** The names of the records of one log: `<20 digits>.commit`, which no pattern for files of data finds.
  *
  * Earlier versions called them `<20 digits>.json`. A log that began so goes on so: the name of a place follows from
  * the record before it, so that of all drivers, also those of an earlier version, exactly one creates the record of a
  * number (I3).
  */
private[log] final class RecordNames extends Serializable {
  import RecordNames._

  // What the last listing saw; none of an empty log, and of one with both kinds of names.
  @volatile private var only: Option[Kind] = None

  // The notes behind the first one of a record, which few have.
  @volatile private var further = Map.empty[Long, Seq[String]]

  /** The numbers of the records among these names of files, in ascending order. */
  def listed(names: Iterable[String]): Vector[Long] = {
    val found = names.collect { case Name(digits, kind) => (digits.toLong, kind) }.toVector
    only = found.map { case (_, kind) => kind }.distinct match {
      case Vector(one) => Some(one)
      case _           => None
    }
    further =
      names.collect { case name @ FurtherNote(digits) => digits.toLong -> name }.toSeq.groupMap(_._1)(_._2)
    found.map { case (seq, _) => seq }.distinct.sorted
  }

  /** The names under which the record may be found: one, as soon as a listing has told which. */
  def of(seq: Long): Seq[String] = only.fold(Seq(Now, Former))(Seq(_)).map(name(seq, _))

  /** The names of all notes of the record, as far as a listing has seen them. */
  def notes(seq: Long): Seq[String] = RecordNames.note(seq, number = 0) +: further.getOrElse(seq, Seq.empty)

  /** The one name under which the record is created. */
  def toCreate(seq: Long)(isThere: String => Boolean): String = {
    def there(seq: Long, kind: Kind): Boolean = isThere(name(seq, kind))
    def isFormer: Boolean                     =
      there(seq, Former) || seq > 0 && there(seq - 1, Former) && !there(seq, Now)
    name(seq, only.getOrElse(if (isFormer) Former else Now))
  }
}

private[stoplog] object RecordNames {
  private type Kind = String

  // Before "published" in the alphabet: a directory that is removed by name loses no mark before its record.
  private final val Now    = "commit"
  private final val Former = "json"
  private val Name         = s"(\\d{20})\\.($Now|$Former)".r
  private val FurtherNote  = "(\\d{20})\\.visible-\\d+".r

  /** The name of a record in a log that begins now. */
  def name(seq: Long): String = name(seq, Now)

  /** The name of a note of visible parts. Earlier versions wrote the first one alone. */
  def note(seq: Long, number: Int): String =
    if (number == 0) f"$seq%020d.visible" else f"$seq%020d.visible-$number"

  private def name(seq: Long, kind: Kind): String = f"$seq%020d.$kind"
}
