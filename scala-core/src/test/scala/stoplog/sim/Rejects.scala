// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

/** Whether the format of a query refuses some rows, which then go to parts of their own. */
sealed trait Rejects extends Product with Serializable
object Rejects {
  case object Off extends Rejects

  /** One row of three. */
  case object Some extends Rejects

  /** The directory of rejected rows. Rows keep their bucket below the directory. */
  private val Directory = "rejected"

  def bucketOf(row: Row): String = s"$Directory/${row.bucket}"

  /** The bucket in which the oracle expects a row. */
  def bucketOf(row: String, source: Source): String = {
    val bucket = row.takeWhile(_ != ':')
    if (source.isRejected(row)) s"$Directory/$bucket" else bucket
  }
}
