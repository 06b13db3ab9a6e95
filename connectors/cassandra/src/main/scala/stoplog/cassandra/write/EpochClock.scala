// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.io.IOException

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.SimpleStatement

import stoplog.cassandra.client.{CassandraErrors, RequestRetries, Sessions}
import stoplog.cassandra.options.{CassandraOptions, WriteTimestamp}
import stoplog.cassandra.schema.OwnTable

/** Gives each epoch of a query the write timestamp of its rows: when it was first begun.
  *
  * The time of an epoch is in the ledger before any of its rows is written, so an epoch that is repeated after a crash
  * has it again. Times grow with the epochs of a query, over restarts and even if the clock goes back: what a late
  * attempt writes loses against all that newer epochs wrote.
  *
  * @param table     that is written to, for messages
  * @param retries   for all of it, from reading the ledger on: only that tells what became of a write without an answer
  * @param nowMicros the time by the driver's clock, in microseconds since 1970
  */
private[cassandra] final class EpochClock(
    ledger: EpochLedger,
    table: String,
    query: String,
    retries: RequestRetries,
    nowMicros: () => Long
) {
  // No timestamp of this query is later, as far as this run has seen.
  private var latest = 0L

  // The times of its rows are all this run's own, and so it has seen them.
  private var claimed = Option.empty[EpochEntry]

  /** Error: `STOPLOG_CASSANDRA_EPOCH_BEHIND` if a newer epoch has been begun. */
  def begin(epoch: Long): Long = {
    val begun = retries(() => attempt(epoch))
    used(begun)
    begun
  }

  /** The latest timestamp that a task has given to a row. */
  def used(micros: Long): Unit = latest = latest.max(micros)

  private def attempt(epoch: Long): Long = {
    val entries = ledger.entries()
    entries.find(_.query == query) match {
      case Some(own) =>
        // Another run may have used a few microseconds behind its last time, for rows that have the same key.
        if (!claimed.contains(own)) used(own.micros + EpochClock.MarginMicros)
        if (own.epoch > epoch) throw CassandraErrors.epochBehind(table, query, epoch, own.epoch)
        else if (own.epoch == epoch) own.micros
        else claim(EpochEntry(query, epoch, nowMicros().max(latest + 1)), Some(own))
      case None =>
        claim(EpochEntry(query, epoch, (entries.map(_.micros + 1) :+ nowMicros()).max), None)
    }
  }

  private def claim(entry: EpochEntry, before: Option[EpochEntry]): Long =
    if (ledger.replace(before, entry)) {
      claimed = Some(entry)
      entry.micros
    } else
      throw new IOException(s"another process begins epoch ${entry.epoch} of query $query at the same time")
}

private[cassandra] object EpochClock {

  /** More than one epoch needs for the rows of one key in one task, and less than a restart takes. */
  final val MarginMicros = 1000000L

  /** The clock of a query, whose times are in the table that the option `epochTable` names. */
  def of(options: CassandraOptions, asked: WriteTimestamp.OfEpoch, query: String): EpochClock =
    new EpochClock(
      new CassandraLedger(options, asked),
      options.table.toString,
      query,
      RequestRetries(options.retryTimeoutMillis),
      systemMicros
    )

  /** The time by this machine's clock, in microseconds since 1970. */
  val systemMicros: () => Long = () => Math.multiplyExact(System.currentTimeMillis(), 1000L)
}

/** The newest epoch that a query has begun to write, and its time. */
private[cassandra] final case class EpochEntry(query: String, epoch: Long, micros: Long)

/** The store of the times of epochs, which outlives the driver. One for each table that is written to. */
private[cassandra] trait EpochLedger {

  /** One of each query. */
  def entries(): Seq[EpochEntry]

  /** Puts the entry in the place of the one before, or where there was none; false if it is another by now. After an
    * error, the next read tells whether it did.
    */
  def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean
}

/** The times of epochs in a table of Cassandra's own, by conditional writes. It has a session for each call: a query that
  * waits for data for hours holds none.
  *
  * @param options of the table that is written to
  */
private[cassandra] final class CassandraLedger(options: CassandraOptions, asked: WriteTimestamp.OfEpoch)
    extends EpochLedger {
  private val target = options.table.toString
  private val own    = new OwnTable(
    asked.keyspace.getOrElse(options.table.keyspace),
    asked.table,
    "target text, query text, epoch bigint, micros bigint, PRIMARY KEY (target, query)",
    CassandraErrors.epochTable
  )

  override def entries(): Seq[EpochEntry] = use { session =>
    // A read at this level also settles what an interrupted conditional write has left open.
    val read = SimpleStatement
      .newInstance(s"SELECT query, epoch, micros FROM ${own.name} WHERE target = ?", target)
      .setConsistencyLevel(asked.serial)
      .setIdempotent(true)
    session
      .execute(read)
      .asScala
      .map(row => EpochEntry(row.getString(0), row.getLong(1), row.getLong(2)))
      .toVector
  }

  override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = use { session =>
    val write = before match {
      case None =>
        SimpleStatement.newInstance(
          s"INSERT INTO ${own.name} (target, query, epoch, micros) VALUES (?, ?, ?, ?) IF NOT EXISTS",
          target,
          entry.query,
          entry.epoch,
          entry.micros
        )
      case Some(old) =>
        SimpleStatement.newInstance(
          s"UPDATE ${own.name} SET epoch = ?, micros = ? WHERE target = ? AND query = ? IF epoch = ? AND micros = ?",
          entry.epoch,
          entry.micros,
          target,
          entry.query,
          old.epoch,
          old.micros
        )
    }
    session.execute(write.setSerialConsistencyLevel(asked.serial)).wasApplied
  }

  private def use[A](action: CqlSession => A): A = Sessions.use(options.connection) { session =>
    own.guarded {
      own.ensure(session)
      action(session)
    }
  }
}
