// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.io.IOException
import java.util.{Map => JMap}

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.{Row, SimpleStatement}

import stoplog.cassandra.client.{CassandraErrors, RequestRetries, Sessions}
import stoplog.cassandra.options.{CassandraOptionRegistry => Registry, CassandraOptions, TablePath}
import stoplog.cassandra.schema.OwnTable
import stoplog.error.Errors
import stoplog.options.Opt
import stoplog.wal.{
  CheckpointCommitter, CheckpointCommitters, Chunk, ConnectorOptions, DecidedEpoch, LogPlace
}

/** Stores the notes of a write-ahead sink in a Cassandra table: the implementation of `committer=cassandra`.
  *
  * The options start with `cassandra.`: `cassandra.contactPoints`, `cassandra.keyspace`, further connection
  * options of `docs/reference/cassandra-options.md`, and `cassandra.progressTable`.
  *
  * The notes of a query are one partition, ordered by epoch. Old notes are deleted by a single tombstone, and
  * later reads skip the deleted range.
  *
  * {{{
  * rows.writeStream.format("stoplog-wal").option("sender", "http").option("url", "https://example.com/rows")
  *   .option("committer", "cassandra")
  *   .option("cassandra.contactPoints", "10.0.0.1").option("cassandra.keyspace", "ops")
  * }}}
  */
final class CassandraCommitters extends CheckpointCommitters {

  override def check(options: JMap[String, String]): Unit = {
    CassandraChunkOptions.ofCommitter(options)
    ()
  }

  override def notesAt(options: JMap[String, String]): String = {
    val (keyspace, table) = CassandraChunkOptions.ofCommitter(options).chunks
    s"the table $keyspace.$table of Cassandra"
  }

  /** Errors: `STOPLOG_UNREACHABLE`, `STOPLOG_OWN_TABLE`. */
  override def prepare(options: JMap[String, String], log: LogPlace): Unit = made(options).prepare()

  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter = made(options)

  private def made(options: JMap[String, String]): CassandraCommitter =
    new CassandraCommitter(CassandraChunkOptions.ofCommitter(options), () => System.currentTimeMillis())
}

