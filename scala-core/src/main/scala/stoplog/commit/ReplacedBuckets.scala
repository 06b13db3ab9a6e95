// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{CommitLog, LogFiles, LogRules, RecordKind}
import stoplog.part.PartNaming
import stoplog.storage.{FileStore, HiddenNames}
import stoplog.thread.Parallel

/** Finds the buckets from which a job has removed all files that a stream has published. The state of the
  * stream still has the totals of these files, and a marker must not count these totals (P-143).
  *
  * A reader may also remove files, and its files count. So the log of replacements must show the job.
  */
private[commit] final class ReplacedBuckets(notes: FileStore, parallel: Parallel, retry: StorageRetry) {

  /** Returns the emptied buckets among these buckets. */
  def among(buckets: Vector[String]): Set[String] =
    if (buckets.isEmpty) Set.empty
    else {
      val replaced = byJobs
      parallel.map(buckets.filter(replaced))(bucket => Option.unless(hasPart(bucket))(bucket)).flatten.toSet
    }

  /** Returns the buckets of all files that jobs have replaced. A compaction keeps the rows. */
  private def byJobs: Set[String] = {
    val log = new CommitLog(new LogFiles(notes, Replacements.SinkId), LogRules.ofReplacements)
    retry(() => log.all()).iterator
      .filter(_.kind != RecordKind.Compact)
      .flatMap(_.replace)
      .map(_.bucket)
      .toSet
  }

  /** Returns whether the bucket has a file of a stream, possibly compacted since. */
  private def hasPart(bucket: String): Boolean = retry(() => notes.names(bucket)).exists { name =>
    !HiddenNames.isHidden(name) && PartNaming.kindOf(name).exists(_ != PartNaming.Kind.Replacing)
  }
}
