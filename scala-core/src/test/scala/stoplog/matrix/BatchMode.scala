// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit.JobCommit.Replacing
import stoplog.fault.Step
import stoplog.storage.VisibleFiles.Scope

/** What a batch job of the matrix does to the rows that are there, and what holds if it dies.
  *
  * @param result  what readers see once the next job has dealt with what a dead one left, in short
  * @param meaning the same as a sentence
  */
sealed abstract class BatchMode(
    val name: String,
    val replacing: Replacing,
    val steps: Vector[Step],
    val result: String,
    val meaning: String
) extends Product
    with Serializable {

  /** Whether the job writes rows to a bucket. */
  def writes(bucket: String): Boolean = true

  /** The rows that readers must see once a job has died that had decided, or had not. */
  def rows(isDecided: Boolean, old: Vector[String], added: Vector[String]): Vector[String]
}

object BatchMode {
  case object Append
      extends BatchMode(
        "append",
        Replacing.Nothing,
        Steps.ofBatchJobs.filterNot(Steps.replacing ++ Steps.ofReplacingJobs),
        "all or none",
        "readers see no new row if the process died before its record, and all of them otherwise; each row once, " +
          "and the old ones always."
      ) {
    override def rows(isDecided: Boolean, old: Vector[String], added: Vector[String]): Vector[String] =
      if (isDecided) old ++ added else old
  }

  case object Overwrite
      extends BatchMode(
        "overwrite",
        Replacing.Everything,
        Steps.ofBatchJobs,
        "old or new, whole",
        "readers see all old rows and no new one if the process died before its record, and all new rows and no " +
          "old one otherwise; each row once."
      ) {
    override def rows(isDecided: Boolean, old: Vector[String], added: Vector[String]): Vector[String] =
      if (isDecided) added else old
  }

  /** The job replaces two of the three buckets. */
  case object Partitions
      extends BatchMode(
        "overwrite of partitions",
        Replacing.Within(Scope.Exactly(Vector("a", ""))),
        Steps.ofBatchJobs,
        "old or new, whole",
        "readers see all old rows and no new one if the process died before its record, and otherwise all " +
          "new rows and of the old rows those of the other partition; each row once."
      ) {
    override def writes(bucket: String): Boolean = bucket != "b"

    override def rows(isDecided: Boolean, old: Vector[String], added: Vector[String]): Vector[String] =
      if (isDecided) added ++ old.filter(_.endsWith("'b'")) else old
  }
}
