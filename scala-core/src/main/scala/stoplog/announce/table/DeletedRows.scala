// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

/** The deletion of single rows, which a table keeps apart from the file.
  *
  * @param isPresent whether another writer has deleted rows of the file
  * @param location  the location of the file, for messages
  * @param compactor the compaction that keeps the deletion, for messages
  * @tparam F a file as the table describes it
  */
private[stoplog] final case class DeletedRows[F](
    isPresent: F => Boolean,
    location: F => String,
    compactor: String
) {

  /** Throws [[Refusal]] if a compacted file would contain deleted rows of the replaced file. */
  def refuseCompaction(replaced: F): Unit =
    if (isPresent(replaced))
      throw new Refusal(
        s"a compaction has replaced ${location(replaced)}, and another writer has deleted rows of this file, which the " +
          s"compacted file contains. Switch compaction off, and run $compactor"
      )
}
