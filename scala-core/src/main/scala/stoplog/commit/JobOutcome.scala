// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.LogRecord
import stoplog.storage.HiddenNames

/** The changes of a batch job that readers see.
  *
  * The number of replaced rows is unknown: a listing does not count the rows of files.
  *
  * @param rows               of the new files
  * @param replacedFiles      the replaced files, without markers and valid-length files
  * @param replacedPartitions the directories of the replaced files
  */
private[stoplog] final case class JobOutcome(
    files: Long,
    rows: Long,
    replacedFiles: Long,
    replacedBytes: Long,
    replacedPartitions: Long
)

private[stoplog] object JobOutcome {
  val nothing: JobOutcome = JobOutcome(0, 0, 0, 0, 0)

  private[commit] def of(record: LogRecord): JobOutcome = {
    val added    = record.publish.filter(part => part.sizeBytes > 0 && !HiddenNames.areIn(part.finishedPath))
    val replaced = record.replace.filterNot(part => HiddenNames.isHidden(part.name))
    JobOutcome(
      added.size.toLong,
      added.map(_.records).sum,
      replaced.size.toLong,
      replaced.map(_.sizeBytes).sum,
      replaced.map(_.bucket).distinct.size.toLong
    )
  }
}
