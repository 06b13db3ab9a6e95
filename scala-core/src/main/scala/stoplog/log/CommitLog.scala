// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.error.Errors

/** The one dense, linear log of a sink id, over any [[RecordStore]]. The newest record alone is the whole state. */
final class CommitLog(store: RecordStore) {
  import CommitLog._

  // What the last append saw, oldest first, so that the trim that follows it need not ask again.
  @volatile private var seen = Vector.empty[Long]

  /** The newest record; `None` for a log that was never written. Errors: `STOPLOG_RECORD_TORN`, `…_TOO_NEW`. */
  @tailrec
  def newest(): Option[LogRecord] = store.list().lastOption match {
    case None      => None
    case Some(seq) =>
      read(seq) match {
        case None  => newest() // trimmed between the two looks, so there is a newer one
        case found => found
      }
  }

  /** A newer record than this, if there is one. */
  def newerThan(seq: Long): Option[Long] = store.newerThan(seq)

  /** Every record that is kept, oldest first. */
  def all(): Vector[LogRecord] = store.list().flatMap(read)

  /** Adds the record at its own place, or says that the place belongs to another driver (I3: this decides).
    *
    * Having created the record is not enough: [[LookBack]].
    *
    * An exception of the store leaves the outcome unknown; reading the place back then decides.
    */
  def append(record: LogRecord): Appended = {
    val bytes   = RecordCodec.encode(record)
    val outcome =
      try store.putIfAbsent(record.seq, bytes)
      catch {
        case NonFatal(cause) =>
          readBack(record.seq, cause) match {
            case Some(found) if found.sameElements(bytes) => PutOutcome.Created
            case Some(_)                                  => PutOutcome.Taken
            case None                                     => throw cause
          }
      }
    outcome match {
      case PutOutcome.Taken   => Overtaken(read(record.seq).map(_.run.value).getOrElse("an unknown run"))
      case PutOutcome.Created =>
        val there = store.list()
        LookBack.overtaking(record.seq, there) match {
          case Some(newer) => Overtaken(read(newer).map(_.run.value).getOrElse("an unknown run"))
          case None        =>
            seen = there
            Decided
        }
    }
  }

  /** Whether the record's parts are known to be published, and what follows to be done. Most records without parts
    * have nothing to do.
    */
  def isPublished(record: LogRecord): Boolean = !record.hasToBeSettled || store.isPublished(record.seq)

  def markPublished(record: LogRecord): Unit = if (record.hasToBeSettled) store.markPublished(record.seq)

  /** Removes all but the newest `keep` of the records that the last [[append]] left, oldest first. Never the newest. */
  def trim(keep: Int): Unit = {
    val (old, kept) = seen.splitAt(seen.size - keep.max(1))
    old.foreach(store.delete)
    seen = kept
  }

  /** Error: `STOPLOG_UNKNOWN_OUTCOME` when the storage does not answer any more. */
  private def readBack(seq: Long, cause: Throwable): Option[Array[Byte]] =
    try store.read(seq)
    catch {
      case NonFatal(_) =>
        throw Errors.unknownOutcome(store.describe(seq), String.valueOf(cause.getMessage), cause)
    }

  private def read(seq: Long): Option[LogRecord] = store.read(seq).map { bytes =>
    RecordCodec.decode(bytes) match {
      case Right(record)                     => record
      case Left(RecordCodec.Torn(why))       => throw Errors.recordTorn(store.describe(seq), why)
      case Left(RecordCodec.TooNew(version)) =>
        throw Errors.recordTooNew(store.describe(seq), version, RecordCodec.Version)
    }
  }
}

object CommitLog {

  /** How [[CommitLog.append]] ended. */
  sealed trait Appended

  /** The record is in the log, for good, and the newest. */
  case object Decided extends Appended

  /** Another driver goes on from here; this one must not publish anything more. */
  final case class Overtaken(byRun: String) extends Appended
}
