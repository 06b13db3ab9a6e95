// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{FileNotFoundException, IOException}

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.sink.CommitOutcome
import stoplog.storage.hadoop.{HadoopFiles, Trimming, ValidLengths}
import stoplog.storage.hadoop.HadoopFiles.Renamed

/** Makes a file of HDFS visible in three steps. Any process may repeat each step.
  *
  * The first step renames the file, so that no task finds it. The second step ends the lease of the client
  * that opened the file before, and removes the bytes after the recorded length. The third step renames the
  * file to its final name. In any other order, a writer that survives could still append to a visible file.
  */
private[hdfs] final class HdfsPublishing(
    files: HadoopFiles,
    leases: HdfsLeases,
    trimming: Trimming,
    lengths: ValidLengths,
    faults: Faults
) {

  /** @param pending the name between the unfinished and the final name */
  def publish(staged: Path, pending: Path, target: Path, sizeBytes: Long): CommitOutcome = {
    files.rename(staged, pending) match {
      case Renamed.Done | Renamed.SourceGone         => ()
      case Renamed.TargetThere | Renamed.NoDirectory =>
        throw new IOException(s"$staged could not be renamed to $pending")
    }
    try {
      cut(pending, target, sizeBytes)
      faults.at(Step.MidPublish)
      files.renameInto(pending, target) match {
        case Renamed.Done        => CommitOutcome.Committed
        case Renamed.SourceGone  => lengths.outcome(target, sizeBytes)
        case Renamed.NoDirectory => throw new FileNotFoundException(s"${target.getParent} was removed")
        case Renamed.TargetThere => taken(pending, target, sizeBytes)
      }
    } catch {
      case _: FileNotFoundException if files.status(pending).isEmpty => lengths.outcome(target, sizeBytes)
    }
  }

  /** Removes the bytes after the recorded length, which were never committed (I2), or writes a valid-length
    * file. Returns only after a read has confirmed the recorded length while no client writes, or after the
    * valid-length file is written. Other publishers may be active, and responses may be lost.
    */
  @tailrec
  private def cut(pending: Path, target: Path, sizeBytes: Long, left: Int = Cuts): Unit = {
    leases.end(pending)
    val actual = files.fileSystem.getFileStatus(pending).getLen
    if (actual < sizeBytes) throw Errors.partShort(pending.toString, actual, sizeBytes)
    if (actual > sizeBytes) trimming match {
      case Trimming.ValidLength => note(target, sizeBytes)
      case _ if left == 0       =>
        throw new IOException(s"$pending has $actual bytes after it was cut to $sizeBytes")
      case _ =>
        truncate(pending, sizeBytes, left)
        cut(pending, target, sizeBytes, left - 1)
    }
  }

  /** Writes the length before the file gets its name, because readers would otherwise read all bytes. Skipped
    * if another file has the name.
    */
  private def note(target: Path, sizeBytes: Long): Unit =
    if (files.status(target).isEmpty) lengths.note(target, sizeBytes)

  private def truncate(pending: Path, sizeBytes: Long, left: Int): Unit =
    try if (!files.fileSystem.truncate(pending, sizeBytes)) leases.awaitClosed(pending)
    catch {
      case gone: FileNotFoundException => throw gone
      case _: IOException if left > 1  => () // another publisher may have been faster: check again
    }

  /** If the pending file does not exist any more, another publisher has created the final name. */
  private def taken(pending: Path, target: Path, sizeBytes: Long): CommitOutcome =
    if (files.status(pending).isEmpty) lengths.outcome(target, sizeBytes)
    else throw Errors.nameTaken(target.toString, "the file of this name is not this part")

  /** Each attempt may find another active publisher. */
  private final val Cuts = 5
}
