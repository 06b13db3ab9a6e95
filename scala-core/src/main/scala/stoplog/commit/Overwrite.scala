// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.error.Errors
import stoplog.log.CommitLog
import stoplog.storage.{FileStore, SinkDirectory}

/** Keeps a batch job that overwrites a path, and merges of the batch compaction, apart. A merge that is decided before an
  * overwrite has looked which files it replaces, and carried out after that, would put old rows back.
  *
  * So the job first says that it overwrites, and then claims the compaction's log, which carries out what was decided
  * there and fences a compaction that is alive. A compaction does it the other way round: it claims the log, and then looks
  * for such jobs. Of the two, one sees the other.
  *
  * @param job whose log the record of the overwrite goes to
  */
final class Overwrite(job: String, notes: FileStore, compaction: CompactionCommit) {

  /** Before the job looks which files are there. Errors: those of [[CompactionCommit.begin]]. */
  def begin(): Unit = {
    notes.putIfAbsent(Overwrite.note(job), job.getBytes(UTF_8))
    compaction.fence()
  }
}

object Overwrite {

  /** After a compaction's claim. Error: `STOPLOG_PATH_NOT_WRITABLE` when a job has begun to overwrite the path, and has not
    * carried that out.
    *
    * @param jobs the logs of the batch jobs under the path
    */
  def refuseUnderWay(path: String, jobs: Map[String, CommitLog], notes: FileStore): Unit =
    jobs.toVector.sortBy(_._1).foreach { case (job, log) =>
      if (notes.read(note(job)).isDefined && !log.newest().exists(log.isPublished))
        throw Errors.pathNotWritable(
          path,
          s"batch job $job overwrites it, or has died doing so; then the next batch job under the path carries that out"
        )
    }

  /** Removed with the rest of the job's directory. */
  private def note(job: String): String = SinkDirectory(job).overwrites
}
