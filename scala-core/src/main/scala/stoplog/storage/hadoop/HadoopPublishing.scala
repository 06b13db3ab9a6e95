// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{FileNotFoundException, IOException}

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.sink.CommitOutcome

/** How a file of any Hadoop file system becomes visible: by a rename, of which nothing more is taken for granted than
  * that it ends with all the bytes under the new name.
  */
private[hadoop] final class HadoopPublishing(
    files: HadoopFiles,
    trimming: Trimming,
    lengths: ValidLengths,
    faults: Faults
) {
  private val finished = new Finished(files, lengths)

  /** @param copy    makes a copy of what counts of the staged file
    * @param another the name of that copy, which no other writer uses
    */
  def publish(staged: Path, sizeBytes: Long, target: Path, another: Path)(copy: => Unit): CommitOutcome =
    try published(staged, sizeBytes, target, another)(copy)
    catch {
      // another publisher was faster with one of the steps
      case _: FileNotFoundException if files.status(staged).isEmpty => finished.outcome(target, sizeBytes)
    }

  private def published(staged: Path, sizeBytes: Long, target: Path, another: Path)(
      copy: => Unit
  ): CommitOutcome =
    files.status(staged).map(_.getLen) match {
      case None                               => finished.outcome(target, sizeBytes)
      case Some(actual) if actual < sizeBytes => throw Errors.partShort(staged.toString, actual, sizeBytes)
      case Some(actual) if actual > sizeBytes => trimmed(staged, sizeBytes, target, another)(copy)
      case Some(_)                            => renamed(staged, staged, target, sizeBytes)
    }

  private def trimmed(staged: Path, sizeBytes: Long, target: Path, another: Path)(
      copy: => Unit
  ): CommitOutcome =
    trimming match {
      case Trimming.Truncate =>
        if (!files.fileSystem.truncate(staged, sizeBytes))
          throw new IOException(s"$staged was not cut to $sizeBytes bytes at once")
        renamed(staged, staged, target, sizeBytes)
      case Trimming.Copy =>
        try {
          copy
          renamed(another, staged, target, sizeBytes)
        } finally files.delete(another) // no record names it
      case Trimming.ValidLength =>
        // first, or readers would see the rest; not if another file has the name
        if (files.status(target).isEmpty) lengths.note(target, sizeBytes)
        renamed(staged, staged, target, sizeBytes)
    }

  /** @param ready the staged file, or a copy of what counts of it */
  private def renamed(ready: Path, staged: Path, target: Path, sizeBytes: Long): CommitOutcome = {
    faults.at(Step.MidPublish)
    files.renameInto(ready, target) match {
      case Renamed.Done =>
        if (ready != staged) files.delete(staged)
        CommitOutcome.Committed
      case Renamed.SourceGone  => finished.outcome(target, sizeBytes)
      case Renamed.NoDirectory => throw new IOException(s"$ready could not be renamed to $target")
      case Renamed.TargetThere => taken(ready, staged, target, sizeBytes)
    }
  }

  /** The same bytes under both names: another publisher was at it, or a rename that copies has died on its way. */
  private def taken(ready: Path, staged: Path, target: Path, sizeBytes: Long): CommitOutcome =
    if (HadoopPrefix.same(files, ready, target)) {
      files.delete(staged)
      CommitOutcome.AlreadyCommitted
    } else if (files.status(staged).isEmpty) finished.outcome(target, sizeBytes)
    else throw Errors.nameTaken(target.toString, "another file is there, which is not this part")
}
