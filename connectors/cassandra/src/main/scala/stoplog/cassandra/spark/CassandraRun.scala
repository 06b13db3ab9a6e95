// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.client.{RequestRetries, Sessions}
import stoplog.cassandra.options.{CassandraOptions, WriteTimestamp}
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.write.{EpochClock, InFlight, UpsertWriter, WritePlan, WrittenRows}
import stoplog.commit.{BatchDigests, Planned}
import stoplog.engine.{EngineRun, EpochStart, SinkWriter, SinkWriterFactory, TaskAttempt, TaskMetric}
import stoplog.fault.{Faults, Step}

/** A run of a streaming query: the state that the driver keeps between epochs. */
private[spark] final class CassandraRun(
    table: TableInfo,
    options: CassandraOptions,
    plan: WritePlan,
    queryId: String,
    faults: Faults = Faults.ofThisJvm
) extends EngineRun[InternalRow, WrittenRows] {
  private val clock = options.write.timestamp match {
    case ofEpoch: WriteTimestamp.OfEpoch => Some(EpochClock.of(options, ofEpoch, queryId))
    case _                               => None
  }

  private var total  = WrittenRows()
  private var epochs = 0L
  private var micros = 0L

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, WrittenRows] =
    new CassandraWriterFactory(plan, options, timeOf(epoch.batch, epoch.digests))

  /** Returns the timestamp of the epoch's rows, if the rows use the epoch's timestamp. The timestamp is
    * durable on return.
    *
    * Errors: `STOPLOG_EPOCH_AHEAD`, `STOPLOG_EPOCH_GAP`.
    */
  def timeOf(batch: Long, digests: BatchDigests): Option[Long] = synchronized {
    clock.map { clock =>
      faults.at(Step.BeforeClaim)
      micros = clock.begin(new Planned(batch, digests))
      faults.at(Step.AfterClaim)
      micros
    }
  }

  /** Only counts: the table has contained all rows since the end of their tasks. */
  override def commit(batch: Long, results: Seq[WrittenRows]): Unit = synchronized {
    for {
      clock  <- clock
      latest <- results.flatMap(_.latestMicros).maxOption
    } clock.used(latest)
    total = results.foldLeft(total)(CassandraRun.sum)
    epochs += 1
  }

  override def counts: Seq[(String, Long)] = synchronized(CassandraRun.counts(total, epochs, micros))
}

private[spark] object CassandraRun {

  /** Returns the metrics for `StreamingQueryProgress.sink.metrics`. */
  def counts(total: WrittenRows, epochs: Long, micros: Long): Seq[(String, Long)] = Seq(
    "writtenRows"     -> total.rows,
    "requests"        -> total.counts.requests,
    "retries"         -> total.counts.retries,
    "mostInFlight"    -> total.counts.most.toLong,
    "epochsCommitted" -> epochs,
    "epochMicros"     -> micros
  )

  private def sum(a: WrittenRows, b: WrittenRows): WrittenRows = WrittenRows(
    a.rows + b.rows,
    InFlight.Counts(
      a.counts.requests + b.counts.requests,
      a.counts.retries + b.counts.retries,
      a.counts.most.max(b.counts.most)
    ),
    None
  )
}

/** Sent to the executors, where the factory creates the writer of each task. All attempts of a task write the
  * same rows by the same keys.
  */
private[spark] final class CassandraWriterFactory(
    plan: WritePlan,
    options: CassandraOptions,
    epochMicros: Option[Long]
) extends SinkWriterFactory[InternalRow, WrittenRows] {

  override def writer(task: TaskAttempt): Option[CassandraWriter] =
    Some(new CassandraWriter(plan, options, epochMicros))
}

private[spark] final class CassandraWriter(
    plan: WritePlan,
    options: CassandraOptions,
    epochMicros: Option[Long]
) extends SinkWriter[InternalRow, WrittenRows] {
  private val lease = Sessions.lease(options.connection, RequestRetries(options.retryTimeoutMillis))

  // Created lazily: a task without rows prepares no statement.
  private var writer = Option.empty[UpsertWriter]

  override def write(row: InternalRow): Unit = opened.write(row)

  override def commit(): WrittenRows = writer.fold(WrittenRows())(_.finish())

  /** Requests in flight continue: they belong to an epoch that will be repeated. */
  override def abort(): Unit = ()

  override def close(): Unit = lease.close()

  override def rows: Long = soFar.rows

  override def counts: Seq[(TaskMetric, () => Long)] =
    CassandraWriter.Metrics.zip(Seq(() => soFar.counts.requests, () => soFar.counts.retries))

  private def soFar: WrittenRows = writer.fold(WrittenRows())(_.counts)

  private def opened: UpsertWriter = writer.getOrElse {
    val made = new UpsertWriter(plan, lease.session, options, epochMicros)
    writer = Some(made)
    made
  }
}

private[spark] object CassandraWriter {
  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogCassandraRequests", "requests sent"),
    TaskMetric("stoplogCassandraRetries", "requests sent again")
  )
}
