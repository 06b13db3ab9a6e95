// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{FileNotFoundException, InterruptedIOException}
import java.nio.channels.ClosedByInterruptException

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.{Causes, StoplogException}
import stoplog.source._
import stoplog.storage.{OpenFailure, SourceFiles}

/** A source of files that continues after data that cannot be decoded, and records the omitted data in notes.
  *
  * If a record cannot be decoded, only the record is omitted. If the next record cannot be found, as in a
  * broken block or a torn compressed file, the rest of the piece is omitted. For each record, either the rows
  * are read or a note exists.
  *
  * @param place where the notes are written
  */
private[stoplog] final class QuarantiningSource[R, T](
    source: SplitSource[FileSplit, R, T],
    files: SourceFiles,
    place: StateFiles
) extends SplitSource[FileSplit, QuarantiningSource.HeldRows[T], T] {
  import QuarantiningSource.HeldRows

  private val quarantine = new Quarantine(place)

  override def describe: String = source.describe

  override def identity: Option[String] = source.identity

  override def splits: VersionedSerializer[FileSplit] = source.splits

  override def enumerator(context: EnumeratorContext[FileSplit]): SplitEnumerator[FileSplit] =
    source.enumerator(context)

  override def reader(): SplitReader[FileSplit, HeldRows[T]] =
    new QuarantiningSource.Reader(source, files, quarantine)

  override def emitter(): RecordEmitter[HeldRows[T], T] = (held, out) => held.foreach(out.put)

  /** Divides into pieces of a fixed size and ignores the requested size. The notes of a piece are named by
    * the start of the piece, and a repeated batch on another number of cores must find the notes.
    */
  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] =
    source.divide(split, QuarantiningSource.PieceBytes)

  override def metrics: Map[String, String] =
    try {
      val counts = quarantine.counts
      source.metrics ++ Map(
        "quarantinedFiles"   -> counts.files.toString,
        "quarantinedRecords" -> counts.records.toString
      )
    } catch { case NonFatal(_) => source.metrics } // metrics must not fail a query
}

private[file] object QuarantiningSource {
  private final val PieceBytes = 32L << 20

  /** Reads pieces one at a time by a reader of the source and makes the rows, to detect failures of both
    * steps.
    *
    * If a reader fails, a new reader reads the piece once more and skips the records already handed out. Only
    * if the new reader fails as well, and the storage returns the bytes each time, the file is the cause.
    */
  private final class Reader[R, T](
      source: SplitSource[FileSplit, R, T],
      files: SourceFiles,
      quarantine: Quarantine
  ) extends SplitReader[FileSplit, HeldRows[T]] {
    private val waiting                  = mutable.ArrayDeque.empty[FileSplit]
    private val emitter                  = source.emitter()
    private val held                     = new HeldRows[T]
    @volatile private var reader         = source.reader()
    private var current: Option[Reading] = None

    override def add(splits: Seq[FileSplit]): Unit = {
      waiting ++= splits.flatMap(source.divide(_, PieceBytes))
      ()
    }

    override def fetch(): Fetched[FileSplit, HeldRows[T]] = current match {
      case Some(piece)             => piece.fetch()
      case None if waiting.isEmpty => Fetched.Finished
      case None                    =>
        val piece = new Reading(waiting.head)
        reader.add(Seq(waiting.removeHead()))
        current = Some(piece)
        piece.fetch()
    }

    override def wakeUp(): Unit = reader.wakeUp()

    override def close(): Unit = reader.close()

    /** One piece, while it is read. */
    private final class Reading(split: FileSplit) {
      private val fileName = files.describe(split.file.path)
      private val notes    = quarantine.notes(fileName, split)
      private var passed   = 0L // processed records
      private var again    = 0L // processed records that are read once more
      private var rows     = 0L // in the processed records
      private var failures = 0

      def fetch(): Fetched[FileSplit, HeldRows[T]] =
        try
          reader.fetch() match {
            case records: Fetched.Records[FileSplit, R] => new Records(records)
            case Fetched.Nothing                        => Fetched.Nothing
            case Fetched.Finished                       =>
              finish()
              Fetched.Nothing
          }
        catch {
          case NonFatal(e) =>
            failed(e)
            Fetched.Nothing
        }

      private def finish(): Unit = {
        notes.flush()
        current = None
      }

      private def failed(e: Throwable): Unit = {
        if (isNotTheFiles(e) || !Quarantine.isStored(files, split)) throw e
        failures += 1
        reader.close()
        reader = source.reader()
        if (failures == 1) {
          again = passed
          reader.add(Seq(split))
        } else {
          note(positionOf(e), e, Quarantine.Omitted.Rest(split.extent, rows))
          finish()
        }
      }

      private def isNotTheFiles(e: Throwable): Boolean =
        Thread.currentThread().isInterrupted || Causes.of(e).exists {
          case known: StoplogException =>
            known.getCondition == "STOPLOG_SOURCE_FILE_CHANGED" || OpenFailure.isRefusal(known)
          case _: FileNotFoundException | _: InterruptedException => true
          case _: InterruptedIOException                          => true
          case _: ClosedByInterruptException                      => true
          case other                                              => OpenFailure.refusedBy(other).isDefined
        }

      private def positionOf(e: Throwable): String = e match {
        case known: StoplogException =>
          Option(known.getMessageParameters.get("position")).getOrElse(split.extent.toString)
        case _ => split.extent.toString
      }

      private def note(position: String, e: Throwable, leftOut: Quarantine.Omitted): Unit =
        notes.add(Quarantine.Note(fileName, split.file, position, Causes.reason(e), leftOut))

      private final class Records(records: Fetched.Records[FileSplit, R])
          extends Fetched.Records[FileSplit, HeldRows[T]] {

        override def advance(): Boolean = {
          held.clear()
          moved() && {
            if (again > 0) again -= 1
            else {
              passed += 1
              rows += rowsOf(records.record)
              emit(records.record)
            }
            true
          }
        }

        override def record: HeldRows[T] = held

        override def rest: Option[FileSplit] = records.rest

        private def moved(): Boolean =
          try records.advance()
          catch {
            case NonFatal(e) =>
              failed(e)
              false
          }

        private def emit(record: R): Unit =
          try emitter.emit(record, held)
          catch {
            case NonFatal(e) if !Thread.currentThread().isInterrupted =>
              held.clear()
              note(position(record), e, Quarantine.Omitted.Record(raw(record)))
          }

        private def rowsOf(record: R): Long = record match {
          case located: Located => located.rows
          case _                => 1
        }

        private def position(record: R): String = record match {
          case located: Located if located.position.isDefined => s"byte ${located.position.get}"
          case _                                              => s"record $passed of ${split.extent}"
        }

        private def raw(record: R): Option[Array[Byte]] = record match {
          case line: Line =>
            Some(java.util.Arrays.copyOfRange(line.bytes, line.offset, line.offset + line.length))
          case _ => None
        }
      }
    }
  }

  /** The rows of one record. */
  private[stoplog] final class HeldRows[T] extends RowOutput[T] {
    private val rows = mutable.ArrayBuffer.empty[T]

    override def put(row: T): Unit = {
      rows += row
      ()
    }

    private[file] def clear(): Unit = rows.clear()

    private[file] def foreach(action: T => Unit): Unit = rows.foreach(action)
  }
}
