// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.util.{Map => JMap}

import scala.util.control.NonFatal

import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults
import stoplog.jdbc._
import stoplog.wal.{Arrival, Chunk, ChunkRows, NotingTarget, Recent, RowSender, RowTarget}

/** Writes the chunks of a write-ahead sink to a table, each in one transaction: what `sender=jdbc` is.
  *
  * With `committer=jdbc` the chunk's note is in the same transaction: exactly once. With another committer, the rows of a chunk
  * that was on its way may come twice, all of them; with `jdbc.keyColumns` they take their own places.
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

  /** Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_TABLE`. */
  override def check(options: JMap[String, String], schema: StructType): Unit = {
    val key = JdbcChunkOptions.ofSender(options) -> schema
    JdbcSender.specs.forget(key)
    JdbcSender.specs.of(key)(JdbcSender.spec(key._1, schema))
    ()
  }

  override def open(options: JMap[String, String], schema: StructType): RowTarget = {
    val asked        = JdbcChunkOptions.ofSender(options)
    val key          = asked -> schema
    val spec         = JdbcSender.specs.of(key)(JdbcSender.patiently(asked, schema))
    val transactions = new ChunkTransactions(spec, failed = () => JdbcSender.specs.forget(key))
    if (asked.notesHere) new NotedChunks(transactions, asked.chunks, faultsHere())
    else new PlainChunks(transactions, faultsHere())
  }
}

private object JdbcSender {

  // The database is asked about the table once in each JVM, and again after a failure.
  val specs = new Recent[(JdbcChunkOptions, StructType), SinkSpec]

  /** Waits for a database that is away for a while: the chunk is in the log already. */
  def patiently(asked: JdbcChunkOptions, schema: StructType): SinkSpec =
    new Retries(asked.jdbc.requests, asked.jdbc.at.dialect)(identity)(_ => spec(asked, schema))

  /** Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_TABLE`. */
  def spec(asked: JdbcChunkOptions, schema: StructType): SinkSpec = {
    val connector = new SparkConnector(asked.jdbc.toSpark)
    SinkSpec.of(asked.jdbc, schema, TableCheck.target(asked.jdbc, schema, connector), connector)
  }
}

/** Rows alone: another committer notes that they were sent. */
private[wal] final class PlainChunks(transactions: ChunkTransactions, faults: Faults) extends RowTarget {

  /** Errors: `STOPLOG_JDBC_BAD_ROW`, `STOPLOG_JDBC_NULL_KEY`, `STOPLOG_JDBC_WRITE`. */
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

/** Rows and the note in one transaction. */
private[wal] final class NotedChunks(transactions: ChunkTransactions, notes: ChunksTable, faults: Faults)
    extends NotingTarget {

  override def has(chunk: Chunk): Arrival =
    if (transactions.tried((session, _) => session.transaction(_ => notes.has(session, chunk))))
      Arrival.Arrived
    else Arrival.Missing

  /** Errors: `STOPLOG_JDBC_BAD_ROW`, `STOPLOG_JDBC_NULL_KEY`, `STOPLOG_JDBC_WRITE`. */
  override def send(chunk: Chunk, rows: ChunkRows): Boolean = transactions.tried { (session, before) =>
    transactions.prepare()
    // The try before may have been committed without an answer, and another process may have been first.
    if (before == 0 || !session.transaction(_ => notes.has(session, chunk)))
      session.transaction { _ =>
        if (notes.claim(session, chunk)) transactions.write(chunk, rows)
        faults.at(JdbcStep.InCommit)
      }
    true
  }

  override def close(): Unit = transactions.close()
}

/** Writes chunks into the table, each in one transaction. Not for several threads.
  *
  * @param failed is told of a failure, for which outdated knowledge of the table may be to blame
  */
private[wal] final class ChunkTransactions(spec: SinkSpec, failed: () => Unit) extends AutoCloseable {
  private val session = spec.session()
  private val retries = spec.retries()
  private val target  = spec.target
  private val values  = spec.values

  // Spark asks an executor for it, and the driver need not have made it.
  private lazy val rejectTable = spec.rejectTable.map { table =>
    new OwnTables(session, retries, target).ensure(table)
    table
  }

  /** Work that is tried again, from its beginning and in a new transaction, as long as its failure may pass.
    *
    * @param work is told how many tries were before it, and does its own transactions
    */
  def tried[A](work: (Session, Int) => A): A =
    try retries(target.writeFailed)(work(session, _))
    catch {
      case NonFatal(e) =>
        failed()
        throw if (e.isInstanceOf[java.sql.SQLException]) target.writeFailed(e) else e
    }

  /** Puts all rows into the table, in a transaction of the caller. */
  def write(chunk: Chunk, rows: ChunkRows): Unit = {
    val task = taskRows(chunk)
    rows.iterator.foreach(row => task.write(values.of(row)))
    task.finish()
    ()
  }

  /** Before a transaction: makes what it needs. */
  def prepare(): Unit = {
    rejectTable
    ()
  }

  override def close(): Unit = session.close()

  private def taskRows(chunk: Chunk): TaskRows = {
    val access = TaskSession(session, new BatchScope.WithinTransaction(session), retries, Faults.none)
    val most   = spec.options.rows.batchRows
    // By its place in the chunk, which has the same rows each time.
    val rejects = spec.rejects(
      chunk.epoch,
      (number, _) => Rejects.contentId(chunk.name, chunk.epoch)(number, number.toString)
    )(rejectTable.map(table => table.replace(session, _)))
    if (spec.keys.isEmpty) new InsertedRows(access, target, most, rejects)
    else new UpsertRows(access, target, spec.keys.toArray, most, rejects)
  }
}
