// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine._

/** One start of a query of upserts. The tasks do it all; an epoch that the engine repeats finds its rows there and
  * changes nothing.
  */
private[jdbc] final class UpsertRun(spec: SinkSpec) extends JdbcRun {
  UpsertRun.prepare(spec)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskResult] = UpsertRun.writers(spec)

  override def commit(batch: Long, results: Seq[TaskResult]): Unit =
    committed(results, refused = 0, millis = 0)
}

/** A batch job of upserts. */
private[jdbc] final class UpsertJob(spec: SinkSpec) extends EngineJob[InternalRow, TaskResult] {

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskResult] = {
    UpsertRun.prepare(spec)
    UpsertRun.writers(spec)
  }

  override def commit(results: Seq[TaskResult]): Unit = ()

  override def abort(results: Seq[TaskResult]): Unit = ()
}

private[jdbc] object UpsertRun {
  private[jdbc] def writers(spec: SinkSpec) = new JdbcWriterFactory(spec, Sending.ByKey, committed = None)

  /** The reject table has to be there before tasks need it. */
  private[jdbc] def prepare(spec: SinkSpec): Unit = spec.rejectTable.foreach { rejects =>
    val session = spec.session()
    try new OwnTables(session, spec.retries(), spec.target).ensure(rejects.table, rejects.create)
    finally session.close()
  }
}
