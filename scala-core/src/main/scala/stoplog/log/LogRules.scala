// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.storage.Durability

/** The rules of a log: retention, the encoding of the state, and the permitted names in records.
  *
  * @param records   the number of newest records to keep; older records are also kept if newer records are
  *                  based on them
  * @param marks     the number of newest marks of a run to keep; a newer record proves that all preceding
  *                  records were executed
  * @param batchSize the number of records, or marks, removed at a time, so that most epochs delete nothing
  * @param deltas    the rule for records with a difference
  */
private[stoplog] final case class LogRules(
    records: Int,
    marks: Int,
    batchSize: Int,
    deltas: LogRules.DeltaRule,
    published: Published
)

private[stoplog] object LogRules {

  /** Keeps 100 records, the number of batches kept by Spark, as history for diagnosis. */
  val standard: LogRules =
    LogRules(records = 100, marks = 5, batchSize = 10, DeltaRule.standard, Published.Files)

  /** For the log of a sink with two-phase commits, and for a reader of any log. */
  val ofPrepared: LogRules = standard.copy(published = Published.Prepared)

  /** For the log of replacement jobs. Records list each replaced file and need no old records. */
  val ofReplacements: LogRules = standard.copy(records = 10, batchSize = 5)

  /** Decides which records store the difference from the preceding record instead of the whole state.
    *
    * @param fromBytes   the minimum size of a whole record: below this size a difference saves nothing
    * @param atMost      the maximum number of differences per whole record, which limits the files read by a
    *                    recovery
    * @param share       the maximum size of all differences relative to the bytes of their whole record; also
    *                    the maximum share of the state's entries in one difference
    */
  final case class DeltaRule(fromBytes: Long, atMost: Int, share: Double) {
    import FullRecordReason._

    /** Returns the rule for a storage. A power loss of one record must leave the newest record readable. */
    def on(durability: Durability): DeltaRule = durability match {
      case Durability.Disk    => this
      case Durability.Process => DeltaRule.never
    }

    /** Returns the reason for a whole record, before the difference is computed. Constant time. */
    def before(kind: RecordKind, chain: Chain): Option[FullRecordReason] = kind match {
      case RecordKind.Release                => Some(Boundary)
      case _ if chain.wholeBytes < fromBytes => Some(SmallState)
      case _ if chain.deltas >= atMost       => Some(ManyDeltas)
      case _                                 => None
    }

    /** Returns the reason to reject a difference because of its entries, before the difference is encoded. */
    def onEntries(differ: Int, entries: Int): Option[FullRecordReason] =
      Option.when(differ >= entries * share)(TouchesMost)

    /** Returns the reason to reject a difference because of its bytes. */
    def onBytes(bytes: Long, chain: Chain): Option[FullRecordReason] =
      Option.when(chain.deltaBytes + bytes > chain.wholeBytes * share)(ManyBytes)
  }

  object DeltaRule {

    /** A whole record and its differences have at most twice the bytes of the state. */
    val standard: DeltaRule = DeltaRule(fromBytes = 16L << 10, atMost = 100, share = 1.0)

    /** Each record stores the whole state. */
    val never: DeltaRule = standard.copy(atMost = 0)
  }

  /** The reason why a record stores the whole state. */
  sealed trait FullRecordReason extends Product with Serializable

  object FullRecordReason {

    /** The writer does not know the preceding record: neither written by this run, nor read for its claim. */
    case object NoBase extends FullRecordReason

    /** A release. So a start after a clean end reads few records. */
    case object Boundary    extends FullRecordReason
    case object SmallState  extends FullRecordReason
    case object ManyDeltas  extends FullRecordReason
    case object TouchesMost extends FullRecordReason
    case object ManyBytes   extends FullRecordReason

    /** Only the whole state can express the change: see [[StateDelta.between]]. */
    case object NoDifference extends FullRecordReason
  }

  /** A whole record and the differences based on the record so far.
    *
    * @param whole      the place of the whole record
    * @param wholeBytes the size of its file
    * @param deltas     the number of differences
    */
  final case class Chain(whole: Long, wholeBytes: Long, deltas: Int = 0, deltaBytes: Long = 0) {

    /** Returns the chain after a further difference of this size. */
    def longer(sizeBytes: Long): Chain = copy(deltas = deltas + 1, deltaBytes = deltaBytes + sizeBytes)
  }
}

/** The items that records publish. Set by the log's reader, because a record could be forged. */
private[stoplog] sealed trait Published extends Product with Serializable

private[stoplog] object Published {

  /** Files. A record is rejected if the name or handle of a part points outside of the sink's path. */
  case object Files extends Published

  /** Items prepared by tasks in another system: no bucket, and sink-specific names and handles. */
  case object Prepared extends Published
}
