// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import scala.util.control.NonFatal

import stoplog.fault.Faults
import stoplog.jdbc._
import stoplog.wal.{Chunk, ChunkRows}

/** Writes chunks into the table, each in one transaction. Not for several threads.
  *
  * @param failed is told of a failure, for which what is known of the table may be to blame
  */
private[wal] final class ChunkTransactions(spec: SinkSpec, failed: () => Unit) extends AutoCloseable {
  private val session = spec.session()
  private val retries = spec.retries()
  private val target  = spec.target
  private val values  =
    new RowValues(spec.schema, spec.options.sparkUrl, keepsOrigin = spec.options.rows.rejectTable.isDefined)

  // Spark asks an executor for it, and the driver need not have made it.
  private lazy val rejectTable = spec.rejectTable.map { table =>
    new OwnTables(session, retries, target).ensure(table.table, table.create)
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

  private def taskRows(chunk: Chunk): TaskRows =
    if (spec.keys.isEmpty) new InsertedRows(session, target, spec.options.rows.batchRows, rejects(chunk))
    else
      new UpsertRows(
        TaskSession(session, new BatchScope.WithinTransaction(session), retries, Faults.none),
        target,
        spec.keys.toArray,
        spec.options.rows.batchRows,
        rejects(chunk)
      )

  private def rejects(chunk: Chunk): Rejects = rejectTable.fold[Rejects](
    new Rejects.Fail(target, spec.texts.text)
  ) { table =>
    new Rejects.Keep(
      spec.sink,
      chunk.epoch,
      spec.options.rows.batchRows,
      spec.texts.text,
      // By its place in the chunk, which has the same rows each time.
      (number, _) => Rejects.contentId(chunk.name, chunk.epoch)(number, number.toString),
      rejected => table.replace(session, rejected)
    )
  }
}
