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
  private val writer = new RecordWriter(rules.deltas)
  private val upkeep = new LogUpkeep(store, writer, rules)

  /** The newest record, durable, for a caller that carries it out or goes on from it; `None` for a log that was never
    * written.
    *
    * Errors: `STOPLOG_RECORD_TORN`, `…_TOO_NEW`, `STOPLOG_STORE_WRITE`.
    */
  def newest(): Option[LogRecord] = {
    val found = newestOf(store.list(), left = Looks)
    // its writer may have died, or failed, before it was
    found.foreach(record => store.makeDurable(record.seq))
    found.map(leaving)
  }

  /** The record with the state that counts. If a `rewind` was called off, that is the state of the record before. */
  def leaving(record: LogRecord): LogRecord =
    if (!record.isRewind || !isCalledOff(record)) record
    else reader.whole(record.seq - 1).fold(_ => record, before => record.copy(state = before.state))

  /** A newer record than this, if there is one. */
  def newerThan(seq: Long): Option[Long] = store.newerThan(seq)

  /** For a writer, before its first byte (I1). Error: `STOPLOG_FENCED` when there is a record newer than `seq`. */
  def refuseIfOvertaken(path: String, sinkId: String, seq: Long): Unit =
    newerThan(seq).foreach(newer => throw Errors.fenced(path, sinkId, newer, "another run"))

  /** Every record that is kept, oldest first, but for those that are being removed. The log is dense: what lies before a
    * gap is no part of it, but was created by a run that slept until its place had been trimmed, and decided nothing.
    */
  def all(): Vector[LogRecord] = allOf(store.list(), left = Looks)

  /** A record whose base is not there is on its way out, with all before it. */
  @tailrec
  private def allOf(there: Vector[Long], left: Int): Vector[LogRecord] = {
    val gap   = there.zip(there.drop(1)).lastIndexWhere { case (record, next) => next != record + 1 }
    val found = there.drop(gap + 1).foldLeft(Vector.empty[LogRecord]) { (before, seq) =>
      reader.stored(seq).fold(before)(reader.whole(_).fold(_ => Vector.empty, before :+ _))
    }
    if (found.nonEmpty || there.isEmpty) found
    else if (left == 0) throw reader.torn(there.last, "what it rests on is not there")
    else allOf(store.list(), left - 1)
  }

  /** Adds the record at its own place, or says that the place belongs to another driver (I3: this decides).
    *
    * Having created the record is not enough: [[LookBack]].
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
        LookBack.overtaking(record.seq, there) match {
          case Some(newer) => Overtaken(nameOfRun(newer))
          case None        =>
            writer.decided(written)
            upkeep.decided(record, there)
            Decided
        }
    }
  }

  /** The run that has written the newest record, if that is newer than this one. */
  def overtaken(seq: Long): Option[String] = newerIn(store.list(), seq)

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

  private def newerIn(there: Vector[Long], seq: Long): Option[String] =
    LookBack.overtaking(seq, there).map(nameOfRun)

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
          val again = store.list()
          val newer = again.lastOption.exists(_ > seq)
          if (!newer && left == 0) throw reader.torn(seq, gone.whyTorn(seq))
          newestOf(again, if (newer) Looks else left - 1)
      }
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

/** The look that decides, in each log whose old records are removed, whether a record that was created counts: it does
  * if nothing newer is there afterwards (I3, decision 0001).
  *
  * A writer that slept while others wrote more records than are kept finds its place free again. The newest record is
  * never removed, so a writer that was overtaken sees it.
  */
private[stoplog] object LookBack {

  /** The record that overtook this one, if one did.
    *
    * @param there all records, listed after this one was created
    */
  def overtaking(record: Long, there: Iterable[Long]): Option[Long] = there.maxOption.filter(_ > record)
}
