// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{FileNotFoundException, InputStream}

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.error.StoplogException
import stoplog.fault.{ConnectorSteps, Faults, Step}
import stoplog.format.bulk.WaitingRows
import stoplog.part.SideFile
import stoplog.sink.CommitOutcome

/** Sends chunks, on executors. Goes there.
  *
  * A note is written after the last row is acknowledged, and by the same process. What dies in between is sent again, unless
  * the target knows better, or writes the note together with the rows.
  *
  * @param faultsHere of the process that it is called in
  */
private[wal] final class ChunkSender(
    options: WriteAheadOptions,
    place: LogPlace,
    faultsHere: () => Faults
) extends Serializable {
  @transient private lazy val faults = faultsHere()

  /** Sends it unless that was done. Error: `STOPLOG_WAL_NOT_SENT`. */
  def send(chunk: Chunk, file: SideFile): CommitOutcome =
    try
      Using.resource(new ChunkFile(() => opened(file))) { rows =>
        rows.note.fold(withoutRows(chunk))(note => send(chunk, rows, schemaOf(note)))
      }
    catch {
      case known: StoplogException => throw known
      case NonFatal(e) => throw WriteAheadErrors.notSent(options.sender.target(options.passed), chunk, e)
    }

  /** Whoever has sent a chunk deletes its file. */
  private def withoutRows(chunk: Chunk): CommitOutcome =
    Using.resource(committer()) { committer =>
      if (committer.isCommitted(chunk)) CommitOutcome.AlreadyCommitted else CommitOutcome.Lost
    }

  private def send(chunk: Chunk, rows: ChunkRows, schema: StructType): CommitOutcome =
    Using.resource(options.sender.open(options.passed, schema)) {
      case noting: NotingTarget => send(chunk, rows, noting, note = () => ())
      case plain                =>
        Using.resource(committer()) { committer =>
          if (committer.isCommitted(chunk)) CommitOutcome.AlreadyCommitted
          else send(chunk, rows, plain, note = () => committer.commit(chunk))
        }
    }

  private def send(chunk: Chunk, rows: ChunkRows, target: RowTarget, note: () => Unit): CommitOutcome =
    target.has(chunk) match {
      case Arrival.Arrived =>
        noted(note)
        CommitOutcome.AlreadyCommitted
      case Arrival.Missing | Arrival.Unknown =>
        faults.at(WriteAheadStep.BeforeSend)
        if (!target.send(chunk, rows))
          throw new IllegalStateException("the sender answered that it did not send all rows")
        faults.at(WriteAheadStep.AfterSend)
        noted(note)
        CommitOutcome.Committed
    }

  private def noted(note: () => Unit): Unit = {
    note()
    faults.at(WriteAheadStep.AfterNote)
  }

  /** The rows may be of a run whose columns were others. */
  private def schemaOf(note: String): StructType = DataType.fromJson(note).asInstanceOf[StructType]

  private def opened(file: SideFile): Option[InputStream] =
    try Some(place.files.read(file))
    catch { case gone: StoplogException if gone.getCondition == "STOPLOG_PART_SHORT" => None }

  private def committer(): CheckpointCommitter = options.committers.open(options.passed, place)
}

/** A chunk's file. Used by one thread.
  *
  * @param open reads it from its beginning; `None` if it is gone
  */
private[wal] final class ChunkFile(open: () => Option[InputStream]) extends ChunkRows with AutoCloseable {
  private var current = Option.empty[InputStream]

  // What was read to find the note serves the first who wants the rows.
  private var unread = read()

  /** What its writer noted before the rows: their columns. `None` if there is no such file. */
  val note: Option[String] = unread.map(_._1)

  override def iterator: Iterator[InternalRow] = {
    val (_, rows) =
      unread.orElse(read()).getOrElse(throw new FileNotFoundException("the chunk's file is gone"))
    unread = None
    rows
  }

  override def close(): Unit = {
    current.foreach(_.close())
    current = None
  }

  private def read(): Option[(String, Iterator[InternalRow])] = {
    close()
    current = open()
    try current.map(WaitingRows.read(_)(columns))
    catch {
      case e: Throwable =>
        close()
        throw e
    }
  }

  private def columns(note: String): StructType = DataType.fromJson(note).asInstanceOf[StructType]
}

/** The steps of a write-ahead sink that sends what is in its log, besides [[stoplog.fault.Step.ofSinks]]. */
private[stoplog] object WriteAheadStep {
  case object BeforeSend extends Step("beforeSend", "the record decides; a chunk in the log, none of it sent")
  case object AfterSend  extends Step("afterSend", "a chunk sent and acknowledged; no note of that")
  case object AfterNote  extends Step("afterNote", "a chunk sent and noted; it is still in the log")

  val all: Vector[Step] = Vector(BeforeSend, AfterSend, AfterNote)
}

/** Found by [[stoplog.fault.Step.all]]. */
final class WriteAheadSteps extends ConnectorSteps {
  override def all: Vector[Step] = WriteAheadStep.all
}
