// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine.EngineRun

/** One start of a query: what lasts from epoch to epoch. */
private[jdbc] abstract class JdbcRun extends EngineRun[InternalRow, TaskResult] {
  @volatile private var total = SinkCounts.empty

  override def counts: Seq[(String, Long)] = total.values

  /** @param refused rows that the target refused at the commit */
  protected def committed(results: Seq[TaskResult], refused: Long, millis: Long): Unit = {
    val rejected = results.map(_.rejects).sum + refused
    total = SinkCounts(
      total.rows + results.map(_.rows).sum - refused,
      total.rejected + rejected,
      total.epochs + 1,
      total.retries + results.map(_.retries).sum,
      millis
    )
  }
}

/** What a run has done: `StreamingQueryProgress.sink.metrics`.
  *
  * @param commitMillis how long the last epoch's transaction took
  */
private[jdbc] final case class SinkCounts(
    rows: Long,
    rejected: Long,
    epochs: Long,
    retries: Long,
    commitMillis: Long
) {
  def values: Seq[(String, Long)] = Seq(
    "writtenRows"     -> rows,
    "rejectedRows"    -> rejected,
    "epochsCommitted" -> epochs,
    "retries"         -> retries,
    "commitMillis"    -> commitMillis
  )
}

private[jdbc] object SinkCounts {
  val empty: SinkCounts = SinkCounts(0, 0, 0, 0, 0)
}
