// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, SettingFaults, StoplogException}
import stoplog.source._
import stoplog.storage.{OpenFailure, SourceFiles}

/** A source of files that continues after data that cannot be decoded, and records the omitted data in notes.
  *
  * If a record cannot be decoded, only the record is omitted. If the next record cannot be found, the rest of
  * the smallest unit is omitted: a row group of Parquet, a stripe of ORC, a block of Avro, and otherwise the
  * piece, such as the rest of a torn compressed file. For each record, either the rows are read or a note
  * exists. A failure because of the query's settings is no fault of the file, and ends the query.
  *
  * @param place    where the notes are written
  * @param splitter finds the smallest units of a damaged piece
  */
private[stoplog] final class QuarantiningSource[R, T](
    source: FileSplitSource[R, T],
    files: SourceFiles,
    place: StateFiles,
    splitter: FileSplitter
) extends SplitSource[FileSplit, QuarantiningSource.HeldRows[T], T] {
  import QuarantiningSource.HeldRows

  private val quarantine = new Quarantine(place)

  override def describe: String = source.describe

  override def identity: Option[String] = source.identity

  override def splits: VersionedSerializer[FileSplit] = source.splits

  override def enumerator(context: EnumeratorContext[FileSplit]): SplitEnumerator[FileSplit] =
    source.enumerator(context)

  override def reader(): SplitReader[FileSplit, HeldRows[T]] =
    new QuarantiningSource.Reader(source, files, quarantine, splitter)

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

  private type Noted = Quarantine.Notes

  /** Reads pieces one at a time by a reader of the source and makes the rows, to detect failures of both
    * steps.
    *
    * If a reader fails, a new reader reads the piece once more and skips the records already handed out. Only
    * if the new reader fails as well, and the storage returns the bytes each time, the file is the cause. The
    * piece is then read in the smallest units of its format, and only damaged units are omitted.
    */
  private final class Reader[R, T](
      source: FileSplitSource[R, T],
      files: SourceFiles,
      quarantine: Quarantine,
      splitter: FileSplitter
  ) extends SplitReader[FileSplit, HeldRows[T]] {
    private val waiting                  = mutable.ArrayDeque.empty[Reading]
    private val emitter                  = source.emitter()
    private val held                     = new HeldRows[T]
    @volatile private var reader         = source.reader()
    private var readsUnits               = false
    private var current: Option[Reading] = None

    // The next records that were handed out before, and are read once more.
    private var again = 0L

    override def add(splits: Seq[FileSplit]): Unit = {
      waiting ++= splits.flatMap(source.divide(_, PieceBytes)).map(piece => new Reading(piece, None))
      ()
    }

    override def fetch(): Fetched[FileSplit, HeldRows[T]] = current match {
      case Some(piece)             => piece.fetch()
      case None if waiting.isEmpty => Fetched.Finished
      case None                    =>
        val piece = waiting.removeHead()
        piece.begin()
        current = Some(piece)
        piece.fetch()
    }

    override def wakeUp(): Unit = reader.wakeUp()

    override def close(): Unit = reader.close()

    /** A piece, or a unit of a piece, while it is read.
      *
      * @param of the piece of a unit
      */
    private final class Reading(split: FileSplit, of: Option[Reading]) {
      private val fileName     = files.describe(split.file.path)
      private val notes: Noted = of.fold(quarantine.notes(fileName, split))(_.notes)
      private var earlier      = 0L // records that were handed out before this reading
      private var passed       = 0L // records that this reading has handed out
      private var rows         = 0L // in all records since the start of the split
      private var failures     = 0
      private def isLastUnit   = waiting.headOption.forall(_.notes ne notes)

      def begin(): Unit = {
        if (of.isEmpty) again = 0
        earlier = again
        if (readsUnits != of.isDefined) restart()
        reader.add(Seq(split))
      }

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
        if (isLastUnit) notes.flush()
        current = None
      }

      private def restart(): Unit = {
        reader.close()
        reader = if (of.isDefined) source.unitReader() else source.reader()
        readsUnits = of.isDefined
      }

      private def failed(e: Throwable): Unit = {
        if (isNotTheFiles(e) || !Quarantine.isStored(files, split)) throw e
        failures += 1
        restart()
        if (failures == 1) {
          again = earlier + passed
          rows = 0
          reader.add(Seq(split))
        } else
          units match {
            case smaller if smaller.nonEmpty =>
              again = earlier + passed
              waiting.prependAll(smaller.map(unit => new Reading(unit, Some(this))))
              current = None
            case _ =>
              quarantine
                .notes(fileName, split)
                .add(noteOf(positionOf(e), e, Quarantine.Omitted.Rest(split.extent, rows, split.framing)))
              again = 0 // all records that were handed out are in front of the damage
              finish()
          }
      }

      /** Without an index of the blocks, the piece is the unit. */
      private def units: Seq[FileSplit] =
        if (of.isDefined) Nil
        else
          try splitter.units(split)
          catch { case NonFatal(_) => Nil }

      private def isNotTheFiles(e: Throwable): Boolean =
        !OpenFailure.mayBeContent(e) || SettingFaults.of(e).isDefined || Causes.of(e).exists {
          case known: StoplogException => known.getCondition == "STOPLOG_SOURCE_FILE_CHANGED"
          case _                       => false
        }

      private def positionOf(e: Throwable): String = e match {
        case known: StoplogException =>
          Option(known.getMessageParameters.get("position")).getOrElse(split.extent.toString)
        case _ => split.extent.toString
      }

      private def noteOf(position: String, e: Throwable, leftOut: Quarantine.Omitted): Quarantine.Note =
        Quarantine.Note(fileName, split.file, position, Causes.reason(e), leftOut, source.isTailed)

      private final class Records(records: Fetched.Records[FileSplit, R])
          extends Fetched.Records[FileSplit, HeldRows[T]] {

        override def advance(): Boolean = {
          held.clear()
          moved() && {
            rows += rowsOf(records.record)
            if (again > 0) again -= 1
            else {
              passed += 1
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
              SettingFaults.of(e).foreach(cause => throw ofSettings(e, cause))
              held.clear()
              notes.add(noteOf(position(record), e, Quarantine.Omitted.Record(raw(record))))
          }

        private def ofSettings(e: Throwable, cause: Throwable): Throwable = e match {
          case known: StoplogException => known
          case _                       => Errors.sourceFileSettings(fileName, Causes.message(cause), e)
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
