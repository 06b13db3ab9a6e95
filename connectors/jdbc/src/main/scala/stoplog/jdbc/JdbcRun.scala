// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.UUID

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine._
import stoplog.error.Log
import stoplog.fault.Faults
import stoplog.thread.Uninterrupted

/** The run of a query: the state that is kept between epochs. */
private[jdbc] abstract class JdbcRun extends EngineRun[InternalRow, TaskOutcome] {
  @volatile private var total = SinkCounts.empty

  override def counts: Seq[(String, Long)] = total.values

  /** @param refused the number of rows that the target rejected at the commit */
  protected def committed(results: Seq[TaskOutcome], refused: Long, millis: Long): Unit = {
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

/** The counts of a run, reported in `StreamingQueryProgress.sink.metrics`.
  *
  * @param commitMillis the duration of the last epoch's transaction
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

/** The run of a query with upserts. The tasks write all rows; an epoch that the engine repeats finds its rows
  * in the target and has no effect.
  */
private[jdbc] final class UpsertRun(spec: SinkSpec) extends JdbcRun {
  UpsertRun.prepare(spec)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskOutcome] = UpsertRun.writers(spec)

  override def commit(batch: Long, results: Seq[TaskOutcome]): Unit =
    committed(results, refused = 0, millis = 0)
}

/** A batch job with upserts. */
private[jdbc] final class UpsertJob(spec: SinkSpec) extends EngineJob[InternalRow, TaskOutcome] {

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskOutcome] = {
    UpsertRun.prepare(spec)
    UpsertRun.writers(spec)
  }

  override def commit(results: Seq[TaskOutcome]): Unit = ()

  override def abort(results: Seq[TaskOutcome]): Unit = ()
}

private[jdbc] object UpsertRun {
  def writers(spec: SinkSpec) = new JdbcWriterFactory(spec, WriteTarget.ByKey, committed = None)

  /** Creates the reject table before the tasks need the table. */
  def prepare(spec: SinkSpec): Unit = spec.rejectTable.foreach { rejects =>
    Session.use(() => spec.session(), spec.target) { session =>
      new OwnTables(session, spec.retries(), spec.target).ensure(rejects)
    }
  }
}

/** The run of a query with exactly-once inserts. */
private[jdbc] final class TransactionalRun(
    spec: SinkSpec,
    mode: WriteMode.Transactional,
    owner: SinkOwner,
    existing: Existing
) extends JdbcRun {
  private val tables = spec.tables(spec.options.sinkId, mode)
  private val driver = spec.epochDriver(tables, owner, mode)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskOutcome] = {
    val committed = driver.begin(epoch.batch, epoch.digests) match {
      case EpochStatus.Committed => Some(epoch.batch)
      case EpochStatus.Open      => None
    }
    new JdbcWriterFactory(spec, WriteTarget.Staged(tables), committed)
  }

  override def commit(batch: Long, results: Seq[TaskOutcome]): Unit = {
    val begun   = System.nanoTime()
    val refused = driver.commit(batch, results, existing)
    committed(results, refused, (System.nanoTime() - begun) / 1000000)
  }
}

/** A batch job with a single transaction for its rows; an overwrite first deletes the existing rows in this
  * transaction. The job is a separate sink with a single epoch.
  */
private[jdbc] final class TransactionalJob(
    spec: SinkSpec,
    mode: WriteMode.Transactional,
    queryId: String,
    existing: Existing
) extends EngineJob[InternalRow, TaskOutcome] {
  private final val OnlyEpoch = 0L

  private val tables = spec.tables(s"job-$queryId", mode)
  private val driver = spec.epochDriver(tables, SinkOwner(queryId, query = None), mode)

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskOutcome] = {
    driver.begin(OnlyEpoch)
    new JdbcWriterFactory(spec, WriteTarget.Staged(tables), committed = None)
  }

  /** Once the rows are committed, the job succeeds even if the cleanup fails: a failed job would be run
    * again.
    */
  override def commit(results: Seq[TaskOutcome]): Unit = {
    driver.commit(OnlyEpoch, results, existing)
    Log.tolerating(
      s"The rows of a batch job are in ${spec.target.table}; its row ${tables.sink} in " +
        s"${tables.epochs.table} and its table ${tables.staging.table} could not be removed: delete them"
    )(Uninterrupted.call(driver.forget()))
  }

  /** No job repeats its commit, so staged rows are useless, unless the rows are already in the target. */
  override def abort(results: Seq[TaskOutcome]): Unit = driver.abandon()
}

