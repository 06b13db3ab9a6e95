// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.{FinishedPart, Pending, RunId}

/** A record without the state that it leaves: what it decides. The fields are those of [[LogRecord]]. */
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

  /** As [[LogRecord.isMerge]]. */
  def isMerge: Boolean = LogRecord.isMerge(kind, publish)
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

/** A record as its file has it: with the whole state, or with the difference from the record before it. */
private[stoplog] sealed trait StoredRecord {
  def decision: Decision

  /** Of the file's content: tells the record from another one of the same place. */
  def checksum: String
}

private[stoplog] object StoredRecord {
  final case class Whole(record: LogRecord, checksum: String) extends StoredRecord {
    override def decision: Decision = Decision.of(record)
  }

  final case class Delta private[log] (
      decision: Decision,
      base: Base,
      private[log] val delta: StateDelta,
      checksum: String
  ) extends StoredRecord {

    /** The record, from the state that the record before it leaves. Error: `Left` if that is of another one. */
    def on(before: SinkState): Either[String, LogRecord] = Delta.last(before, Seq(this))
  }

  object Delta {

    /** The last one of these, each of which rests on the one before it, and the first on a record that leaves that state. */
    def last(before: SinkState, chain: Seq[Delta]): Either[String, LogRecord] =
      StateDelta.applied(before, chain.map(_.delta)).map(chain.last.decision.leaving)
  }
}

/** The record before one that holds a difference.
  *
  * @param whole    the newest record that holds a whole state: every one behind it holds a difference
  * @param checksum of the record before, so that the difference is never applied to another one in its place
  */
private[stoplog] final case class Base(whole: Long, checksum: String)
