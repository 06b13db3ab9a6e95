package stoplog.wal

import java.io.InputStream
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.error.StoplogException
import stoplog.fault.{Faults, Step}
import stoplog.format.bulk.WaitingRows
import stoplog.part.SideFile
import stoplog.sink.CommitOutcome

/** Sends chunks, on executors. Goes there.
  *
  * A note is written after the last row is acknowledged, and by the same process. What dies in between is sent again, unless
  * the target knows better.
  *
  * @param faultsHere of the process that it is called in
  */
private[wal] final class ChunkSender(
    sender: RowSender,
    committers: CheckpointCommitters,
    options: Map[String, String],
    place: LogPlace,
    faultsHere: () => Faults
) extends Serializable {
  @transient private lazy val faults = faultsHere()

  /** Sends it unless that was done. Error: `STOPLOG_WAL_NOT_SENT`. */
  def send(chunk: Chunk, file: SideFile): CommitOutcome =
    Using.resource(committers.open(asked, place)) { committer =>
      if (committer.isCommitted(chunk)) CommitOutcome.AlreadyCommitted
      else
        try opened(file).fold[CommitOutcome](CommitOutcome.Lost)(Using.resource(_)(send(chunk, committer, _)))
        catch {
          case known: StoplogException => throw known
          case NonFatal(e)             => throw WriteAheadErrors.notSent(sender.target(asked), chunk, e)
        }
    }

  private def send(chunk: Chunk, committer: CheckpointCommitter, in: InputStream): CommitOutcome = {
    val (note, rows) = WaitingRows.read(in)(schemaOf(_).length)
    Using.resource(sender.open(asked, schemaOf(note))) { target =>
      target.has(chunk) match {
        case Arrival.Arrived =>
          noted(committer, chunk)
          CommitOutcome.AlreadyCommitted
        case Arrival.Missing | Arrival.Unknown =>
          faults.at(Step.BeforeSend)
          target.send(chunk, rows)
          faults.at(Step.AfterSend)
          noted(committer, chunk)
          CommitOutcome.Committed
      }
    }
  }

  /** The rows may be of a run whose columns were others. */
  private def schemaOf(note: String): StructType = DataType.fromJson(note).asInstanceOf[StructType]

  private def opened(file: SideFile): Option[InputStream] =
    try Some(place.files.read(file))
    catch { case gone: StoplogException if gone.getCondition == "STOPLOG_PART_SHORT" => None }

  private def noted(committer: CheckpointCommitter, chunk: Chunk): Unit = {
    committer.commit(chunk)
    faults.at(Step.AfterNote)
  }

  private def asked: JMap[String, String] = Caseless(options)
}

private[wal] object Caseless {
  import org.apache.spark.sql.util.CaseInsensitiveStringMap

  def apply(options: Map[String, String]): JMap[String, String] = new CaseInsensitiveStringMap(options.asJava)
}
