// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.cassandra.client.{RequestRetries, Sessions}
import stoplog.cassandra.options.{CassandraOptions, WriteTimestamp}
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.write.{EpochClock, RowEncoder, UpsertWriter, WritePlan}
import stoplog.fault.Faults
import stoplog.wal.{Chunk, ChunkRows, DecidedEpoch, EpochTimes, Recent, RowSender, RowTarget}

/** Writes the chunks of a write-ahead sink to a Cassandra table, by key: the implementation of
  * `sender=cassandra`.
  *
  * Rows have the write timestamp of their epoch. Therefore a repeated chunk has no effect, and never replaces
  * writes of newer epochs: effectively once, with any committer.
  *
  * {{{
  * rows.writeStream.format("stoplog-wal").option("sender", "cassandra").option("committer", "cassandra")
  *   .option("cassandra.contactPoints", "10.0.0.1").option("cassandra.keyspace", "shop")
  *   .option("cassandra.table", "orders")
  * }}}
  */
final class CassandraSender extends RowSender {

  override def target(options: JMap[String, String]): String =
    CassandraChunkOptions.ofSender(options).cassandra.table.toString

  override def rowsTo(options: JMap[String, String]): String = s"the table ${target(options)} of Cassandra"

  /** Errors: `STOPLOG_UNREACHABLE`, `STOPLOG_CASSANDRA_TABLE`, `STOPLOG_ROW_COLUMNS`. */
  override def check(options: JMap[String, String], schema: StructType): Unit = {
    CassandraSender.plan(CassandraChunkOptions.ofSender(options).cassandra, schema)
    ()
  }

  override def times(options: JMap[String, String]): EpochTimes = {
    val cassandra = CassandraChunkOptions.ofSender(options).cassandra
    cassandra.write.timestamp match {
      case ofEpoch: WriteTimestamp.OfEpoch =>
        new ChunkTimes(EpochClock.of(cassandra, ofEpoch, _), EpochClock.systemMicros)
      case _ => EpochTimes.none
    }
  }

  override private[stoplog] def rowCheck(
      options: JMap[String, String],
      schema: StructType
  ): InternalRow => Unit = {
    val cassandra     = CassandraChunkOptions.ofSender(options).cassandra
    val (plan, table) = CassandraSender.plans.of(cassandra -> schema)(CassandraSender.plan(cassandra, schema))
    RowEncoder.of(plan, table, cassandra.write.nulls).check(_)
  }

  override def open(options: JMap[String, String], schema: StructType): RowTarget =
    new CassandraChunks(CassandraChunkOptions.ofSender(options).cassandra, schema)
}

private object CassandraSender {

  // Each JVM reads the description of the table once, and again after a failure.
  val plans = new Recent[(CassandraOptions, StructType), (WritePlan, TableInfo)]

  def plan(options: CassandraOptions, schema: StructType): (WritePlan, TableInfo) = {
    val table = TableInfo.of(options)
    WritePlan.of(table, schema, options) -> table
  }
}

private[wal] final class CassandraChunks(options: CassandraOptions, schema: StructType) extends RowTarget {
  private val lease = Sessions.lease(options.connection, RequestRetries(options.retryTimeoutMillis))
  private val key   = options -> schema

  /** Errors: `STOPLOG_BAD_ROW`, `STOPLOG_REQUEST_FAILED`. */
  override def send(chunk: Chunk, rows: ChunkRows): Boolean =
    try {
      val (plan, _) = CassandraSender.plans.of(key)(CassandraSender.plan(options, schema))
      val writer    = new UpsertWriter(plan, lease.session, options, chunk.micros, Faults.none)
      rows.iterator.foreach(writer.write)
      writer.finish()
      true
    } catch {
      case e: Throwable =>
        CassandraSender.plans.forget(key)
        throw e
    }

  override def close(): Unit = lease.close()
}

/** The timestamps of epochs, from the same ledger as in a Cassandra sink.
  *
  * @param clockOf   returns the clock of a query
  * @param nowMicros returns the time for a batch query, which is never repeated: all rows have the time of
  *                  the first chunk
  */
private[wal] final class ChunkTimes(clockOf: String => EpochClock, nowMicros: () => Long) extends EpochTimes {
  private var queries = Map.empty[String, ChunkTimes.Query]

  /** Returns the timestamp of a chunk's epoch. Error: `STOPLOG_EPOCH_AHEAD` if a newer process
    * sends the query's chunks, or if the epoch has two decisions.
    */
  override def of(chunk: Chunk, decided: DecidedEpoch): Option[Long] = synchronized {
    val query =
      if (chunk.epoch.isEmpty) queries.getOrElse(chunk.query, ChunkTimes.Job(nowMicros()))
      else begun(decided, chunk.rows)
    queries += chunk.query -> query
    Some(query.micros)
  }

  private def begun(decided: DecidedEpoch, rows: Long): ChunkTimes.Stream = {
    def begin(clock: EpochClock) =
      ChunkTimes.Stream(decided, clock.begin(decided.epoch, decided.digest), clock)
    val query = queries.get(decided.query) match {
      case Some(known: ChunkTimes.Stream) if known.decided == decided => known
      case Some(known: ChunkTimes.Stream)                             => begin(known.clock)
      case _                                                          => begin(clockOf(decided.query))
    }
    // The timestamps of consecutive rows of one key differ by one microsecond.
    query.clock.used(query.micros + rows)
    query
  }
}

private object ChunkTimes {
  sealed trait Query {
    def micros: Long
  }
  final case class Stream(decided: DecidedEpoch, micros: Long, clock: EpochClock) extends Query
  final case class Job(micros: Long)                                              extends Query
}
