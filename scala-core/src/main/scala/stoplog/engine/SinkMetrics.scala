// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import stoplog.commit.{Clock, SinkStats}
import stoplog.rolling.RollReason

/** The metrics of a run of the commit protocol, and of its parts: in Spark `StreamingQueryProgress.sink.metrics`. */
private[stoplog] object SinkMetrics {

  val empty: Seq[(String, Long)] = of(SinkStats.empty)

  def of(stats: SinkStats): Seq[(String, Long)] = Seq(
    "openParts"            -> stats.open.size.toLong,
    "openBytes"            -> stats.open.map(_.sizeBytes).sum,
    "oldestOpenPartMillis" -> stats.open.map(_.openedAtMillis).minOption.fold(0L)(Clock.system.millis() - _),
    "pendingParts"         -> stats.pendingParts.toLong,
    "publishedParts"       -> stats.publishedParts,
    "publishedBytes"       -> stats.publishedBytes,
    "publishedRows"        -> stats.publishedRows,
    "epochsCommitted"      -> stats.epochsCommitted,
    "rejectedRows"         -> stats.rejectedRows,
    "bucketsComplete"      -> stats.markedBuckets,
    "lateBuckets"          -> stats.lateBuckets,
    "compactions"          -> stats.compaction.merges,
    "compactedParts"       -> stats.compaction.parts,
    "compactedBytes"       -> stats.compaction.bytes,
    "recordMillis"         -> stats.recordMillis,
    "publishMillis"        -> stats.publishMillis
  ) ++ rolled(stats)

  private def rolled(stats: SinkStats): Seq[(String, Long)] = {
    val custom = stats.rolled.collect { case (_: RollReason.Custom, count) => count }.sum
    RollReason.named.map(reason =>
      s"rolledBy${reason.word.capitalize}" -> stats.rolled.getOrElse(reason, 0L)
    ) :+
      ("rolledByCustom" -> custom)
  }
}
