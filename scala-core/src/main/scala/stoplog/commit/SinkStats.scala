// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.LogRecord
import stoplog.part.{FinishedPart, Open, Pending}
import stoplog.rolling.RollReason

/** The counts of a driver's run and the parts it holds now: immutable, so that any thread may read them.
  *
  * @param open          the parts open now
  * @param pendingParts  closed in a record, not yet known to be visible
  * @param rejectedRows  rows of committed epochs that could not be written and were put aside
  * @param markedBuckets markers that records of this run have decided
  * @param lateBuckets   how often rows came to a bucket that had a marker
  * @param rolled        parts closed in this run, by reason
  * @param compaction    the merges that are decided and visible
  * @param recordMillis  how long writing the last record took
  * @param publishMillis how long publishing the last record's parts took
  */
final case class SinkStats(
    open: Vector[Open],
    pendingParts: Int,
    publishedParts: Long,
    publishedBytes: Long,
    publishedRows: Long,
    epochsCommitted: Long,
    rejectedRows: Long,
    markedBuckets: Long,
    lateBuckets: Long,
    rolled: Map[RollReason, Long],
    compaction: CompactionStats,
    recordMillis: Long,
    publishMillis: Long
) {
  private[commit] def recorded(record: LogRecord, tookMillis: Long, epochs: Int): SinkStats = copy(
    open = record.state.open,
    pendingParts = record.publish.size,
    epochsCommitted = epochsCommitted + epochs,
    markedBuckets = markedBuckets + record.follow.markers.size,
    rolled = closed(record).foldLeft(rolled)((counts, part) => counts.updatedWith(part.reason)(plusOne)),
    recordMillis = tookMillis
  )

  private[commit] def rejected(rows: Long): SinkStats = copy(rejectedRows = rejectedRows + rows)

  private[commit] def late(buckets: Int): SinkStats = copy(lateBuckets = lateBuckets + buckets)

  private[commit] def published(record: LogRecord, tookMillis: Long): SinkStats = {
    val parts = closed(record)
    copy(
      pendingParts = 0,
      publishedParts = publishedParts + parts.size,
      publishedBytes = publishedBytes + parts.map(_.sizeBytes).sum,
      publishedRows = publishedRows + parts.map(_.records).sum,
      compaction = compaction.and(record.replace),
      publishMillis = tookMillis
    )
  }

  /** The parts with rows that were not visible before. */
  private def closed(record: LogRecord): Vector[Pending] =
    if (record.replace.isEmpty) record.publish else Vector.empty

  private def plusOne(count: Option[Long]): Option[Long] = Some(count.getOrElse(0L) + 1)
}

/** @param merges how many merged parts took the place of others
  * @param parts  how many parts those were
  * @param bytes  of them
  */
final case class CompactionStats(merges: Long, parts: Long, bytes: Long) {
  private[commit] def and(replaced: Vector[FinishedPart]): CompactionStats =
    if (replaced.isEmpty) this
    else CompactionStats(merges + 1, parts + replaced.size, bytes + replaced.map(_.sizeBytes).sum)
}

object SinkStats {
  val empty: SinkStats =
    SinkStats(Vector.empty, 0, 0, 0, 0, 0, 0, 0, 0, Map.empty, CompactionStats(0, 0, 0), 0, 0)
}
