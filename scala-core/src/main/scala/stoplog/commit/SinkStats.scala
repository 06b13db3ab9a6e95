// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{LogRecord, Totals}
import stoplog.part.{FinishedPart, Open, Pending}
import stoplog.rolling.RollReason
import stoplog.thread.Clock

/** The counts of a driver's run and its open parts. Immutable, so that any thread may read the figures.
  *
  * @param open         the open parts
  * @param pendingParts parts closed in a record, not yet known to be visible
  * @param published    parts, rows and bytes made visible by this run
  * @param rolled       parts closed in this run, by reason
  * @param compacted    the decided and visible compactions
  */
private[stoplog] final case class SinkStats(
    open: Vector[Open],
    pendingParts: Int,
    published: Totals,
    counts: SinkStats.Counts,
    rolled: Map[RollReason, Long],
    compacted: SinkStats.Compacted,
    lastRecord: SinkStats.Times
) {
  private[commit] def claimed(found: Vector[Open], tookMillis: Long): SinkStats =
    copy(open = found, lastRecord = lastRecord.copy(recoveryMillis = tookMillis))

  private[commit] def fenced: SinkStats = copy(counts = counts.copy(fencedRuns = 1))

  private[commit] def recorded(record: LogRecord, tookMillis: Long, epochs: Int): SinkStats = copy(
    open = record.state.open,
    pendingParts = record.publish.count(_.sizeBytes > 0),
    counts = counts.copy(
      epochs = counts.epochs + epochs,
      markedBuckets = counts.markedBuckets + record.follow.markers.size
    ),
    rolled = closed(record).foldLeft(rolled)((sum, part) => sum.updatedWith(part.reason)(plusOne)),
    lastRecord = lastRecord.copy(recordMillis = tookMillis)
  )

  private[commit] def rejected(rows: Long): SinkStats =
    copy(counts = counts.copy(rejectedRows = counts.rejectedRows + rows))

  private[commit] def late(buckets: Int): SinkStats =
    copy(counts = counts.copy(lateBuckets = counts.lateBuckets + buckets))

  /** @param record with the decisions that have taken effect */
  private[commit] def published(record: LogRecord, tookMillis: Long): SinkStats = {
    val parts = closed(record).filter(_.sizeBytes > 0) // a part without bytes has no file
    copy(
      pendingParts = 0,
      published = published + Totals(parts.size, parts.map(_.records).sum, parts.map(_.sizeBytes).sum),
      compacted = compacted.and(record.replace),
      lastRecord = lastRecord.copy(publishMillis = tookMillis)
    )
  }

  /** Returns the metrics of the run and its parts by name: in Spark `StreamingQueryProgress.sink.metrics`. */
  def metrics: Seq[(String, Long)] = Seq(
    "openParts"            -> open.size.toLong,
    "openBytes"            -> open.map(_.sizeBytes).sum,
    "oldestOpenPartMillis" -> open
      .map(_.openedAtMillis)
      .minOption
      .fold(0L)(at => (Clock.system.millis() - at).max(0)),
    "pendingParts"    -> pendingParts.toLong,
    "publishedParts"  -> published.files,
    "publishedBytes"  -> published.bytes,
    "publishedRows"   -> published.rows,
    "epochsCommitted" -> counts.epochs,
    "rejectedRows"    -> counts.rejectedRows,
    "bucketsComplete" -> counts.markedBuckets,
    "lateBuckets"     -> counts.lateBuckets,
    "compactions"     -> compacted.compactions,
    "compactedParts"  -> compacted.parts,
    "compactedBytes"  -> compacted.bytes,
    "recordMillis"    -> lastRecord.recordMillis,
    "publishMillis"   -> lastRecord.publishMillis,
    "recoveryMillis"  -> lastRecord.recoveryMillis,
    "fencedRuns"      -> counts.fencedRuns
  ) ++ RollReason.named.map(reason => metricOf(reason) -> rolled.getOrElse(reason, 0L)) :+
    "rolledByCustom" -> rolled.collect { case (_: RollReason.Custom, count) => count }.sum

  private def metricOf(reason: RollReason): String = s"rolledBy${reason.word.capitalize}"

  /** Returns the parts with rows that were not visible before. */
  private def closed(record: LogRecord): Vector[Pending] =
    if (record.replace.isEmpty) record.publish else Vector.empty

  private def plusOne(count: Option[Long]): Option[Long] = Some(count.getOrElse(0L) + 1)
}

private[stoplog] object SinkStats {
  val empty: SinkStats = SinkStats(
    Vector.empty,
    pendingParts = 0,
    Totals.nothing,
    Counts(0, 0, 0, 0, 0),
    Map.empty,
    Compacted(0, 0, 0),
    Times(0, 0, 0)
  )

  /** @param epochs        committed epochs
    * @param rejectedRows  rows of committed epochs in rejected parts
    * @param markedBuckets markers decided by records of this run
    * @param lateBuckets   how often rows were written to a bucket with a marker
    * @param fencedRuns    1 if a newer run has fenced this run, otherwise 0
    */
  final case class Counts(
      epochs: Long,
      rejectedRows: Long,
      markedBuckets: Long,
      lateBuckets: Long,
      fencedRuns: Long
  )

  /** @param compactions the number of compacted parts
    * @param parts  the number of replaced parts
    * @param bytes  the size of the replaced parts
    */
  final case class Compacted(compactions: Long, parts: Long, bytes: Long) {
    private[commit] def and(replaced: Vector[FinishedPart]): Compacted =
      if (replaced.isEmpty) this
      else Compacted(compactions + 1, parts + replaced.size, bytes + replaced.map(_.sizeBytes).sum)
  }

  /** Durations.
    *
    * @param recordMillis   to write the last record
    * @param publishMillis  to publish the parts of the last record
    * @param recoveryMillis to carry out the record of the preceding run, and to claim the log
    */
  final case class Times(recordMillis: Long, publishMillis: Long, recoveryMillis: Long)
}
