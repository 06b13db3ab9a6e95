// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer
import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.collection.mutable
import scala.collection.immutable.ArraySeq

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.{BatchStatement, BatchType, BoundStatement, Statement}
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.client.{CassandraErrors, RequestCauses, RequestRetries, ResponseLimit, Sessions}
import stoplog.cassandra.options.CassandraOptions
import stoplog.fault.{Faults, Step}

/** Writes the rows of a task by key; idempotent. */
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
    new InFlight(options.write.maxInFlight, retries, ResponseLimit.limitMillis(session), Sessions.timer)
  private val groups = new PartitionGroups(UpsertWriter.MaxBatchRows, options.write.maxBatchBytes, send)
  private val unacknowledged =
    Option.when(plan.timestamp == TimestampSource.Server)(new RepeatedKeys)
  private var rows = 0L

  /** Errors: `STOPLOG_BAD_ROW`; and `STOPLOG_REQUEST_FAILED` for any earlier row. */
  def write(row: InternalRow): Unit = {
    val bound = binder.bind(row)
    unacknowledged.foreach(_.add(bound.key)(awaitAll()))
    groups.add(bound)
    rows += 1
    faults.at(Step.MidWrite)
  }

  /** Returns after the cluster has stored all rows with the level `consistency`. Error:
    * `STOPLOG_REQUEST_FAILED`.
    */
  def finish(): WrittenRows = {
    groups.flush()
    faults.at(Step.BeforeSync)
    inFlight.await()
    faults.at(Step.AfterSync)
    WrittenRows(rows, inFlight.counts, binder.latestMicros)
  }

  def counts: WrittenRows = WrittenRows(rows, inFlight.counts, binder.latestMicros)

  private def awaitAll(): Unit = {
    groups.flush()
    inFlight.await()
  }

  private def send(rows: Seq[BoundStatement]): Unit = {
    val request: Statement[_] = rows match {
      case Seq(one) => one
      case several  =>
        // All rows belong to one partition: the batch is a single write for the node, and needs no batch log.
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

/** The counts of a task.
  *
  * @param latestMicros the latest timestamp of a row, if the rows use the epoch's timestamp
  */
private[cassandra] final case class WrittenRows(
    rows: Long = 0,
    counts: InFlight.Counts = InFlight.Counts(0, 0, 0),
    latestMicros: Option[Long] = None
)

/** Groups nearby rows of the same partition: a request for all rows of a group costs the node little more
  * than a request for a single row.
  *
  * @param maxRows  the maximum number of rows in a group
  * @param maxBytes the size of the values at which a group is sent
  * @param send     called with each group
  */
private[cassandra] final class PartitionGroups(
    maxRows: Int,
    maxBytes: Long,
    send: Seq[BoundStatement] => Unit
) {
  // The maximum number of rows that wait for other rows of their partitions.
  private final val HeldRows = 1000

  private val open = new JLinkedHashMap[ByteBuffer, Group]
  private var held = 0

  def add(row: Bound): Unit = {
    val key = if (maxRows == 1) null else row.statement.getRoutingKey
    if (key == null) send(ArraySeq(row.statement))
    else {
      val group = open.computeIfAbsent(key, _ => new Group)
      group.rows += row.statement
      group.bytes += row.bytes
      held += 1
      if (group.rows.size >= maxRows || group.bytes >= maxBytes) {
        open.remove(key)
        close(group)
      } else if (held >= HeldRows) closeOldest()
    }
  }

  /** Sends all waiting rows. */
  def flush(): Unit = {
    open.values.forEach(close(_))
    open.clear()
  }

  private def closeOldest(): Unit = {
    val oldest = open.entrySet().iterator()
    val group  = oldest.next().getValue
    oldest.remove()
    close(group)
  }

  private def close(group: Group): Unit = {
    held -= group.rows.size
    send(group.rows.toSeq)
  }

  private final class Group {
    val rows  = mutable.ArrayBuffer.empty[BoundStatement]
    var bytes = 0L
  }
}

private[cassandra] object UpsertWriter {

  /** The maximum number of rows of a partition in a request. */
  final val MaxBatchRows = 32
}