private[wal] final class CassandraCommitter(chunkOptions: CassandraChunkOptions, nowMillis: () => Long)
    extends CheckpointCommitter {
  private val options = chunkOptions.cassandra
  private val retries = RequestRetries(options.retryTimeoutMillis)
  private val own     = new OwnTable(
    chunkOptions.chunks._1,
    chunkOptions.chunks._2,
    "query_id text, epoch bigint, chunk_name text, noted_millis bigint, newest_epoch bigint static, " +
      "decision text static, PRIMARY KEY (query_id, epoch, chunk_name)",
    CassandraErrors.chunksTable
  )

  def prepare(): Unit =
    Sessions.use(options.connection)(session => own.guarded(retries(() => own.ensure(session))))

  override def isCommitted(chunk: Chunk): Boolean = execute(
    s"SELECT noted_millis FROM ${own.name} WHERE query_id = ? AND epoch = ? AND chunk_name = ?",
    chunk.query,
    Long.box(chunk.epochNumber),
    chunk.name
  ).isDefined

  override def commit(chunk: Chunk): Unit = {
    execute(
      s"INSERT INTO ${own.name} (query_id, epoch, chunk_name, noted_millis) VALUES (?, ?, ?, ?)",
      chunk.query,
      Long.box(chunk.epochNumber),
      chunk.name,
      Long.box(nowMillis())
    )
    ()
  }

  override def begin(decided: DecidedEpoch): Option[DecidedEpoch] =
    Some(inSession { session =>
      newest(session, decided.query) match {
        case Some(newest) if newest.epoch >= decided.epoch => newest
        case noted if replace(session, noted, decided)     => decided
        case _                                             =>
          throw new IOException(s"another process starts epoch ${decided.epoch} of query ${decided.query}")
      }
    })

  /** Reads at the serial level, which also completes interrupted conditional writes. */
  private def newest(session: CqlSession, query: String): Option[DecidedEpoch] = {
    val cql = s"SELECT DISTINCT query_id, newest_epoch, decision FROM ${own.name} WHERE query_id = ?"
    val row = session.execute(statement(cql, query).setConsistencyLevel(options.write.serial)).one()
    Option(row).filterNot(_.isNull(1)).map(row => DecidedEpoch(query, row.getLong(1), row.getString(2)))
  }

  private def replace(session: CqlSession, noted: Option[DecidedEpoch], decided: DecidedEpoch): Boolean = {
    val cql        = s"UPDATE ${own.name} SET newest_epoch = ?, decision = ? WHERE query_id = ? IF "
    val parameters = Seq(Long.box(decided.epoch), decided.decision, decided.query)
    val write      = noted.fold(statement(cql + "newest_epoch = null", parameters: _*)) { noted =>
      val values = parameters ++ Seq(Long.box(noted.epoch), noted.decision)
      statement(cql + "newest_epoch = ? AND decision = ?", values: _*)
    }
    session
      .execute(write.setIdempotent(false).setSerialConsistencyLevel(options.write.serial))
      .wasApplied
  }

  override def forgetBefore(query: String, epoch: Long): Unit = {
    execute(s"DELETE FROM ${own.name} WHERE query_id = ? AND epoch < ?", query, Long.box(epoch))
    ()
  }

  /** Returns the first row of the result. */
  private def execute(cql: String, values: AnyRef*): Option[Row] =
    inSession(session => Option(session.execute(statement(cql, values: _*)).one()))

  private def statement(cql: String, values: AnyRef*): SimpleStatement =
    SimpleStatement.newInstance(cql, values: _*).setIdempotent(true).setConsistencyLevel(options.consistency)

  /** Runs requests, and retries from the first request after transient failures. */
  private def inSession[A](requests: CqlSession => A): A =
    Sessions.use(options.connection, retries)(session => own.guarded(retries(() => requests(session))))
}

/** The options of the sender and the committer of a write-ahead sink with the prefix `cassandra.`.
  *
  * @param cassandra the options of a Cassandra sink
  * @param chunks    the keyspace and the name of the table of notes
  */
private[cassandra] final case class CassandraChunkOptions(
    cassandra: CassandraOptions,
    chunks: (String, String)
)

private[cassandra] object CassandraChunkOptions {

  /** Parses the options of the sender. Error: `STOPLOG_INVALID_OPTIONS`. */
  def ofSender(options: JMap[String, String]): CassandraChunkOptions = parse(options, table = None)

  /** Parses the options of the committer, which needs no table for rows. Error: `STOPLOG_INVALID_OPTIONS`. */
  def ofCommitter(options: JMap[String, String]): CassandraChunkOptions =
    parse(options, table = Some(DefaultTable))

  /** @param table the default table */
  private def parse(options: JMap[String, String], table: Option[String]): CassandraChunkOptions = {
    val own       = ConnectorOptions.of(options, Word, withoutEffect)
    val passed    = own.without(Registry.ProgressTable).withDefault(Registry.TableName, table)
    val cassandra = CassandraOptions.parse(passed.asJava)
    CassandraChunkOptions(cassandra, located(own.text(Registry.ProgressTable), cassandra.table.keyspace))
  }

  private def located(table: Option[String], keyspace: String): (String, String) = {
    val text = table.getOrElse(DefaultTable)
    TablePath.parse(text) match {
      case Right((in, name)) => in.getOrElse(keyspace) -> name
      case Left(why)         =>
        throw Errors.invalidOptions(Seq(s"$Word.${Registry.ProgressTable.key} = '$text' $why."))
    }
  }

  // Chunks keep their distribution, and a write-ahead sink reads no tables.
  private val withoutEffect: Seq[Opt[_]] =
    Seq(Registry.Distribution, Registry.MaxSplitMemorySize)

  private final val Word         = "cassandra"
  private final val DefaultTable = "stoplog_chunks"
}
