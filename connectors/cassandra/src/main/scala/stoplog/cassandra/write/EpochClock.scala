// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.io.IOException

import stoplog.cassandra.client.{CassandraErrors, RequestRetries}

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
