// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.io.IOException

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.part.Pending
import stoplog.storage.PutOutcome

/** The commit log of a sink id: a dense, linear sequence of records in any [[LogFiles]]. The newest record
  * defines the whole state. Some records store only the difference from the preceding record, hidden from
  * callers of this class.
  */
private[stoplog] final class CommitLog(store: LogFiles, rules: LogRules = LogRules.standard) {
  import CommitLog._

  private val reader = new RecordChain(store, rules.published)
  private val writer = new RecordWriter(rules.deltas.on(store.durability))
  private val upkeep = new LogUpkeep(store, writer, rules)

  // The last listing of this process: of `newest` or of an append.
  @volatile private var seen = Vector.empty[Long]

  /** Returns the newest record and makes the record durable, for a caller that executes or continues from the
    * record. Returns `None` for a log that was never written.
    *
    * Errors: `STOPLOG_RECORD_TORN`, `…_TOO_NEW`, `STOPLOG_STORE_WRITE`.
    */
  def newest(): Option[LogRecord] = {
    val found = newestOf(relisted(), left = Looks)
    // the writer may have died, or failed, before the record was durable
    found.foreach(record => store.makeDurable(record.seq))
    found.map(effective)
  }

  /** Reads the record again, with its effective state. If a `rewind` was called off, the state of the
    * preceding record applies. If a compaction was called off, the state with its inputs applies.
    *
    * Takes a number, not a record: an effective state must not be computed from an effective state.
    */
  def reread(seq: Long): LogRecord = effective(kept(seq))

  private def effective(stored: LogRecord): LogRecord = counting(stored)(kept(stored.seq - 1))

  private def kept(seq: Long): LogRecord =
    reader.whole(seq).fold(gone => throw reader.torn(seq, gone.whyTorn(seq)), identity)

  private def counting(record: LogRecord)(before: => LogRecord): LogRecord =
    if ((record.isRewind || countsParts(record)) && isCalledOff(record)) withoutEffect(record)(before)
    else record

  /** Returns a record that was called off, with its effective state. */
  private def withoutEffect(record: LogRecord)(before: => LogRecord): LogRecord =
    if (record.isRewind) record.copy(state = before.state)
    else if (countsParts(record)) record.copy(state = record.after(RecordOutcome.CalledOff, record.state))
    else record

  private def countsParts(record: LogRecord): Boolean =
    record.isCompaction && (record.state.live.nonEmpty || record.state.small.nonEmpty)

  /** Checks whether a process knows the newest record. A negative `seq` means that no record is known. */
  def look(seq: Long): LookBack = {
    val there = store.list()
    if (seq < 0) LookBack.overtaking(seq, there).fold[LookBack](LookBack.Newest)(LookBack.Overtaken(_))
    else LookBack.at(seq, before = Vector.empty, there)
  }

  /** Called by the driver before its first byte is written (I1).
    *
    * Errors: `STOPLOG_FENCED` if a record newer than `seq` exists, `STOPLOG_PLACE_CHANGED` if `seq` is
    * missing as well.
    */
  def refuseIfOvertaken(path: String, sinkId: String, seq: Long): Unit = look(seq) match {
    case LookBack.Newest             => ()
    case LookBack.Overtaken(newer)   => throw Errors.fenced(path, sinkId, newer, "another run")
    case LookBack.Elsewhere(missing) => throw Errors.placeChanged(store.describe(missing))
  }

  /** Rejects a start from a log with missing records, as seen by the last call of [[newest]] (I7).
    *
    * Old records are removed oldest first, and at least [[LogRules.records]] are kept. So the dense end of a
    * log either has this many records or starts at 0. After a gap, an operator may have restarted the log.
    *
    * Error: `STOPLOG_LOG_GAP`.
    */
  def refuseGap(path: String, sinkId: String): Unit = {
    val there = seen
    LogGap.missing(there, rules.records).foreach { missing =>
      if (!all().exists(_.state.queryId == SinkState.NextQuery))
        throw Errors.logGap(path, sinkId, store.describe(missing), there.count(_ > missing), rules.records)
    }
  }

  /** Returns all kept records, oldest first, except records under removal. A record that was called off has
    * no decisions, and the effective state of [[reread]].
    *
    * The log is dense. Records before a gap do not belong to the log: a run created these records after a
    * pause, when their place had been trimmed, and the records decided nothing.
    */
  def all(): Vector[LogRecord] = allOf(store.list(), left = Looks)

  /** A record without its base is being removed, together with all preceding records. */
  @tailrec
  private def allOf(there: Vector[Long], left: Int): Vector[LogRecord] = {
    val found = there.drop(LogGap.startOfDense(there)).foldLeft(Vector.empty[LogRecord]) { (before, seq) =>
      reader.stored(seq).fold(before)(reader.whole(_).fold(_ => Vector.empty, before :+ _))
    }
    if (found.nonEmpty || there.isEmpty) counting(found)
    else if (left == 0) throw reader.torn(there.last, "its base records are missing")
    else allOf(store.list(), left - 1)
  }

  private def counting(records: Vector[LogRecord]): Vector[LogRecord] =
    records
      .scanLeft(Option.empty[LogRecord]) { (before, record) =>
        Some(
          if (!isCalledOff(record)) record
          else withoutEffect(record)(before.getOrElse(record)).as(RecordOutcome.CalledOff)
        )
      }
      .flatten

  /** Returns the decisions of all later records, oldest first. `None` if the next record was trimmed. */
  def decisionsAfter(seq: Long): Option[Vector[Decision]] = {
    val later = store.list().filter(_ > seq)
    if (later.isEmpty) Some(Vector.empty)
    else if (later.head != seq + 1 || later.last - later.head != later.size - 1) None
    else Some(later.flatMap(reader.stored(_)).map(_.decision)).filter(_.size == later.size)
  }

  /** Adds the record at its own place, or reports that another driver owns the place (I3: this call decides).
    *
    * Creating the record is not sufficient: see [[LookBack]]. Error: `STOPLOG_PLACE_CHANGED` if a preceding
    * record is missing. In this case nothing is decided. A start in the right place does not find the record,
    * and a start in the wrong place is rejected ([[refuseGap]]).
    *
    * An exception of the store leaves the outcome unknown. A store may also report `Taken` if the first
    * attempt of the same call created the record. Then the record is read back and made durable, and its
    * bytes decide. Two runs never write the same bytes.
    */
  def append(record: LogRecord): Appended = {
    val written = writer.write(record, reader.lastRead(record.seq - 1))
    val bytes   = written.bytes
    val outcome =
      try
        store.putIfAbsent(record.seq, bytes) match {
          case PutOutcome.Taken if isThere(record.seq, bytes) =>
            madeDurable(record.seq, new IOException(Repeated))
          case other => other
        }
      catch {
        case NonFatal(cause) =>
          readBack(record.seq, cause) match {
            case Some(found) if found.sameElements(bytes) => madeDurable(record.seq, cause)
            case Some(_)                                  => PutOutcome.Taken
            case None                                     => throw cause
          }
      }
    outcome match {
      case PutOutcome.Taken   => Overtaken(nameOfRun(record.seq))
      case PutOutcome.Created =>
        val there = store.list()
        LookBack.at(record.seq, before(record.seq), there) match {
          case LookBack.Overtaken(newer)   => Overtaken(nameOfRun(newer))
          case LookBack.Elsewhere(missing) => throw Errors.placeChanged(store.describe(missing))
          case LookBack.Newest             =>
            seen = there
            writer.decided(written)
            upkeep.decided(record)
            Decided
        }
    }
  }

  /** Returns the run that wrote the newest record, if the newest record is newer than `seq`.
    *
    * Error: `STOPLOG_PLACE_CHANGED` if neither this record nor a newer record exists.
    */
  def overtaken(seq: Long): Option[String] = look(seq) match {
    case LookBack.Newest             => None
    case LookBack.Overtaken(newer)   => Some(nameOfRun(newer))
    case LookBack.Elsewhere(missing) => throw Errors.placeChanged(store.describe(missing))
  }

  /** Returns whether the newest record is known to be executed: parts published and follow-up done. Preceding
    * records were executed before the next record was written, possibly without a mark. Most records without
    * parts need no work.
    */
  def isPublished(record: LogRecord): Boolean = !record.hasToBeSettled || store.isPublished(record.seq)

  /** Returns the parts of this newest record that the record decides and that are not published yet. Readers
    * do not see the rows of these parts, as they do not see the rows of open parts.
    */
  def unpublished(record: LogRecord): Vector[Pending] =
    if (isPublished(record) || isCalledOff(record)) Vector.empty else record.publish

  /** Returns whether the record is marked as executed, even if only its mark still exists. */
  def isMarked(seq: Long): Boolean = store.isPublished(seq)

  /** Marks the record as executed. Returns `true` if no earlier call has marked the record. */
  def markPublished(record: LogRecord): Boolean =
    !record.hasToBeSettled || store.markPublished(record.seq) == PutOutcome.Created

  /** Returns the paths of the record's parts known to have been visible before the record is published. */
  def visible(record: LogRecord): Set[String] =
    if (record.hasToBeSettled)
      Iterator.from(0).map(store.visible(record.seq, _)).takeWhile(_.isDefined).flatten.flatten.toSet
    else Set.empty

  /** Adds paths to [[visible]]. Safe with concurrent calls, because a note is written once and never
    * replaced. Paths missing from existing notes are written to the next note.
    */
  def noteVisible(record: LogRecord, paths: Set[String]): Unit = noteVisible(record.seq, number = 0, paths)

  @tailrec
  private def noteVisible(seq: Long, number: Int, paths: Set[String]): Unit =
    if (paths.nonEmpty && store.noteVisible(seq, number, paths) == PutOutcome.Taken)
      noteVisible(seq, number + 1, paths -- store.visible(seq, number).getOrElse(Set.empty))

  /** Records that these parts of the record are lost and skipped. Safe with concurrent calls. */
  def noteSkipped(record: LogRecord, paths: Set[String]): Unit = noteSkipped(record.seq, number = 0, paths)

  @tailrec
  private def noteSkipped(seq: Long, number: Int, paths: Set[String]): Unit =
    if (store.noteSkipped(seq, number, paths) == PutOutcome.Taken) noteSkipped(seq, number + 1, paths)

  /** Returns the outcome of a record that was carried out. */
  def outcome(seq: Long): RecordOutcome = store.outcome(seq)

  /** Returns the first kept record from `seq` on. */
  def firstFrom(seq: Long): Option[Long] = store.list().find(_ >= seq)

  /** Returns whether the log ends before this record: no such record was created, or the log has lost it. */
  def endsBefore(seq: Long): Boolean = firstFrom(seq).isEmpty

  /** Records how a replacement ends, unless a process has already done so. Returns the effective note. */
  def noteReplacement(record: LogRecord, end: ReplacementNote): ReplacementNote =
    if (store.noteReplacement(record.seq, end) == PutOutcome.Created) end
    else notedReplacement(record).getOrElse(ReplacementNote.Publishing)

  /** Returns the recorded end of a replacement. `None` before a process has recorded the end. */
  def notedReplacement(record: LogRecord): Option[ReplacementNote] = store.notedReplacement(record.seq)

  /** Returns whether a replacement was called off: its files stay, and its parts are never visible. */
  def isCalledOff(record: LogRecord): Boolean =
    record.replaces && notedReplacement(record).exists(_.isInstanceOf[ReplacementNote.CalledOff])

  /** Returns whether the log proves that a record before the newest record was executed. The log has no proof
    * for a record that was called off, or for a trimmed replacement.
    */
  def provesExecuted(seq: Long): Boolean = store.notedReplacement(seq) match {
    case Some(end) => end == ReplacementNote.Publishing
    case None      => reader.stored(seq).exists(_.decision.replace.isEmpty) // deleted after its notes
  }

  /** Returns the location of the record for messages. */
  def describe(seq: Long): String = store.describe(seq)

  /** Returns the decision of the record at this place. `None` if the record is missing. */
  def decisionAt(seq: Long): Option[Decision] = reader.stored(seq).map(_.decision)

  /** Removes expired records and marks ([[LogRules]]) seen by the last [[append]]. The newest record is
    * always kept.
    *
    * @param settled  the record that has just been executed
    * @param keepFrom the first record that the targets of announcements need
    */
  def trim(settled: LogRecord, keepFrom: Long = Long.MaxValue): Unit = upkeep.trim(settled, seen, keepFrom)

  /** Returns the seen records that exist as long as `seq` is the newest record: no trim removes them. */
  private def before(seq: Long): Vector[Long] =
    (seen.takeRight(rules.records - 1) ++ Some(seq - 1).filter(_ >= 0)).filter(_ < seq).distinct

  private def nameOfRun(seq: Long): String =
    reader.stored(seq).fold("an unknown run")(_.decision.run.value)

  /** Returns the newest readable record. If a record or its base was trimmed after the listing, a newer
    * record exists. Fails if a record stays listed and cannot be read.
    */
  @tailrec
  private def newestOf(listed: Vector[Long], left: Int): Option[LogRecord] = listed.lastOption match {
    case None      => None
    case Some(seq) =>
      reader.whole(seq) match {
        case Right(found) => Some(found)
        case Left(gone)   =>
          val again = relisted()
          val newer = again.lastOption.exists(_ > seq)
          if (!newer && left == 0) throw reader.torn(seq, gone.whyTorn(seq))
          newestOf(again, if (newer) Looks else left - 1)
      }
  }

  private def relisted(): Vector[Long] = {
    seen = store.list()
    seen
  }

  private def isThere(seq: Long, bytes: Array[Byte]): Boolean = store.read(seq).exists(_.sameElements(bytes))

  /** Reads the record back. Error: `STOPLOG_UNKNOWN_OUTCOME` if the storage no longer responds. */
  private def readBack(seq: Long, cause: Throwable): Option[Array[Byte]] =
    orUnknown(seq, cause)(store.read(seq))

  /** Makes a created record durable: the put may have failed before the record would survive a power loss. */
  private def madeDurable(seq: Long, cause: Throwable): PutOutcome = {
    orUnknown(seq, cause)(store.makeDurable(seq))
    PutOutcome.Created
  }

  private def orUnknown[A](seq: Long, cause: Throwable)(action: => A): A =
    try action
    catch {
      case NonFatal(_) =>
        throw Errors.unknownOutcome(store.describe(seq), String.valueOf(cause.getMessage), cause)
    }
}

private[stoplog] object CommitLog {

  /** The number of attempts to read a newest record that is listed but missing. */
  private val Looks = 3

  private final val Repeated = "the request was carried out and its answer lost"

  /** The outcome of [[CommitLog.append]]. */
  sealed trait Appended

  /** The record is permanently in the log and is the newest record. */
  case object Decided extends Appended

  /** Another driver continues from here. The current driver must not publish anything more. */
  final case class Overtaken(byRun: String) extends Appended
}
