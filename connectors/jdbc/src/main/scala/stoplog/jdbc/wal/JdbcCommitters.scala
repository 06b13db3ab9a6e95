// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.sql.{PreparedStatement, SQLTransientException}
import java.util.{Map => JMap}

import scala.util.control.NonFatal

import stoplog.jdbc.{Dialect, OwnTables, Pause, Retries, RetryPolicy, Session, SparkConnector, Target, Verdict}
import stoplog.wal.{CheckpointCommitter, CheckpointCommitters, Chunk, LogPlace}

/** Keeps the notes of a write-ahead sink in a table of a database: what `committer=jdbc` is.
  *
  * Its options begin with `jdbc.`: `jdbc.url` and what else `docs/jdbc-options.md` has for connections, and
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

/** The table with a row for each chunk that was sent, which the committer makes if it is not there.
  *
  * A row of its own for each query says before which epoch all is done. Without it a task that was given up, and slept until
  * its chunk's row was removed, would write the chunk once more.
  *
  * @param nowMillis the time, for whoever looks after rows of queries that are gone
  */
private[wal] final case class ChunksTable(table: String, dialect: Dialect, nowMillis: () => Long) {

  def create: String =
    s"CREATE TABLE $table (query_id VARCHAR(64) NOT NULL, epoch BIGINT NOT NULL, chunk_name VARCHAR(128) NOT NULL, " +
      "done_before BIGINT NOT NULL, noted_millis BIGINT NOT NULL, PRIMARY KEY (query_id, epoch, chunk_name))"

  // All of what follows is done in a transaction of the caller.

  def has(session: Session, chunk: Chunk): Boolean =
    doneBefore(session, chunk.query, chunk.epochNumber, chunk.name).isDefined || isOver(
      session,
      chunk.query,
      chunk.epochNumber
    )

  /** Notes it, whatever was noted before. */
  def put(session: Session, chunk: Chunk): Unit = if (!has(session, chunk)) insert(session, chunk)

  /** Notes a chunk that nobody else has noted, and keeps everybody else from it until the transaction ends: false if it was
    * done long ago. The transaction must have read nothing before, because in some databases it would go on to see what it saw
    * then. Error: one that may pass, if somebody else has just noted it.
    */
  def claim(session: Session, chunk: Chunk): Boolean = {
    try insert(session, chunk)
    catch {
      case NonFatal(e) if Verdict.of(e, dialect) == Verdict.BadRow =>
        throw new SQLTransientException(s"chunk ${chunk.name} is noted already", ChunksTable.Conflict, e)
    }
    val late = isOver(session, chunk.query, chunk.epochNumber)
    if (late) remove(session, chunk)
    !late
  }

  def forgetBefore(session: Session, query: String, epoch: Long): Unit =
    if (!over(session, query).exists(_ >= epoch)) {
      delete(session, query, ChunksTable.OverEpoch, ChunksTable.OverEpoch + 1)
      insert(session, query, ChunksTable.OverEpoch, ChunksTable.OverName, epoch)
      delete(session, query, 0, epoch)
    }

  def isOver(session: Session, query: String, epoch: Long): Boolean = over(session, query).exists(_ > epoch)

  private def over(session: Session, query: String): Option[Long] =
    doneBefore(session, query, ChunksTable.OverEpoch, ChunksTable.OverName)

  // By the whole key, so that no lock of a row that another chunk has just made is in the way.
  private def doneBefore(session: Session, query: String, epoch: Long, name: String): Option[Long] = {
    val select = session.statement(
      s"SELECT done_before FROM $table WHERE query_id = ? AND epoch = ? AND chunk_name = ?"
    )
    bind(select, query, epoch, name)
    val result = select.executeQuery()
    try Option.when(result.next())(result.getLong(1))
    finally result.close()
  }

  private def insert(session: Session, chunk: Chunk): Unit =
    insert(session, chunk.query, chunk.epochNumber, chunk.name, doneBefore = 0)

  private def insert(session: Session, query: String, epoch: Long, name: String, doneBefore: Long): Unit = {
    val insert = session.statement(
      s"INSERT INTO $table (query_id, epoch, chunk_name, done_before, noted_millis) VALUES (?, ?, ?, ?, ?)"
    )
    bind(insert, query, epoch, name)
    insert.setLong(4, doneBefore)
    insert.setLong(5, nowMillis())
    insert.executeUpdate()
    ()
  }

  private def remove(session: Session, chunk: Chunk): Unit = {
    val delete =
      session.statement(s"DELETE FROM $table WHERE query_id = ? AND epoch = ? AND chunk_name = ?")
    bind(delete, chunk.query, chunk.epochNumber, chunk.name)
    delete.executeUpdate()
    ()
  }

  /** @param until the first epoch that stays */
  private def delete(session: Session, query: String, from: Long, until: Long): Unit = {
    val delete = session.statement(s"DELETE FROM $table WHERE query_id = ? AND epoch >= ? AND epoch < ?")
    delete.setString(1, query)
    delete.setLong(2, from)
    delete.setLong(3, until)
    delete.executeUpdate()
    ()
  }

  private def bind(statement: PreparedStatement, query: String, epoch: Long, name: String): Unit = {
    statement.setString(1, query)
    statement.setLong(2, epoch)
    statement.setString(3, name)
  }
}

private object ChunksTable {

  // Of the row that says what is over: no chunk is called so, and no epoch is less than 0.
  final val OverEpoch = -1L
  final val OverName  = "-"

  // SQLSTATE of a transaction that another one was in the way of.
  final val Conflict = "40001"
}
