// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.InputStream

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.part.SpoolFile
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
  def send(chunk: Chunk, file: SpoolFile): CommitOutcome =
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

  private def opened(file: SpoolFile): Option[InputStream] =
    try Some(place.files.read(file))
    catch { case gone: StoplogException if gone.getCondition == "STOPLOG_PART_SHORT" => None }

  private def committer(): CheckpointCommitter = options.committers.open(options.passed, place)
}
