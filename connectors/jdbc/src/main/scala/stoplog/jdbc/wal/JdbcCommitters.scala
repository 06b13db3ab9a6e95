// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.sql.SQLTransientException
import java.util.{Map => JMap}

import scala.util.control.NonFatal

import stoplog.jdbc.client.{Dialect, FailureKind, Retries, Session, SparkConnector, TableName}
import stoplog.jdbc.options.{JdbcOptionRegistry => Registry, JdbcOptions}
import stoplog.jdbc.staging.CreatedTables
import stoplog.jdbc.table.Target
import stoplog.options.Opt
import stoplog.wal.{
  CheckpointCommitter, CheckpointCommitters, Chunk, ConnectorOptions, DecidedEpoch, LogPlace
}

/** Stores the notes of a write-ahead sink in a database table: the implementation of `committer=jdbc`.
  *
  * The options start with `jdbc.`: `jdbc.url`, further connection options of
  * `docs/reference/jdbc-options.md`, and `jdbc.progressTable`. With `sender=jdbc`, rows and notes are written
  * in one transaction. With any other sender, a chunk is recorded after the chunk was sent.
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
    val chunkOptions = JdbcChunkOptions.ofCommitter(options)
    s"the table ${chunkOptions.chunksTable} of ${chunkOptions.jdbc.databaseName}"
  }

  /** Errors: `STOPLOG_UNREACHABLE`, `STOPLOG_OWN_TABLE`. */
  override def prepare(options: JMap[String, String], log: LogPlace): Unit = made(options).prepare()

  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter = made(options)

  private def made(options: JMap[String, String]): JdbcCommitter =
    new JdbcCommitter(JdbcChunkOptions.ofCommitter(options))
}

private[wal] final class JdbcCommitter(chunkOptions: JdbcChunkOptions) extends CheckpointCommitter {
  private val jdbc   = chunkOptions.jdbc
  private val chunks = chunkOptions.chunks

  // The table of notes, for messages.
  private val target = Target(jdbc.database, chunkOptions.chunksTable, Vector.empty, jdbc.at.dialect)

  def prepare(): Unit = inSession { (session, retries) =>
    new CreatedTables(session, retries, target).ensure(chunks.table, chunks.create)
  }

  override def isCommitted(chunk: Chunk): Boolean = inTransaction(chunks.has(_, chunk))

  override def commit(chunk: Chunk): Unit = inTransaction(chunks.put(_, chunk))

  override def forgetBefore(query: String, epoch: Long): Unit =
    inTransaction(chunks.forgetBefore(_, query, epoch))

  override def begin(decided: DecidedEpoch): Option[DecidedEpoch] =
    Some(inTransaction(chunks.begin(_, decided)))

  private def inTransaction[A](work: Session => A): A = inSession { (session, retries) =>
    retries(target.writeFailed)(_ => session.transaction(_ => work(session)))
  }

  /** Opens a session for each call: a driver that waits for data for hours keeps no session open. */
  private def inSession[A](work: (Session, Retries) => A): A =
    Session.use(
      () => new Session(new SparkConnector(jdbc.toSpark), jdbc.requests.timeoutSeconds),
      target.writeFailed
    )(
      work(_, new Retries(jdbc.requests, target.dialect))
    )
}

/** The table with a row for each sent chunk, which the committer creates if the table does not exist.
  *
  * A further row for each query contains the newest epoch with sent chunks and the decision on this epoch;
  * all earlier epochs are complete. Without this row, an abandoned task that resumes after the removal of its
  * chunk's row would write the chunk again. A log that was restored from an older copy would send the epoch
  * again.
  *
  * @param nowMillis returns the time, for persons who maintain rows of deleted queries
  */
