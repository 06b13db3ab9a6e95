// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.{FinishedPart, Pending, RunId}

/** A record without the resulting state: only the decision. The fields match [[LogRecord]]. */
private[stoplog] final case class Decision(
    seq: Long,
    kind: RecordKind,
    run: RunId,
    writtenAtMillis: Long,
    publish: Vector[Pending],
    follow: FollowUp,
    replace: Vector[FinishedPart]
) {
  def leaving(state: SinkState): LogRecord =
    LogRecord(seq, kind, run, writtenAtMillis, publish, state, follow, replace)

  /** See [[LogRecord.isCompaction]]. */
  def isCompaction: Boolean = LogRecord.isCompaction(kind, publish)

  /** See [[LogRecord.isRewind]]. */
  def isRewind: Boolean = LogRecord.isRewind(kind, publish)
}

private[stoplog] object Decision {
  def of(record: LogRecord): Decision = Decision(
    record.seq,
    record.kind,
    record.run,
    record.writtenAtMillis,
    record.publish,
    record.follow,
    record.replace
  )
}

/** A record as stored in its file, with the whole state or with the difference from the preceding record. */
private[stoplog] sealed trait StoredRecord {
  def decision: Decision

  /** The checksum of the file's content, which distinguishes records at the same place. */
  def checksum: String

  /** The size of the file. */
  def sizeBytes: Long
}

private[stoplog] object StoredRecord {
  final case class Whole(record: LogRecord, checksum: String, sizeBytes: Long) extends StoredRecord {
    override def decision: Decision = Decision.of(record)
  }

  final case class Delta private[log] (
      decision: Decision,
      base: Base,
      private[log] val delta: StateDelta,
      checksum: String,
      sizeBytes: Long
  ) extends StoredRecord {

    /** Returns the record, based on the preceding state. Error: `Left` if the state does not match. */
    def on(before: SinkState): Either[String, LogRecord] = Delta.last(before, Seq(this))
  }

  object Delta {

    /** Returns the last record of a chain. The first record is based on the given state. */
    def last(before: SinkState, chain: Seq[Delta]): Either[String, LogRecord] =
      StateDelta.applied(before, chain.map(_.delta)).map(chain.last.decision.leaving)
  }
}

/** The base of a record with a difference.
  *
  * @param whole    the newest record with a whole state; every later record contains a difference
  * @param checksum the checksum of the preceding record, so that a difference is never applied to another
  *                 record
  */
private[stoplog] final case class Base(whole: Long, checksum: String)
