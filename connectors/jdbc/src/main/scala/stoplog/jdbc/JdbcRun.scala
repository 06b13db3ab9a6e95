// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap}

import stoplog.commit.BatchDigests
import stoplog.thread.Uninterrupted

/** One start of a query: what lasts from epoch to epoch.
  *
  * @param driver of exactly-once inserts; upserts have none
  */
private[jdbc] final class JdbcRun(val runId: String, driver: Option[EpochDriver]) {
  @volatile private var total = SinkCounts.empty

  def counts: SinkCounts = total

  def begin(batch: Long, digests: BatchDigests): Begun =
    driver.fold[Begun](Begun.Open)(_.begin(batch, digests))

  def commit(batch: Long, results: Seq[TaskResult], existing: Existing): Unit = driver.foreach { driver =>
    val begun = System.nanoTime()
    // An interrupt in the middle of a request makes some drivers close the connection: an outcome unknown for nothing.
    val refused = Uninterrupted.call(driver.commit(batch, results, existing))
    committed(results, refused, (System.nanoTime() - begun) / 1000000)
  }

  /** @param refused rows that the target refused at the commit */
  def committed(results: Seq[TaskResult], refused: Long, millis: Long): Unit = {
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
  def toMetrics: JMap[String, String] = {
    val metrics = new JLinkedHashMap[String, String]()
    Seq(
      "writtenRows"     -> rows,
      "rejectedRows"    -> rejected,
      "epochsCommitted" -> epochs,
      "retries"         -> retries,
      "commitMillis"    -> commitMillis
    ).foreach { case (name, value) => metrics.put(name, value.toString) }
    metrics
  }
}

private[jdbc] object SinkCounts {
  val empty: SinkCounts = SinkCounts(0, 0, 0, 0, 0)
}
