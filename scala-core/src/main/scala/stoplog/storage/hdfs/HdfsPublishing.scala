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

/** Makes a file of HDFS visible, in three steps of which each may be repeated by any process.
  *
  * First another name, under which no task looks for it; then the end of the lease of the client that opened it before,
  * and of the bytes behind the recorded length; then the final name. In another order a writer that lives on could still
  * append to a visible file.
  */
private[hdfs] final class HdfsPublishing(
    files: HadoopFiles,
    leases: HdfsLeases,
    trimming: Trimming,
    lengths: ValidLengths,
    faults: Faults
) {

  /** @param pending the name between the unfinished and the final one */
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

  /** Removes the bytes behind the recorded length, which were never committed (I2), or notes the length. Returns only
    * once the length has been read to be the recorded one, with no client writing, or noted to be: other publishers may
    * be at it, and answers get lost.
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

  /** Notes the length before the file gets its name, or readers would take all of it; not if another file has it. */
  private def note(target: Path, sizeBytes: Long): Unit =
    if (files.status(target).isEmpty) lengths.note(target, sizeBytes)

  private def truncate(pending: Path, sizeBytes: Long, left: Int): Unit =
    try if (!files.fileSystem.truncate(pending, sizeBytes)) leases.awaitClosed(pending)
    catch {
      case gone: FileNotFoundException => throw gone
      case _: IOException if left > 1  => () // maybe another publisher was faster: look again
    }

  /** The final name is another publisher's work, if the pending one has gone with it. */
  private def taken(pending: Path, target: Path, sizeBytes: Long): CommitOutcome =
    if (files.status(pending).isEmpty) lengths.outcome(target, sizeBytes)
    else throw Errors.nameTaken(target.toString, "another file is there, which is not this part")

  /** Each may find that another publisher was at it. */
  private final val Cuts = 5
}
