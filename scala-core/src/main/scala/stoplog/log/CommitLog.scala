// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.io.IOException

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.storage.PutOutcome

/** The one dense, linear log of a sink id, over any [[LogFiles]]. The newest record alone is the whole state: some records
  * hold the difference from the one before, and only this class, and those that it reads and writes with, know which.
  */
private[stoplog] final class CommitLog(store: LogFiles, rules: LogRules = LogRules.standard) {
  import CommitLog._

  private val reader = new RecordReader(store, rules.published)
  private val writer = new RecordWriter(rules.deltas.on(store.durability))
  private val upkeep = new LogUpkeep(store, writer, rules)

  // What the last call of newest has seen.
  @volatile private var seen = Vector.empty[Long]

  /** The newest record, durable, for a caller that carries it out or goes on from it; `None` for a log that was never
    * written.
    *
    * Errors: `STOPLOG_RECORD_TORN`, `…_TOO_NEW`, `STOPLOG_STORE_WRITE`.
    */
  def newest(): Option[LogRecord] = {
    val found = newestOf(relisted(), left = Looks)
    // its writer may have died, or failed, before it was
    found.foreach(record => store.makeDurable(record.seq))
    found.map(leaving)
  }

  /** The record with the state that counts. If a `rewind` was called off, that is the state of the record before; if a
    * compaction was, the state with its inputs.
    */
  def leaving(record: LogRecord): LogRecord = counting(record) {
    reader
      .whole(record.seq - 1)
      .fold(gone => throw reader.torn(record.seq, gone.whyTorn(record.seq)), identity)
  }

  private def counting(record: LogRecord)(before: => LogRecord): LogRecord = {
    val isCompaction = record.isMerge && (record.state.live.nonEmpty || record.state.small.nonEmpty)
    if (!(record.isRewind || isCompaction) || !isCalledOff(record)) record
    else if (isCompaction) record.copy(state = record.calledOff(record.state))
    else record.copy(state = before.state)
  }

  /** Whether this record, which a process knows of, is the newest one here. No record is known if `seq` is negative. */
  def look(seq: Long): LookBack = {
    val there = store.list()
    if (seq < 0) LookBack.overtaking(seq, there).fold[LookBack](LookBack.Newest)(LookBack.Overtaken(_))
    else LookBack.at(seq, before = None, there)
  }

  /** For the driver, before it writes a first byte (I1).
    *
    * Errors: `STOPLOG_FENCED` if there is a record newer than `seq`, `STOPLOG_PLACE_CHANGED` if `seq` is not there either.
    */
  def refuseIfOvertaken(path: String, sinkId: String, seq: Long): Unit = look(seq) match {
    case LookBack.Newest             => ()
    case LookBack.Overtaken(newer)   => throw Errors.fenced(path, sinkId, newer, "another run")
    case LookBack.Elsewhere(missing) => throw Errors.placeChanged(store.describe(missing))
  }

  /** Refuses to start from a log that lacked records when [[newest]] was last called (I7).
    *
    * Old records are removed oldest first, and at least [[LogRules.records]] stay. So the records at the end of a log are
    * either that many without a gap, or they begin at 0. An operator may have begun the log anew after a gap.
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

  /** Every record that is kept, oldest first, but for those that are being removed. The log is dense: what lies before a
    * gap is no part of it, but was created by a run that slept until its place had been trimmed, and decided nothing.
    */
  def all(): Vector[LogRecord] = allOf(store.list(), left = Looks)

  /** A record whose base is not there is on its way out, with all before it. */
  @tailrec
  private def allOf(there: Vector[Long], left: Int): Vector[LogRecord] = {
    val found = there.drop(LogGap.startOfDense(there)).foldLeft(Vector.empty[LogRecord]) { (before, seq) =>
      reader.stored(seq).fold(before)(reader.whole(_).fold(_ => Vector.empty, before :+ _))
    }
    if (found.nonEmpty || there.isEmpty) counting(found)
    else if (left == 0) throw reader.torn(there.last, "what it rests on is not there")
    else allOf(store.list(), left - 1)
  }

  /** Each record with the state that counts ([[leaving]]). */
  private def counting(records: Vector[LogRecord]): Vector[LogRecord] =
    records
      .scanLeft(Option.empty[LogRecord]) { (before, record) =>
        Some(counting(record)(before.getOrElse(record)))
      }
      .flatten

  /** What the records after this one decide, oldest first; `None` if the next one was trimmed. */
  def decisionsAfter(seq: Long): Option[Vector[Decision]] = {
    val later = store.list().filter(_ > seq)
    if (later.isEmpty) Some(Vector.empty)
    else if (later.head != seq + 1 || later.last - later.head != later.size - 1) None
    else Some(later.flatMap(reader.stored(_)).map(_.decision)).filter(_.size == later.size)
  }

  /** Adds the record at its own place, or says that the place belongs to another driver (I3: this decides).
    *
    * Having created the record is not enough: [[LookBack]]. Error: `STOPLOG_PLACE_CHANGED` if the record before it is not
    * there. Then nothing is decided: a start in the right place does not find this record, and a start in the wrong place
    * is refused ([[refuseGap]]).
    *
    * An exception of the store leaves the outcome unknown, and a store may say that the place is taken when it was taken by
    * the first try of this very call; reading the place back then decides, once what it finds is durable. No two runs write
    * the same bytes.
    */
  def append(record: LogRecord): Appended = {
    val written = writer.write(record)
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
        LookBack.at(record.seq, Option.when(record.seq > 0)(record.seq - 1), there) match {
          case LookBack.Overtaken(newer)   => Overtaken(nameOfRun(newer))
          case LookBack.Elsewhere(missing) => throw Errors.placeChanged(store.describe(missing))
          case LookBack.Newest             =>
            writer.decided(written)
            upkeep.decided(record, there)
            Decided
        }
    }
  }

  /** The run that has written the newest record, if that is newer than this one.
    *
    * Error: `STOPLOG_PLACE_CHANGED` if neither this record nor a newer one is there.
    */
  def overtaken(seq: Long): Option[String] = look(seq) match {
    case LookBack.Newest             => None
    case LookBack.Overtaken(newer)   => Some(nameOfRun(newer))
    case LookBack.Elsewhere(missing) => throw Errors.placeChanged(store.describe(missing))
  }

  /** Whether the newest record's parts are known to be published, and what follows to be done: each before it was carried
    * out before the next one was written, and may have no mark any more. Most records without parts have nothing to do.
    */
  def isPublished(record: LogRecord): Boolean = !record.hasToBeSettled || store.isPublished(record.seq)

  /** Whether the record at this place is known to be carried out, also when it has been deleted and its mark has not. */
  def isMarked(seq: Long): Boolean = store.isPublished(seq)

  /** Answers whether this call has marked it, and none before. */
  def markPublished(record: LogRecord): Boolean =
    !record.hasToBeSettled || store.markPublished(record.seq) == PutOutcome.Created

  /** The paths of the record's parts that are known to have been visible, while the record is not published. */
  def visible(record: LogRecord): Set[String] =
    if (record.hasToBeSettled)
      Iterator.from(0).map(store.visible(record.seq, _)).takeWhile(_.isDefined).flatten.flatten.toSet
    else Set.empty

  /** Adds to what [[visible]] answers. Beside others that do the same, as a note is written once and never replaced: what
    * the notes lack that are there already goes into the next one.
    */
  def noteVisible(record: LogRecord, paths: Set[String]): Unit = noteVisible(record.seq, number = 0, paths)

  @tailrec
  private def noteVisible(seq: Long, number: Int, paths: Set[String]): Unit =
    if (paths.nonEmpty && store.noteVisible(seq, number, paths) == PutOutcome.Taken)
      noteVisible(seq, number + 1, paths -- store.visible(seq, number).getOrElse(Set.empty))

  /** Notes how a record that replaces files ends, unless a process has noted the end before. Returns the note that counts. */
  def noteReplacement(record: LogRecord, end: ReplacementNote): ReplacementNote =
    if (store.noteReplacement(record.seq, end) == PutOutcome.Created) end
    else notedReplacement(record).getOrElse(ReplacementNote.Begun)

  /** The end of a record that replaces files; `None` while no process has noted the end. */
  def notedReplacement(record: LogRecord): Option[ReplacementNote] = store.notedReplacement(record.seq)

  /** Whether a record that replaces files was called off: the files stay, and its parts are never shown. */
  def isCalledOff(record: LogRecord): Boolean =
    record.replaces && notedReplacement(record).exists(_.isInstanceOf[ReplacementNote.CalledOff])

  /** Whether the log states that a record, which is not its newest, was carried out. The log does not state this of a
    * record that was called off, nor of a trimmed record that replaced files.
    */
  def tellsCarriedOut(seq: Long): Boolean = store.notedReplacement(seq) match {
    case Some(end) => end == ReplacementNote.Begun
    case None      => reader.stored(seq).exists(_.decision.replace.isEmpty) // it is deleted after its notes
  }

  /** The location of the record at this place, for messages. */
  def describe(seq: Long): String = store.describe(seq)

  /** The record at this place, as its file has it; `None` if there is none. */
  def decisionAt(seq: Long): Option[Decision] = reader.stored(seq).map(_.decision)

  /** Removes what the [[LogRules]] do not keep, as far as the last [[append]] has seen it. Never the newest record.
    *
    * @param settled the record that has been carried out now
    */
  def trim(settled: LogRecord): Unit = upkeep.trim(settled)

  private def nameOfRun(seq: Long): String =
    reader.stored(seq).fold("an unknown run")(_.decision.run.value)

  /** A record that has been trimmed since the listing, or whose base has, leaves a newer one behind. One that stays listed
    * and cannot be read does not.
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

  /** Error: `STOPLOG_UNKNOWN_OUTCOME` when the storage does not answer any more. */
  private def readBack(seq: Long, cause: Throwable): Option[Array[Byte]] =
    orUnknown(seq, cause)(store.read(seq))

  /** The record stands, and a power loss may still take it: the put may have failed at that very step. */
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

  /** At a log whose newest record is listed and not there. */
  private val Looks = 3

  private final val Repeated = "the request was carried out and its answer lost"

  /** The outcome of [[CommitLog.append]]. */
  sealed trait Appended

  /** The record is in the log, for good, and the newest. */
  case object Decided extends Appended

  /** Another driver goes on from here; this one must not publish anything more. */
  final case class Overtaken(byRun: String) extends Appended
}
