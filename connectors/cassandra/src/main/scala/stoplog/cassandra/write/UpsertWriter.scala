// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.{BatchStatement, BatchType, BoundStatement, Statement}
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.client.{Answers, CassandraErrors, RequestCauses, RequestRetries, Sessions}
import stoplog.cassandra.options.CassandraOptions
import stoplog.fault.{Faults, Step}

/** Writes the rows of one task by their keys: done twice, it has the same effect. */
private[cassandra] final class UpsertWriter(
    plan: WritePlan,
    session: CqlSession,
    options: CassandraOptions,
    epochMicros: Option[Long],
    faults: Faults = Faults.ofThisJvm
) {
  private val retries = RequestRetries(options.retryTimeoutMillis)
  private val binder  =
    new RowBinder(plan, session, options.consistency, options.write.nulls, epochMicros, retries)
  private val inFlight =
    new InFlight(options.write.maxInFlight, retries, Answers.limitMillis(session), Sessions.timer)
  private val groups = new PartitionGroups(options.write.maxBatchRows, options.write.maxBatchBytes, send)
  private var rows   = 0L

  /** Errors: `STOPLOG_CASSANDRA_BAD_ROW`; and `STOPLOG_CASSANDRA_WRITE` for any row until now. */
  def write(row: InternalRow): Unit = {
    groups.add(binder.bind(row))
    rows += 1
    faults.at(Step.MidWrite)
  }

  /** Returns when the cluster has all rows, as `consistency` counts it. Error: `STOPLOG_CASSANDRA_WRITE`. */
  def finish(): WrittenRows = {
    groups.flush()
    faults.at(Step.BeforeSync)
    inFlight.await()
    faults.at(Step.AfterSync)
    WrittenRows(rows, inFlight.counts, binder.latestMicros)
  }

  def counts: WrittenRows = WrittenRows(rows, inFlight.counts, binder.latestMicros)

  private def send(rows: Seq[BoundStatement]): Unit = {
    val request: Statement[_] = rows match {
      case Seq(one) => one
      case several  =>
        // Of one partition: so it is one write for the node, and needs no log of its own.
        val batch = BatchStatement.builder(BatchType.UNLOGGED)
        several.foreach(batch.addStatement)
        batch.setIdempotence(true).setConsistencyLevel(options.consistency).build()
    }
    inFlight.send(() => session.executeAsync(request), blame(rows, _))
  }

  private def blame(rows: Seq[BoundStatement], cause: Throwable): Throwable =
    CassandraErrors.write(
      plan.table,
      binder.describe(rows.head),
      rows.size - 1,
      RequestCauses.describe(cause),
      cause
    )
}

/** What a task has written.
  *
  * @param latestMicros the latest timestamp of a row, where it came from the epoch
  */
private[cassandra] final case class WrittenRows(
    rows: Long,
    counts: InFlight.Counts,
    latestMicros: Option[Long]
)

private[cassandra] object WrittenRows {
  val nothing: WrittenRows = WrittenRows(0, InFlight.Counts(0, 0, 0), None)
}
