// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.util.{Map => JMap}

import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults
import stoplog.jdbc.{Pause, Retries, RetryPolicy, SinkSpec, SparkConnector, TableCheck}
import stoplog.wal.{Recent, RowSender, RowTarget}

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

  /** Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_TABLE`. */
  override def check(options: JMap[String, String], schema: StructType): Unit = {
    val key = JdbcChunkOptions.ofSender(options) -> schema
    JdbcSender.specs.forget(key)
    JdbcSender.specs.of(key)(JdbcSender.spec(key._1, schema))
    ()
  }

  override def open(options: JMap[String, String], schema: StructType): RowTarget = {
    val asked  = JdbcChunkOptions.ofSender(options)
    val key    = asked -> schema
    val spec   = JdbcSender.specs.of(key)(JdbcSender.patiently(asked, schema))
    val failed = () => JdbcSender.specs.forget(key)
    if (asked.notesHere) {
      val chunks = ChunksTable(asked.chunksTable, spec.target.dialect, () => System.currentTimeMillis())
      new NotedChunks(new ChunkTransactions(spec, failed), chunks, faultsHere())
    } else new PlainChunks(new ChunkTransactions(spec, failed), faultsHere())
  }
}

private object JdbcSender {
  private final val KeptSpecs = 16

  // The database is asked about the table once in each JVM, and again after a failure.
  val specs = new Recent[(JdbcChunkOptions, StructType), SinkSpec](KeptSpecs)

  /** What is in the log is not to fail because the database is away for a while. */
  def patiently(asked: JdbcChunkOptions, schema: StructType): SinkSpec = {
    val jdbc   = asked.jdbc
    val policy = RetryPolicy(jdbc.requests.maxTries, jdbc.requests.retryWaitMillis, Pause.sleep)
    new Retries(policy, jdbc.at.dialect)(identity)(_ => spec(asked, schema))
  }

  /** Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_TABLE`. */
  def spec(asked: JdbcChunkOptions, schema: StructType): SinkSpec = {
    val connector = new SparkConnector(asked.jdbc.toSpark)
    SinkSpec.of(asked.jdbc, schema, TableCheck.target(asked.jdbc, schema, connector), connector)
  }
}
