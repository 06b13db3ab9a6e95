// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.sql.SQLException
import java.util.{Map => JMap}

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults
import stoplog.jdbc.client.{FailureKind, JdbcErrors, JdbcStep, Session, SparkConnector}
import stoplog.jdbc.rejects.Rejects
import stoplog.jdbc.staging.CreatedTables
import stoplog.jdbc.table.TableCheck
import stoplog.jdbc.write.{BatchScope, JdbcWriteSpec, TaskRows, TaskSession}
import stoplog.wal.{ArrivalStatus, Chunk, ChunkRows, NotingTarget, Recent, RowSender, RowTarget}

/** Writes the chunks of a write-ahead sink to a table, each in one transaction: the implementation of
  * `sender=jdbc`.
  *
  * With `committer=jdbc`, the same transaction records the chunk: exactly once. With another committer, all
  * rows of a chunk in flight may be written twice; with `jdbc.keyColumns`, repeated rows replace the earlier
  * rows.
  *
  * {{{
  * rows.writeStream.format("stoplog-wal").option("sender", "jdbc").option("committer", "jdbc")
  *   .option("jdbc.url", "jdbc:postgresql://db/shop").option("jdbc.dbtable", "orders")
  * }}}
  */
final class JdbcSender private[wal] (faultsHere: () => Faults) extends RowSender {

  def this() = this(() => Faults.ofThisJvm)

  override def target(options: JMap[String, String]): String = {
    val jdbc = JdbcChunkOptions.ofSender(options).jdbc
    s"${jdbc.at.table} of ${jdbc.database}"
  }

  override def rowsTo(options: JMap[String, String]): String = {
    val jdbc = JdbcChunkOptions.ofSender(options).jdbc
    s"the table ${jdbc.at.table} of ${jdbc.databaseName}"
  }

  /** Errors: `STOPLOG_UNREACHABLE`, `STOPLOG_ROW_COLUMNS`. */
  override def check(options: JMap[String, String], schema: StructType): Unit = {
    val key = JdbcChunkOptions.ofSender(options) -> schema
    JdbcSender.specs.forget(key)
    JdbcSender.specs.of(key)(JdbcSender.spec(key._1, schema))
    ()
  }

  override private[stoplog] def rowCheck(
      options: JMap[String, String],
      schema: StructType
  ): InternalRow => Unit = {
    val key    = JdbcChunkOptions.ofSender(options) -> schema
    val spec   = JdbcSender.specs.of(key)(JdbcSender.spec(key._1, schema))
    val values = spec.values
    if (spec.rejectTable.isDefined) super.rowCheck(options, schema)
    else row => spec.target.refusal(values.of(row), spec.key).foreach(throw _)
  }

  override def open(options: JMap[String, String], schema: StructType): RowTarget = {
    val chunkOptions = JdbcChunkOptions.ofSender(options)
    val key          = chunkOptions -> schema
    val spec         = JdbcSender.specs.of(key)(JdbcSender.spec(chunkOptions, schema))
    val transactions = new ChunkTransactions(spec, failed = () => JdbcSender.specs.forget(key))
    if (chunkOptions.notesHere) new NotedChunks(transactions, chunkOptions.chunks, faultsHere())
    else new PlainChunks(transactions, faultsHere())
  }
}

private object JdbcSender {

  // Each JVM reads the description of the table once, and again after a failure.
  val specs = new Recent[(JdbcChunkOptions, StructType), JdbcWriteSpec]

  /** Waits for a temporarily unavailable database, within `retryTimeout`.
    *
    * Errors: `STOPLOG_UNREACHABLE`, `STOPLOG_ROW_COLUMNS`.
    */
  def spec(chunkOptions: JdbcChunkOptions, schema: StructType): JdbcWriteSpec = {
    val connector = new SparkConnector(chunkOptions.jdbc.toSpark)
    JdbcWriteSpec.of(
      chunkOptions.jdbc,
      schema,
      TableCheck.target(chunkOptions.jdbc, schema, connector),
      connector
    )
  }
}

