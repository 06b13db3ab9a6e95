// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit.JobCommit.Replacing
import stoplog.fault.Step

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

  /** The rows that readers must see once a job has died that had written so many records; `None` if the next job leaves
    * what it finds as it is.
    */
  def rows(records: Int, old: Vector[String], added: Vector[String]): Option[Vector[String]]
}

object BatchMode {
  case object Append
      extends BatchMode(
        "append",
        Replacing.Nothing,
        Steps.ofBatchJobs.filterNot(Steps.replacing),
        "all or none",
        "readers see no new row if the process died before its record, and all of them otherwise; each row once, " +
          "and the old ones always."
      ) {
    override def rows(records: Int, old: Vector[String], added: Vector[String]): Option[Vector[String]] =
      Some(if (records > 0) old ++ added else old)
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
    override def rows(records: Int, old: Vector[String], added: Vector[String]): Option[Vector[String]] =
      Some(if (records > 0) added else old)
  }

  /** Where nobody can tell whether a job still goes on with what it has decided. */
  case object LoneOverwrite
      extends BatchMode(
        "overwrite",
        Replacing.Everything,
        Steps.ofBatchJobs,
        "old or new, unmixed",
        "as long as a job takes away what it replaces, nobody can go on with it for it; if it died before, readers " +
          "see all old rows, if it died later, all new ones, and if it died meanwhile, those of the old ones that were " +
          "left, until the job is run again; each row once."
      ) {
    override def rows(records: Int, old: Vector[String], added: Vector[String]): Option[Vector[String]] =
      records match {
        case 0 => Some(old)
        case 1 => None
        case _ => Some(added)
      }
  }
}
