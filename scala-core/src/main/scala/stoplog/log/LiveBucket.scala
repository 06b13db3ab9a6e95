// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** The numbers of files, rows and bytes in a bucket, or of those added to it. */
final case class Totals(files: Long, rows: Long, bytes: Long) {
  def +(other: Totals): Totals = Totals(files + other.files, rows + other.rows, bytes + other.bytes)
  def -(other: Totals): Totals = Totals(files - other.files, rows - other.rows, bytes - other.bytes)
}

object Totals {
  val nothing: Totals = Totals(0, 0, 0)
}

/** A bucket that has rows which no marker counts. It leaves the state with its marker, so that the state follows what
  * is live and not what there ever was.
  *
  * @param version             of its newest marker; 0 without one
  * @param marked              what that marker counts, of this sink
  * @param added               published since
  * @param lastWrittenAtMillis when the newest of the published rows was written
  */
final case class LiveBucket(
    bucket: String,
    version: Int,
    marked: Totals,
    added: Totals,
    lastWrittenAtMillis: Long
)
