// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.util.{Map => JMap}

import com.datastax.oss.driver.api.core.{CqlSession, DriverException}
import com.datastax.oss.driver.api.core.cql.{Row, SimpleStatement}

import stoplog.cassandra.client.{CassandraErrors, RequestCauses, RequestRetries, Sessions}
import stoplog.cassandra.schema.OwnTable
import stoplog.wal.{CheckpointCommitter, CheckpointCommitters, Chunk, LogPlace}

/** Keeps the notes of a write-ahead sink in a table of Cassandra's: what `committer=cassandra` is.
  *
  * Its options begin with `cassandra.`: `cassandra.contactPoints`, `cassandra.keyspace` and what else
  * `docs/reference/cassandra-options.md` has for connections, and `cassandra.chunksTable`.
  *
  * A query's notes are one partition, in the order of its epochs: what is over is removed by one tombstone, behind which
  * nothing is read any more.
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

  /** Errors: `STOPLOG_CASSANDRA_CONNECT`, `STOPLOG_CASSANDRA_CHUNKS_TABLE`. */
  override def prepare(options: JMap[String, String], log: LogPlace): Unit = made(options).prepare()

  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter = made(options)

  private def made(options: JMap[String, String]): CassandraCommitter =
    new CassandraCommitter(CassandraChunkOptions.ofCommitter(options), () => System.currentTimeMillis())
}

private[wal] final class CassandraCommitter(asked: CassandraChunkOptions, nowMillis: () => Long)
    extends CheckpointCommitter {
  private val options = asked.cassandra
  private val retries = RequestRetries(options.retryTimeoutMillis)
  private val own     = CassandraCommitter.table(asked.chunks._1, asked.chunks._2)

  def prepare(): Unit =
    Sessions.use(options.connection)(session => guarded(retries(() => own.ensure(session))))

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

  override def forgetBefore(query: String, epoch: Long): Unit = {
    execute(s"DELETE FROM ${own.name} WHERE query_id = ? AND epoch < ?", query, Long.box(epoch))
    ()
  }

  /** The first row of the answer. */
  private def execute(cql: String, values: AnyRef*): Option[Row] =
    Sessions.use(options.connection, retries) { session =>
      val statement = SimpleStatement
        .newInstance(cql, values: _*)
        .setIdempotent(true)
        .setConsistencyLevel(options.consistency)
      guarded(retries(() => answer(session, statement)))
    }

  private def answer(session: CqlSession, statement: SimpleStatement): Option[Row] =
    Option(session.execute(statement).one())

  private def guarded[A](action: => A): A =
    try action
    catch {
      case e: DriverException =>
        throw CassandraErrors.chunksTable(own.shown, own.cql, RequestCauses.describe(e), e)
    }
}

private[wal] object CassandraCommitter {
  def table(keyspace: String, table: String): OwnTable = OwnTable(
    keyspace,
    table,
    "query_id text, epoch bigint, chunk_name text, noted_millis bigint, PRIMARY KEY (query_id, epoch, chunk_name)"
  )
}
