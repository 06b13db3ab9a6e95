// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.announce.{Announcement, LogId}
import stoplog.log.{CommitLog, Decision, LogIdentity, LogRecord, RecordOutcome}

/** The records of one log that are carried out, for the targets of one run. The newest records stay in
  * memory, so that targets that keep up read nothing from the log.
  *
  * The thread of the driver adds records. The threads of targets read records.
  *
  * @param log    a log object that no other thread uses for writing
  * @param before the newest record at the start of the run, which may not be carried out
  */
private[commit] final class SettledRecords(
    log: CommitLog,
    place: Announcer.Place,
    before: Option[LogRecord]
) {
  import SettledRecords._

  @volatile private var known  = before.flatMap(originOf)
  @volatile private var recent = Vector.empty[Entry]
  @volatile private var newest = -1L
  @volatile private var claim  = Option.empty[Long]

  /** Returns the newest record that is carried out; -1 without a record. */
  def available: Long = newest

  /** Returns the origin of announcements; `None` before the first record. */
  def origin: Option[Announcements.Origin] = known

  /** Notes the claim of this run. A second run of the process continues the first run. */
  def claimed(seq: Long): Unit = if (claim.isEmpty) claim = Some(seq)

  /** Adds a record. Drops the oldest records beyond the limits of the memory. */
  def settled(record: LogRecord, outcome: => RecordOutcome): Unit = {
    val added = recent.filter(_.decision.seq < record.seq) :+ Entry(Decision.of(record), outcome)
    val files = added.reverseIterator.scanLeft(0)((sum, entry) => sum + entry.files)
    recent = added.takeRight(files.drop(1).takeWhile(_ <= MostFiles).size.min(MostRecords))
    if (known.isEmpty) known = originOf(record)
    recovered(record.seq)
  }

  /** Makes all records up to this record available. The record was carried out by any process. */
  def recovered(seq: Long): Unit = newest = newest.max(seq)

  /** Returns the time of a decision; `None` if the log does not keep the record any more. */
  def decidedAtMillis(seq: Long): Option[Long] =
    inMemory(seq).map(_.decision).orElse(log.decisionAt(seq)).map(_.writtenAtMillis)

  /** Returns a record with its announcements; `None` if the log does not keep the record any more. */
  def at(seq: Long): Option[Derived] = for {
    from  <- known
    entry <- inMemory(seq).orElse(log.decisionAt(seq).map(Entry(_, log.outcome(seq))))
  } yield Derived(Announcements.of(entry.decision, entry.outcome, from), entry.decision.writtenAtMillis)

  /** Returns the end of the log without this run's records, if the log ends before `seq`. This run reuses the
    * numbers of lost records. Lists the log only if no known record is as new.
    *
    * @param seq a record that was announced before this run has announced anything
    */
  def endBefore(seq: Long): Option[Long] =
    claim.filter(seq >= _).map(_ - 1).orElse(Option.when(seq > newest && log.endsBefore(seq))(newest))

  /** Returns whether a newer run has written this record, and may have announced the record. */
  def isOfNewerRun(seq: Long): Boolean = seq > newest && log.decisionAt(seq).exists { decision =>
    !claim.flatMap(log.decisionAt).exists(_.run == decision.run)
  }

  /** Returns the paths that the later records publish, also if not carried out yet. */
  def publishedAfter(seq: Long): Set[String] = log
    .decisionsAfter(seq)
    .getOrElse(throw new IllegalStateException(s"the log ${place.logName} has lost record ${seq + 1}"))
    .flatMap(_.publish.map(_.finishedPath))
    .toSet

  /** Returns the first record from `seq` on that the log keeps. */
  def firstFrom(seq: Long): Option[Long] = log.firstFrom(seq)

  /** A batch job records its own sink, because the command or the next job of another sink may deliver. */
  private def originOf(record: LogRecord): Option[Announcements.Origin] = {
    val settings = record.state.settings
    LogIdentity.of(record.state).map { identity =>
      Announcements.Origin(
        place.path,
        settings.getOrElse(JobCommit.SinkKey, place.sinkId),
        LogId(place.logName, identity)
      )
    }
  }

  private def inMemory(seq: Long): Option[Entry] = recent.find(_.decision.seq == seq)
}

private[commit] object SettledRecords {

  /** @param atMillis the time of the decision
    */
  final case class Derived(announcements: Vector[Announcement], atMillis: Long)

  private final case class Entry(decision: Decision, outcome: RecordOutcome) {
    def files: Int = decision.publish.size + decision.replace.size + 1
  }

  private final val MostRecords = 100

  /** Large records are read again from the log. */
  private final val MostFiles = 2000
}