/** The table that tasks write to. */
private[jdbc] sealed trait WriteTarget extends Serializable
private[jdbc] object WriteTarget {
  case object ByKey                           extends WriteTarget
  final case class Staged(tables: SinkTables) extends WriteTarget
}

/** Sent to the executors, where the factory creates the writer of each task.
  *
  * @param committed the epoch that is already in the target
  */
private[jdbc] final class JdbcWriterFactory(spec: SinkSpec, sending: WriteTarget, committed: Option[Long])
    extends SinkWriterFactory[InternalRow, TaskOutcome] {
  private val values = spec.values

  override def writer(task: TaskAttempt): Option[JdbcWriter] =
    Option.unless(task.epoch.exists(committed.contains))(new JdbcWriter(rows(task.epoch), values))

  private def rows(batch: Option[Long]): TaskRows = {
    val session = spec.session()
    val retries = spec.retries()
    val scope   = new BatchScope.OwnTransaction(session, retries, spec.target.writeFailed)
    val access  = TaskSession(session, scope, retries, Faults.ofThisJvm)
    val most    = spec.options.rows.batchRows
    sending match {
      case WriteTarget.ByKey =>
        val rejects = spec.rejects(batch, Rejects.contentId(spec.sink, batch)) {
          spec.rejectTable.map(table =>
            rows =>
              retries(spec.target.writeFailed)(_ => session.transaction(_ => table.replace(session, rows)))
          )
        }
        new UpsertRows(access, spec.target, spec.keys.toArray, most, rejects)
      case WriteTarget.Staged(tables) =>
        val attempt = UUID.randomUUID().toString
        val rejects = spec.rejects(batch, (number, _) => s"$attempt-$number")(
          tables.rejects.map(staged => stagedRejects(session, retries, staged.staging, attempt))
        )
        new StagedRows(access, spec.target, tables.staging, attempt, most, rejects)
    }
  }

  private def stagedRejects(session: Session, retries: Retries, staging: StagingTable, attempt: String)(
      rows: IndexedSeq[JdbcRow]
  ): Unit = {
    // Each id contains the number of its row, so that the rows of an interrupted attempt can be found.
    val first = rows.head.values(0).toString.drop(attempt.length + 1).toLong
    retries(spec.target.writeFailed) { before =>
      session.transaction { _ =>
        if (before > 0) staging.removeFrom(session, attempt, first)
        staging.insert(session, attempt, first, rows)
      }
    }
  }
}

/** Writes the rows of a task to the database. */
private[jdbc] final class JdbcWriter(sent: TaskRows, values: RowValues)
    extends SinkWriter[InternalRow, TaskOutcome] {
  private[this] var done    = Option.empty[TaskOutcome]
  private[this] var written = 0L

  override def write(row: InternalRow): Unit = {
    sent.write(values.of(row))
    written += 1
  }

  override def commit(): TaskOutcome = {
    val result = sent.finish()
    done = Some(result)
    result
  }

  /** Deletes nothing (I5). */
  override def abort(): Unit = sent.close()

  override def close(): Unit = sent.close()

  override def rows: Long = written

  override def counts: Seq[(TaskMetric, () => Long)] =
    JdbcWriter.Metrics.zip(Seq(ofDone(_.rows), ofDone(_.rejects), ofDone(_.retries)))

  private def ofDone(count: TaskOutcome => Long): () => Long = () => done.fold(0L)(count)
}

private[jdbc] object JdbcWriter {
  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogJdbcSentRows", "rows sent to the database"),
    TaskMetric("stoplogJdbcRejectedRows", "rows rejected"),
    TaskMetric("stoplogJdbcRetries", "batches tried again")
  )
}
