// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.storage.Durability

/** The rules of a log: how much is kept, how a record says its state, and what its records may name.
  *
  * @param records of which so many are kept, the newest ones, and before them as many as those rest on
  * @param marks   of the newest records of a run so many are kept: a newer record says of all before it that they are
  *                carried out
  * @param together so many records, or marks, are removed at a time, so that not every epoch has that to do
  * @param deltas  which records hold a difference
  */
private[stoplog] final case class LogRules(
    records: Int,
    marks: Int,
    together: Int,
    deltas: LogRules.DeltaRule,
    published: Published
)

private[stoplog] object LogRules {

  /** A hundred records, the number of batches that Spark keeps: enough to look back when something went wrong. */
  val standard: LogRules =
    LogRules(records = 100, marks = 5, together = 10, DeltaRule.standard, Published.Files)

  /** For the log of a sink that commits in two phases, and for a reader of any log. */
  val ofPrepared: LogRules = standard.copy(published = Published.Prepared)

  /** For the log of the jobs that replace files: a record lists each file that goes, and nothing rests on old records. */
  val ofReplacements: LogRules = standard.copy(records = 10, together = 5)

  /** Which records hold the difference from the record before, and not the whole state.
    *
    * @param fromBytes   only where a whole record has so many bytes: below that a difference saves nothing, and whole
    *                    records can be read by older releases
    * @param atMost      so many differences rest on one whole record: as many files are read by a recovery
    * @param share       the differences that rest on one whole record may have that part of its bytes, and one of them may
    *                    have that part of the state's entries
    */
  final case class DeltaRule(fromBytes: Long, atMost: Int, share: Double) {
    import FullRecordReason._

    /** The rule on such a storage. A power loss that takes one record must leave the newest record readable. */
    def on(durability: Durability): DeltaRule = durability match {
      case Durability.Disk    => this
      case Durability.Process => DeltaRule.never
    }

    /** The reason to write a whole record, before the difference is known. Answers at once. */
    def before(kind: RecordKind, chain: Chain): Option[FullRecordReason] = kind match {
      case RecordKind.Claim | RecordKind.Release => Some(Boundary)
      case _ if chain.wholeBytes < fromBytes     => Some(SmallState)
      case _ if chain.deltas >= atMost           => Some(ManyDeltas)
      case _                                     => None
    }

    /** The reason not to write this difference: its entries, before it is encoded. */
    def onEntries(differ: Int, entries: Int): Option[FullRecordReason] =
      Option.when(differ > entries * share)(TouchesMost)

    /** The reason not to write these bytes of a difference. */
    def onBytes(bytes: Long, chain: Chain): Option[FullRecordReason] =
      Option.when(chain.deltaBytes + bytes > chain.wholeBytes * share)(ManyBytes)
  }

  object DeltaRule {

    /** A whole record and what rests on it are at most twice as many bytes as the state. */
    val standard: DeltaRule = DeltaRule(fromBytes = 16L << 10, atMost = 100, share = 1.0)

    /** Each record holds the whole state. */
    val never: DeltaRule = standard.copy(atMost = 0)
  }

  /** The reason why a record holds the whole state. */
  sealed trait FullRecordReason extends Product with Serializable

  object FullRecordReason {

    /** The first record of a run, or what it rests on was not written by this run. */
    case object FirstOfRun extends FullRecordReason

    /** It claims the log, or releases it: so a start reads little, and an older release may go on after a clean end. */
    case object Boundary    extends FullRecordReason
    case object SmallState  extends FullRecordReason
    case object ManyDeltas  extends FullRecordReason
    case object TouchesMost extends FullRecordReason
    case object ManyBytes   extends FullRecordReason

    /** Only the whole state can say it: [[StateDelta.between]]. */
    case object NoDifference extends FullRecordReason
  }

  /** A whole record and the differences that rest on it so far.
    *
    * @param whole      the place of the whole record
    * @param wholeBytes of its file
    * @param deltas     their number, and that of their bytes
    */
  final case class Chain(whole: Long, wholeBytes: Long, deltas: Int, deltaBytes: Long)
}

/** What the records of a log publish. The reader of a log says it: a record that is to mislead it could say anything. */
private[stoplog] sealed trait Published extends Product with Serializable

private[stoplog] object Published {

  /** Files: a record is refused if the name or handle of a part leads out of the sink's path. */
  case object Files extends Published

  /** What tasks have prepared in another system. It has no bucket, and its names and handles are texts of that sink. */
  case object Prepared extends Published
}