private[wal] final case class ChunksTable(table: String, dialect: Dialect, nowMillis: () => Long) {

  def create: String =
    s"CREATE TABLE $table (query_id VARCHAR(64) NOT NULL, epoch BIGINT NOT NULL, " +
      "chunk_name VARCHAR(128) NOT NULL, newest_epoch BIGINT NOT NULL, decision VARCHAR(64), " +
      "noted_millis BIGINT NOT NULL, PRIMARY KEY (query_id, epoch, chunk_name))"

  // The methods below run in a transaction of the caller.

  def has(session: Session, chunk: Chunk): Boolean =
    read(session, chunk.query, chunk.epochNumber, chunk.name).isDefined || isOver(session, chunk)

  /** Records a chunk, unless the chunk is already recorded. Error: a transient error if another process
    * records the chunk at the same time; the caller retries.
    */
  def put(session: Session, chunk: Chunk): Unit = if (!has(session, chunk)) insertFirst(session, chunk)

  /** Records a chunk without a record, and locks out all other transactions until this transaction ends.
    * Returns false if the chunk was complete long ago. The transaction must not have read before, because in
    * some databases reads would use an old snapshot. Error: a transient error if another process has just
    * recorded the chunk.
    */
  def claim(session: Session, chunk: Chunk): Boolean = {
    insertFirst(session, chunk)
    val late = isOver(session, chunk)
    if (late) remove(session, chunk)
    !late
  }

  private def insertFirst(session: Session, chunk: Chunk): Unit =
    try insert(session, chunk)
    catch {
      case NonFatal(e) if FailureKind.of(e, dialect) == FailureKind.BadRow =>
        throw new SQLTransientException(s"chunk ${chunk.name} is already recorded", ChunksTable.Conflict, e)
    }

  /** Records that an epoch is being sent, and returns the newest recorded epoch. A later recorded epoch is
    * kept, and so is an epoch with the same number and another decision.
    *
    * Error: `SQLTransientException` if another process inserts the query's first epoch at the same time; the
    * caller retries.
    */
  def begin(session: Session, decided: DecidedEpoch): DecidedEpoch = {
    val DecidedEpoch(query, epoch, decision) = decided
    val replaced                             = session.update(
      s"UPDATE $table SET newest_epoch = ?, decision = ?, noted_millis = ? WHERE $key AND " +
        "(newest_epoch < ? OR (newest_epoch = ? AND decision IS NULL))",
      epoch,
      orNull(decision),
      nowMillis(),
      query,
      ChunksTable.NewestEpoch,
      ChunksTable.NewestName,
      epoch,
      epoch
    )
    if (replaced > 0) decided
    else
      newest(session, query).getOrElse {
        try insert(session, (ChunksTable.NewestEpoch, ChunksTable.NewestName), decided)
        catch {
          case NonFatal(e) if FailureKind.of(e, dialect) == FailureKind.BadRow =>
            throw new SQLTransientException(s"query $query has already started", ChunksTable.Conflict, e)
        }
        decided
      }
  }

  def forgetBefore(session: Session, query: String, epoch: Long): Unit = {
    begin(session, DecidedEpoch(query, epoch, decision = ""))
    session.update(s"DELETE FROM $table WHERE query_id = ? AND epoch >= 0 AND epoch < ?", query, epoch)
    ()
  }

  private def isOver(session: Session, chunk: Chunk): Boolean =
    newest(session, chunk.query).exists(_.epoch > chunk.epochNumber)

  private def newest(session: Session, query: String): Option[DecidedEpoch] =
    read(session, query, ChunksTable.NewestEpoch, ChunksTable.NewestName)

  // Reads by the whole key, so that the lock of another chunk's new row does not block.
  private def read(session: Session, query: String, epoch: Long, name: String): Option[DecidedEpoch] =
    session.query(s"SELECT newest_epoch, decision FROM $table WHERE $key", query, epoch, name) { result =>
      Option.when(result.next()) {
        DecidedEpoch(query, result.getLong(1), Option(result.getString(2)).getOrElse(""))
      }
    }

  private def insert(session: Session, chunk: Chunk): Unit =
    insert(session, (chunk.epochNumber, chunk.name), DecidedEpoch(chunk.query, 0, decision = ""))

  private def insert(session: Session, place: (Long, String), newest: DecidedEpoch): Unit = {
    session.update(
      s"INSERT INTO $table (query_id, epoch, chunk_name, newest_epoch, decision, noted_millis) " +
        "VALUES (?, ?, ?, ?, ?, ?)",
      newest.query,
      place._1,
      place._2,
      newest.epoch,
      orNull(newest.decision),
      nowMillis()
    )
    ()
  }

  private def orNull(decision: String): String = if (decision.isEmpty) null else decision

  private def remove(session: Session, chunk: Chunk): Unit = {
    session.update(s"DELETE FROM $table WHERE $key", chunk.query, chunk.epochNumber, chunk.name)
    ()
  }

  private def key: String = "query_id = ? AND epoch = ? AND chunk_name = ?"
}

private object ChunksTable {

  // The key of the row with the newest epoch: no chunk has this name, and no epoch is less than 0.
  final val NewestEpoch = -1L
  final val NewestName  = "-"

  // The SQLSTATE of a transaction that conflicts with another transaction.
  final val Conflict = "40001"
}

/** The options of the sender and the committer of a write-ahead sink with the prefix `jdbc.`.
  *
  * @param jdbc        the options of a JDBC sink
  * @param chunksTable the name of the table of notes
  * @param notesHere   true if the committer stores its notes in this database
  */
private[jdbc] final case class JdbcChunkOptions(jdbc: JdbcOptions, chunksTable: String, notesHere: Boolean) {
  def chunks: ChunksTable = ChunksTable(chunksTable, jdbc.at.dialect, () => System.currentTimeMillis())
}

private[jdbc] object JdbcChunkOptions {

  /** Parses the options of the sender. */
  def ofSender(options: JMap[String, String]): JdbcChunkOptions = parse(options, table = None)

  /** Parses the options of the committer, which needs no table for rows. */
  def ofCommitter(options: JMap[String, String]): JdbcChunkOptions =
    parse(options, table = Some(DefaultTable))

  /** Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param table the default table
    */
  private def parse(options: JMap[String, String], table: Option[String]): JdbcChunkOptions = {
    val own    = ConnectorOptions.of(options, Word, withoutEffect)
    val passed = own.without(Registry.ProgressTable).withDefault(Registry.DbTable, table)
    val sinkId = Option(options.get(Registry.SinkId.key))
    val jdbc   = JdbcOptions.parse(passed.withDefault(Registry.SinkId, sinkId).asJava)
    JdbcChunkOptions(
      jdbc,
      own.text(Registry.ProgressTable).getOrElse(TableName.inSameSchema(jdbc.at.table, DefaultTable)),
      notesHere = Committers(String.valueOf(options.get("committer")).trim.toLowerCase)
    )
  }

  // The log determines the owner of the rows, and the chunks determine their distribution.
  private val withoutEffect: Seq[Opt[_]] = Seq(
    Registry.NumPartitions,
    Registry.DistributionName,
    Registry.SinkId,
    Registry.OnForeign
  )

  private final val Word         = "jdbc"
  private final val DefaultTable = "stoplog_chunks"
  private val Committers         = Set(Word, classOf[JdbcCommitters].getName.toLowerCase)
}
