// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.util.{Map => JMap}

import stoplog.jdbc.{OwnTables, Pause, Retries, RetryPolicy, Session, SparkConnector, Target}
import stoplog.wal.{CheckpointCommitter, CheckpointCommitters, Chunk, LogPlace}

/** Keeps the notes of a write-ahead sink in a table of a database: what `committer=jdbc` is.
  *
  * Its options begin with `jdbc.`: `jdbc.url` and what else `docs/reference/jdbc-options.md` has for connections, and
  * `jdbc.chunksTable`. With `sender=jdbc` as well, rows and notes are in one transaction; any other sender's chunk is noted
  * after it was sent.
  *
  * {{{
  * rows.writeStream.format("stoplog-wal").option("sender", "http").option("url", "https://example.com/rows")
  *   .option("committer", "jdbc").option("jdbc.url", "jdbc:postgresql://db/shop")
  * }}}
  */
final class JdbcCommitters extends CheckpointCommitters {

  override def check(options: JMap[String, String]): Unit = {
    JdbcChunkOptions.ofCommitter(options)
    ()
  }

  /** Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_OWN_TABLE`. */
  override def prepare(options: JMap[String, String], log: LogPlace): Unit = made(options).prepare()

  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter = made(options)

  private def made(options: JMap[String, String]): JdbcCommitter = {
    val asked = JdbcChunkOptions.ofCommitter(options)
    val jdbc  = asked.jdbc
    new JdbcCommitter(
      ChunksTable(asked.chunksTable, jdbc.at.dialect, () => System.currentTimeMillis()),
      Target(jdbc.database, asked.chunksTable, Vector.empty, jdbc.at.dialect),
      () => new Session(new SparkConnector(jdbc.toSpark), jdbc.requests.timeoutSeconds),
      RetryPolicy(jdbc.requests.maxTries, jdbc.requests.retryWaitMillis, Pause.sleep)
    )
  }
}

/** @param target the table of notes, for messages */
private[wal] final class JdbcCommitter(
    chunks: ChunksTable,
    target: Target,
    connect: () => Session,
    policy: RetryPolicy
) extends CheckpointCommitter {

  def prepare(): Unit = inSession { (session, retries) =>
    new OwnTables(session, retries, target).ensure(chunks.table, chunks.create)
  }

  override def isCommitted(chunk: Chunk): Boolean = inTransaction(chunks.has(_, chunk))

  override def commit(chunk: Chunk): Unit = inTransaction(chunks.put(_, chunk))

  override def forgetBefore(query: String, epoch: Long): Unit =
    inTransaction(chunks.forgetBefore(_, query, epoch))

  override def isOver(query: String, epoch: Long): Boolean = inTransaction(chunks.isOver(_, query, epoch))

  private def inTransaction[A](work: Session => A): A = inSession { (session, retries) =>
    retries(target.writeFailed)(_ => session.transaction(_ => work(session)))
  }

  /** One for each call: a driver that waits for data for hours holds none. */
  private def inSession[A](work: (Session, Retries) => A): A = {
    val session = connect()
    try work(session, new Retries(policy, target.dialect))
    catch {
      case e: java.sql.SQLException => throw target.writeFailed(e)
    } finally session.close()
  }
}
