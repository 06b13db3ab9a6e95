// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.sql.SQLTransientException
import java.util.{Map => JMap}

import scala.util.control.NonFatal

import stoplog.jdbc.{
  Dialect, JdbcOptionGroup, JdbcOptionRegistry => Registry, JdbcOptions, OwnTables, Retries, Session,
  SparkConnector, TableName, Target, Verdict
}
import stoplog.options.{Opt, OptionType}
import stoplog.wal.{CheckpointCommitter, CheckpointCommitters, Chunk, ConnectorOptions, LogPlace}

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

  override def notesAt(options: JMap[String, String]): String = {
    val asked = JdbcChunkOptions.ofCommitter(options)
    s"the table ${asked.chunksTable} of ${asked.jdbc.databaseName}"
  }

  /** Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_OWN_TABLE`. */
  override def prepare(options: JMap[String, String], log: LogPlace): Unit = made(options).prepare()

  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter = made(options)

  private def made(options: JMap[String, String]): JdbcCommitter =
    new JdbcCommitter(JdbcChunkOptions.ofCommitter(options))
}

private[wal] final class JdbcCommitter(asked: JdbcChunkOptions) extends CheckpointCommitter {
  private val jdbc   = asked.jdbc
  private val chunks = asked.chunks

  // The table of notes, for messages.
  private val target = Target(jdbc.database, asked.chunksTable, Vector.empty, jdbc.at.dialect)

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
  private def inSession[A](work: (Session, Retries) => A): A =
    Session.use(() => new Session(new SparkConnector(jdbc.toSpark), jdbc.requests.timeoutSeconds), target)(
      work(_, new Retries(jdbc.requests, target.dialect))
    )
}

/** The table with a row for each chunk that was sent, which the committer makes if it is not there.
  *
  * A row of its own for each query says before which epoch all is done. Without it a task that was given up, and slept until
  * its chunk's row was removed, would write the chunk once more.
  *
  * @param nowMillis the time, for a person who looks after rows of queries that are gone
  */
private[wal] final case class ChunksTable(table: String, dialect: Dialect, nowMillis: () => Long) {

  def create: String =
    s"CREATE TABLE $table (query_id VARCHAR(64) NOT NULL, epoch BIGINT NOT NULL, chunk_name VARCHAR(128) NOT NULL, " +
      "done_before BIGINT NOT NULL, noted_millis BIGINT NOT NULL, PRIMARY KEY (query_id, epoch, chunk_name))"

  // The methods below work in a transaction of the caller.

  def has(session: Session, chunk: Chunk): Boolean =
    doneBefore(session, chunk.query, chunk.epochNumber, chunk.name).isDefined || isOver(
      session,
      chunk.query,
      chunk.epochNumber
    )

  /** Notes it, if it has no note. */
  def put(session: Session, chunk: Chunk): Unit = if (!has(session, chunk)) insert(session, chunk)

  /** Notes a chunk that has no note, and keeps all other transactions from it until this one ends: false if it was done
    * long ago. The transaction must have read nothing before, because in some databases it would see the table as it was
    * then. Error: one that may pass, if another process has just noted it.
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
  private def doneBefore(session: Session, query: String, epoch: Long, name: String): Option[Long] =
    session.query(s"SELECT done_before FROM $table WHERE $key", query, epoch, name) { result =>
      Option.when(result.next())(result.getLong(1))
    }

  private def insert(session: Session, chunk: Chunk): Unit =
    insert(session, chunk.query, chunk.epochNumber, chunk.name, doneBefore = 0)

  private def insert(session: Session, query: String, epoch: Long, name: String, doneBefore: Long): Unit = {
    session.update(
      s"INSERT INTO $table (query_id, epoch, chunk_name, done_before, noted_millis) VALUES (?, ?, ?, ?, ?)",
      query,
      epoch,
      name,
      doneBefore,
      nowMillis()
    )
    ()
  }

  private def remove(session: Session, chunk: Chunk): Unit = {
    session.update(s"DELETE FROM $table WHERE $key", chunk.query, chunk.epochNumber, chunk.name)
    ()
  }

  /** @param until the first epoch that stays */
  private def delete(session: Session, query: String, from: Long, until: Long): Unit = {
    session.update(s"DELETE FROM $table WHERE query_id = ? AND epoch >= ? AND epoch < ?", query, from, until)
    ()
  }

  private def key: String = "query_id = ? AND epoch = ? AND chunk_name = ?"
}

private object ChunksTable {

  // Of the row that says what is over: no chunk is called so, and no epoch is less than 0.
  final val OverEpoch = -1L
  final val OverName  = "-"

  // SQLSTATE of a transaction that another one was in the way of.
  final val Conflict = "40001"
}

/** The options of the sender and the committer of a write-ahead sink: those that begin with `jdbc.`.
  *
  * @param jdbc        as those of a sink of its own
  * @param chunksTable where notes are kept
  * @param notesHere   whether the committer keeps its notes in this database
  */
private[jdbc] final case class JdbcChunkOptions(jdbc: JdbcOptions, chunksTable: String, notesHere: Boolean) {
  def chunks: ChunksTable = ChunksTable(chunksTable, jdbc.at.dialect, () => System.currentTimeMillis())
}

private[jdbc] object JdbcChunkOptions {

  val ChunksTableName: Opt[String] = JdbcOptionGroup.WriteAhead.option(
    "chunksTable",
    OptionType.text.as("table name as in SQL"),
    "etl.stoplog_chunks"
  )(
    "`stoplog_chunks` in the schema of the table",
    "The table that says which chunks of a write-ahead sink have been sent, made if it is not there. Only as " +
      "`jdbc.chunksTable` of `format(\"stoplog-wal\")`."
  )

  /** Of the sender. */
  def ofSender(options: JMap[String, String]): JdbcChunkOptions = parse(options, table = None)

  /** Of the committer, which needs no table for rows. */
  def ofCommitter(options: JMap[String, String]): JdbcChunkOptions =
    parse(options, table = Some(DefaultTable))

  /** Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param table if none is set
    */
  private def parse(options: JMap[String, String], table: Option[String]): JdbcChunkOptions = {
    val own    = ConnectorOptions.of(options, Word, withoutEffect)
    val asked  = own.without(ChunksTableName).withDefault(Registry.DbTable, table)
    val sinkId = Option(options.get(Registry.SinkId.key))
    val jdbc   = JdbcOptions.parse(asked.withDefault(Registry.SinkId, sinkId).asJava)
    JdbcChunkOptions(
      jdbc,
      own.text(ChunksTableName).getOrElse(TableName.beside(jdbc.at.table, DefaultTable)),
      notesHere = Committers(String.valueOf(options.get("committer")).trim.toLowerCase)
    )
  }

  // The log knows whose the rows are, and the chunks how they are spread.
  private val withoutEffect: Seq[Opt[_]] = Seq(
    Registry.WriteModeName,
    Registry.NumPartitions,
    Registry.DistributionName,
    Registry.SinkId,
    Registry.OnForeign,
    Registry.EpochsTableName
  )

  private final val Word         = "jdbc"
  private final val DefaultTable = "stoplog_chunks"
  private val Committers         = Set(Word, classOf[JdbcCommitters].getName.toLowerCase)
}
