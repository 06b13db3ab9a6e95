// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import stoplog.fault.Faults
import stoplog.jdbc.JdbcStep
import stoplog.wal.{Arrival, Chunk, ChunkRows, NotingTarget, RowTarget}

/** Rows alone: somebody else notes that they were sent. */
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
