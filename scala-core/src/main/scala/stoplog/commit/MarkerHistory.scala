// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.Totals
import stoplog.storage.FileStore

/** The existing markers of a bucket. Read once for each time that a bucket comes into the state. */
private[commit] final class MarkerHistory(notes: FileStore, sinkId: String) {
  import MarkerHistory._

  /** Most buckets are new, and one look tells. */
  def of(bucket: String): Past =
    if (notes.read(MarkerNames.path(bucket, 1)).isEmpty) Past(0, Totals.nothing)
    else {
      val versions = notes
        .list(bucket, MarkerNames.First)
        .flatMap(note => MarkerNames.version(note.name))
        .sorted(Ordering.Int.reverse)
      val mine = versions.iterator
        .flatMap(version => notes.read(MarkerNames.path(bucket, version)))
        .flatMap(MarkerJson.total(_, sinkId))
        .nextOption()
      Past(versions.headOption.getOrElse(1), mine.getOrElse(Totals.nothing))
    }
}

private[commit] object MarkerHistory {

  /** @param version of the newest marker; 0 without one
    * @param marked  what the newest marker of this sink counts
    */
  final case class Past(version: Int, marked: Totals)
}