/** Writes only rows: another committer records the chunks. */
private[wal] final class PlainChunks(transactions: ChunkTransactions, faults: Faults) extends RowTarget {

  /** Errors: `STOPLOG_BAD_ROW`, `STOPLOG_NULL_VALUE`, `STOPLOG_REQUEST_FAILED`. */
  override def send(chunk: Chunk, rows: ChunkRows): Boolean = transactions.tried { (session, _) =>
    transactions.prepare()
    session.transaction { _ =>
      transactions.write(chunk, rows)
      faults.at(JdbcStep.InCommit)
    }
    true
  }

  override def close(): Unit = transactions.close()
}

/** Writes rows and the note in one transaction. */
private[wal] final class NotedChunks(transactions: ChunkTransactions, notes: ChunksTable, faults: Faults)
    extends NotingTarget {

  override def has(chunk: Chunk): ArrivalStatus =
    if (transactions.tried((session, _) => session.transaction(_ => notes.has(session, chunk))))
      ArrivalStatus.Arrived
    else ArrivalStatus.Missing

  /** Errors: `STOPLOG_BAD_ROW`, `STOPLOG_NULL_VALUE`, `STOPLOG_REQUEST_FAILED`. */
  override def send(chunk: Chunk, rows: ChunkRows): Boolean = transactions.tried { (session, before) =>
    transactions.prepare()
    // The previous attempt may have been committed without a response, or another process may have been
    // first.
    if (before == 0 || !session.transaction(_ => notes.has(session, chunk)))
      session.transaction { _ =>
        if (notes.claim(session, chunk)) transactions.write(chunk, rows)
        faults.at(JdbcStep.InCommit)
      }
    true
  }

  override def close(): Unit = transactions.close()
}

/** Writes chunks to the table, each in one transaction. Not thread-safe.
  *
  * @param failed called after a failure, which outdated metadata of the table may have caused
  */
private[wal] final class ChunkTransactions(spec: JdbcWriteSpec, failed: () => Unit) extends AutoCloseable {
  private val session = spec.session()
  private val retries = spec.retries()
  private val target  = spec.target
  private val values  = spec.values

  // The executor creates the table, because the driver may not have created the table.
  private lazy val rejectTable = spec.rejectTable.map { table =>
    new CreatedTables(session, retries, target).ensure(table)
    table
  }

  /** Runs work, and retries the work from its start in a new transaction after transient failures.
    *
    * @param work called with the number of previous attempts; manages its own transactions
    */
  def tried[A](work: (Session, Int) => A): A =
    try retries(target.writeFailed)(work(session, _))
    catch {
      case NonFatal(e) =>
        failed()
        throw e match {
          // A constraint that the database checks at the COMMIT.
          case _: SQLException if FailureKind.of(e, target.dialect) == FailureKind.BadRow =>
            JdbcErrors.badRow(target.table, "", e)
          case _: SQLException => target.writeFailed(e)
          case _               => e
        }
    }

  /** Writes all rows to the table, in a transaction of the caller. */
  def write(chunk: Chunk, rows: ChunkRows): Unit = {
    val task = taskRows(chunk)
    rows.iterator.foreach(row => task.write(values.of(row)))
    task.finish()
    ()
  }

  /** Called before a transaction: creates the required tables. */
  def prepare(): Unit = {
    rejectTable
    ()
  }

  override def close(): Unit = session.close()

  private def taskRows(chunk: Chunk): TaskRows = {
    val scope  = new BatchScope.WithinTransaction(session, rejectTable.map(_ => target.dialect))
    val access = TaskSession(session, scope, retries, Faults.none)
    val most   = spec.options.rows.batchRows
    // The id is the row's index in the chunk, which is stable across attempts.
    val rejects = spec.rejects(
      chunk.epoch,
      (number, _) => Rejects.contentId(chunk.name, chunk.epoch)(number, number.toString)
    )(rejectTable.map(table => table.replace(session, _)))
    spec.key match {
      case None      => TaskRows.inserts(access, target, most, rejects)
      case Some(key) => TaskRows.upserts(access, target, key, most, rejects)
    }
  }
}
