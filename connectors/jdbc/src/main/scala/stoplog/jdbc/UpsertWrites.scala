// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}

import stoplog.spark.QueryContext

/** A micro-batch of upserts. The tasks do it all; an epoch that Spark repeats finds its rows there and changes nothing.
  */
private[jdbc] final class UpsertEpochs(table: JdbcTable, info: LogicalWriteInfo) extends StreamingWrite {
  private val spec              = table.spec
  @volatile private var running = Option.empty[JdbcRun]

  override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory = {
    val context = QueryContext.current(info.queryId())
    running = Some(table.runOf(context.runId) {
      UpsertEpochs.prepare(spec)
      new JdbcRun(context.runId, driver = None)
    })
    new RowWriterFactory(spec, Sending.ByKey, begun = _ => Begun.Open)
  }

  /** A row that two attempts of a task send is there once. */
  override def useCommitCoordinator(): Boolean = false

  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    running.foreach(_.committed(TaskMessage.results(messages), refused = 0, millis = 0))

  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit = ()

  override def toString: String = table.name()
}

/** A batch job of upserts. */
private[jdbc] final class UpsertJob(table: JdbcTable) extends BatchWrite {

  override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory = {
    UpsertEpochs.prepare(table.spec)
    new RowWriterFactory(table.spec, Sending.ByKey, begun = _ => Begun.Open)
  }

  override def useCommitCoordinator(): Boolean = false

  override def commit(messages: Array[WriterCommitMessage]): Unit = ()

  override def abort(messages: Array[WriterCommitMessage]): Unit = ()

  override def toString: String = table.name()
}

private[jdbc] object UpsertEpochs {

  /** The reject table has to be there before tasks need it. */
  private[jdbc] def prepare(spec: SinkSpec): Unit = spec.rejectTable.foreach { rejects =>
    val session = spec.session()
    try new OwnTables(session, spec.retries(), spec.target).ensure(rejects.table, rejects.create)
    finally session.close()
  }
}
