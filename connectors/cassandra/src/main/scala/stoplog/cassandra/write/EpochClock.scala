// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.io.IOException

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.{CqlSession, DefaultConsistencyLevel, DriverException}
import com.datastax.oss.driver.api.core.cql.SimpleStatement

import stoplog.cassandra.client.{CassandraErrors, RequestCauses, RequestRetries, Sessions}
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
  private var latest = Option.empty[Long]

  /** Error: `STOPLOG_CASSANDRA_EPOCH_BEHIND` if a newer epoch has been begun. */
  def begin(epoch: Long): Long = {
    val begun = retries(() => attempt(epoch))
    latest = Some(latest.getOrElse(0L).max(begun))
    begun
  }

  /** The latest timestamp that a task has given to a row. */
  def used(micros: Long): Unit = latest = Some(latest.getOrElse(0L).max(micros))

  private def attempt(epoch: Long): Long = {
    val entries = ledger.entries()
    entries.find(_.query == query) match {
      case Some(own) if own.epoch == epoch => own.micros
      case Some(own) if own.epoch > epoch => throw CassandraErrors.epochBehind(table, query, epoch, own.epoch)
      case Some(own)                      =>
        // Another run may have used a few microseconds behind its last time, for rows that have the same key.
        val floor = latest.fold(own.micros + EpochClock.MarginMicros)(_.max(own.micros) + 1)
        claim(EpochEntry(query, epoch, nowMicros().max(floor)), Some(own))
      case None =>
        claim(EpochEntry(query, epoch, (entries.map(_.micros + 1) :+ nowMicros()).max), None)
    }
  }

  private def claim(entry: EpochEntry, before: Option[EpochEntry]): Long =
    if (ledger.replace(before, entry)) entry.micros
    else
      throw new IOException(s"another process begins epoch ${entry.epoch} of query $query at the same time")
}

private[cassandra] object EpochClock {

  /** More than one epoch needs for the rows of one key in one task, and less than a restart takes. */
  final val MarginMicros = 1000000L

  /** The time by this machine's clock, in microseconds since 1970. */
  val systemMicros: () => Long = () => Math.multiplyExact(System.currentTimeMillis(), 1000L)
}

/** The newest epoch that a query has begun to write, and its time. */
private[cassandra] final case class EpochEntry(query: String, epoch: Long, micros: Long)

/** Where the times of epochs outlive the driver. One for each table that is written to. */
private[cassandra] trait EpochLedger {

  /** One of each query. */
  def entries(): Seq[EpochEntry]

  /** Puts the entry in the place of the one before, or where there was none; false if it is another by now. What became of
    * it after an error, the next read tells.
    */
  def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean
}

/** The times of epochs in a table of Cassandra's own, by conditional writes.
  *
  * @param target the table that is written to
  */
private[cassandra] final class CassandraLedger(
    session: CqlSession,
    keyspace: String,
    table: String,
    target: String,
    serial: DefaultConsistencyLevel
) extends EpochLedger {
  private val own  = CassandraLedger.table(keyspace, table)
  private val name = own.name

  guarded(own.ensure(session))

  override def entries(): Seq[EpochEntry] = guarded {
    // A read at this level also settles what an interrupted conditional write has left open.
    val read = SimpleStatement
      .newInstance(s"SELECT query, epoch, micros FROM $name WHERE target = ?", target)
      .setConsistencyLevel(serial)
      .setIdempotent(true)
    session
      .execute(read)
      .asScala
      .map(row => EpochEntry(row.getString(0), row.getLong(1), row.getLong(2)))
      .toVector
  }

  override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = guarded {
    val write = before match {
      case None =>
        SimpleStatement.newInstance(
          s"INSERT INTO $name (target, query, epoch, micros) VALUES (?, ?, ?, ?) IF NOT EXISTS",
          target,
          entry.query,
          entry.epoch,
          entry.micros
        )
      case Some(old) =>
        SimpleStatement.newInstance(
          s"UPDATE $name SET epoch = ?, micros = ? WHERE target = ? AND query = ? IF epoch = ? AND micros = ?",
          entry.epoch,
          entry.micros,
          target,
          entry.query,
          old.epoch,
          old.micros
        )
    }
    session.execute(write.setSerialConsistencyLevel(serial)).wasApplied
  }

  private def guarded[A](action: => A): A =
    try action
    catch {
      case e: DriverException =>
        throw CassandraErrors.epochTable(own.shown, own.cql, RequestCauses.describe(e), e)
    }
}

private[cassandra] object CassandraLedger {
  def table(keyspace: String, table: String): OwnTable = OwnTable(
    keyspace,
    table,
    "target text, query text, epoch bigint, micros bigint, PRIMARY KEY (target, query)"
  )
}

/** With a session for each epoch: a query that waits for data for hours holds none.
  *
  * @param options of the table that is written to
  */
private[cassandra] final class LeasedLedger(options: CassandraOptions, asked: WriteTimestamp.OfEpoch)
    extends EpochLedger {

  override def entries(): Seq[EpochEntry] = use(_.entries())

  override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = use(_.replace(before, entry))

  private def use[A](action: CassandraLedger => A): A = Sessions.use(options.connection) { session =>
    action(
      new CassandraLedger(
        session,
        asked.keyspace.getOrElse(options.table.keyspace),
        asked.table,
        options.table.toString,
        asked.serial
      )
    )
  }
}
