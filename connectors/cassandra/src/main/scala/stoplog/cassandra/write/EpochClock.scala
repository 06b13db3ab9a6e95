// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.io.IOException

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.SimpleStatement

import stoplog.cassandra.client.{CassandraErrors, RequestRetries, Sessions}
import stoplog.cassandra.options.{CassandraOptions, WriteTimestamp}
import stoplog.cassandra.schema.OwnTable
import stoplog.commit.{EpochCheck, EpochErrors, Planned}
import stoplog.log.{BatchDigest, QueryEpoch}

/** Returns the write timestamp of each epoch of a query: the time at which the epoch first started.
  *
  * The ledger contains the timestamp and the digest of an epoch before any row of the epoch is written. An
  * epoch that is repeated after a crash has the same timestamp. A repeated epoch with another digest is
  * rejected: its plan has other rows, and Cassandra would mix the cells of the two plans (decision 0034).
  * Timestamps increase with the epochs of a query, also after restarts and if the clock is set back.
  * Therefore the rows of a late attempt never replace rows of newer epochs.
  *
  * @param table     the target table, for messages
  * @param retries   the retries of the ledger's read and write: only a new read shows whether an unconfirmed
  *                  write was applied
  * @param nowMicros returns the driver's clock, in microseconds since 1970
  */
private[cassandra] final class EpochClock(
    ledger: EpochLedger,
    table: String,
    query: String,
    retries: RequestRetries,
    nowMicros: () => Long
) {
  // The latest timestamp that the next epoch must exceed, as far as this run has seen.
  private var latest = 0L

  // The newest entry that this run has claimed. This run has assigned and seen all timestamps of the entry's
  // rows.
  private var claimed = Option.empty[EpochEntry]

  private val errors = new LedgerErrors(ledger, table, query)
  private val check  = new EpochCheck(errors)

  /** Starts an epoch of a query that starts every epoch here. Errors: `STOPLOG_EPOCH_AHEAD`,
    * `STOPLOG_EPOCH_GAP`.
    */
  def begin(planned: Planned): Long = begun(planned.batch, planned.digest) { own =>
    check.sequence(own.newest, planned)
    // An entry that this run has not claimed may belong to another run that continued from another batch.
    if (!claimed.contains(own)) check.requireContinuation(own.newest, planned)
  }

  /** Starts an epoch of a query that starts only epochs with rows here. Error:
    * `STOPLOG_EPOCH_AHEAD`.
    */
  def begin(epoch: Long, digest: Option[BatchDigest]): Long =
    begun(epoch, digest)(own => EpochCheck.notBehind(own.newest, epoch, digest, errors))

  private def begun(epoch: Long, digest: Option[BatchDigest])(refuse: EpochEntry => Unit): Long = {
    val micros = retries(() => attempt(epoch, digest, refuse))
    used(micros)
    micros
  }

  /** Records the latest timestamp that a task has assigned to a row. */
  def used(micros: Long): Unit = latest = latest.max(micros)

  private def attempt(epoch: Long, digest: Option[BatchDigest], refuse: EpochEntry => Unit): Long = {
    val entries = ledger.entries()
    entries.find(_.query == query) match {
      case Some(own) =>
        passRowsOf(own)
        refuse(own)
        if (own.epoch == epoch) own.micros
        else claim(EpochEntry(query, epoch, digest, nowMicros().max(latest + 1)), Some(own))
      case None =>
        entries.foreach(passRowsOf)
        claim(EpochEntry(query, epoch, digest, nowMicros().max(latest + 1)), None)
    }
  }

  /** Another run may have used some microseconds after the time of its entry, for rows with the same key. */
  private def passRowsOf(entry: EpochEntry): Unit =
    if (!claimed.contains(entry)) used(entry.micros + EpochClock.MarginMicros)

  private def claim(entry: EpochEntry, before: Option[EpochEntry]): Long =
    if (ledger.replace(before, entry)) {
      claimed = Some(entry)
      entry.micros
    } else
      throw new IOException(s"another process starts epoch ${entry.epoch} of query $query at the same time")
}

private[cassandra] object EpochClock {

  /** The margin exceeds the microseconds that an epoch needs for the rows of one key in one task, and is
    * shorter than a restart.
    */
  final val MarginMicros = 1000000L

  /** Returns the clock of a query, with the timestamps in the table of the option `progressTable`. */
  def of(options: CassandraOptions, epochTable: WriteTimestamp.OfEpoch, query: String): EpochClock =
    new EpochClock(
      new CassandraLedger(options, epochTable),
      options.table.toString,
      query,
      RequestRetries(options.retryTimeoutMillis),
      systemMicros
    )

  /** Returns this machine's clock, in microseconds since 1970. */
  val systemMicros: () => Long = () => Math.multiplyExact(System.currentTimeMillis(), 1000L)
}

/** The newest epoch that a query has started, and the write timestamp of its rows.
  *
  * @param digest the digest of the epoch; `None` if unknown
  */
private[cassandra] final case class EpochEntry(
    query: String,
    epoch: Long,
    digest: Option[BatchDigest],
    micros: Long
) {
  def newest: QueryEpoch = QueryEpoch(query, Some(epoch), digest)
}

/** The errors of a rejected epoch of this query. */
private final class LedgerErrors(ledger: EpochLedger, table: String, query: String) extends EpochErrors {

  /** Never called, because each query has its own entry. */
  override def foreignQuery(owner: QueryEpoch, batch: Long): Throwable =
    throw new IllegalStateException(s"the entry of query ${owner.queryId} was read for query $query")

  override def gap(last: Option[Long], batch: Long): Throwable =
    last.fold[Throwable](new IllegalStateException(s"the entry of query $query has no epoch")) { newest =>
      CassandraErrors.epochGap(table, query, newest, batch, ledger.repair(query, newest, batch))
    }

  override def ahead(last: Long, batch: Long): Throwable = behind(last, batch, s"epoch $batch")

  override def plannedAnew(batch: Long): Throwable =
    behind(batch, batch, s"an epoch $batch that it has replanned with other offsets")

  override def replanned(last: Long): Throwable =
    behind(
      last,
      last + 1,
      s"epoch ${last + 1} after another epoch $last, which was replanned with other offsets"
    )

  private def behind(newest: Long, epoch: Long, started: String): Throwable =
    CassandraErrors.epochBehind(table, query, newest, started, ledger.repair(query, newest, epoch))
}

/** The durable store of the timestamps of epochs. There is one ledger for each target table. */
private[cassandra] trait EpochLedger {

  /** Returns the statement by which an operator allows a query to start this epoch. The rows of the epoch
    * then become newer than all earlier rows of the query.
    *
    * @param newest the epoch in the query's entry
    */
  def repair(query: String, newest: Long, epoch: Long): String

  /** Returns the entries, one for each query. */
  def entries(): Seq[EpochEntry]

  /** Replaces the previous entry, or inserts the first entry. Returns false if the current entry differs.
    * After an error, the next read shows the outcome.
    */
  def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean
}

/** Stores the timestamps of epochs in a Cassandra table by conditional writes. Opens a session for each call,
  * because a query that waits for data for hours keeps no session open.
  *
  * @param options the options of the target table
  */
private[cassandra] final class CassandraLedger(options: CassandraOptions, epochTable: WriteTimestamp.OfEpoch)
    extends EpochLedger {
  private val target = options.table.toString
  private val own    = new OwnTable(
    epochTable.keyspace.getOrElse(options.table.keyspace),
    epochTable.table,
    "target text, query text, epoch bigint, digest text, micros bigint, PRIMARY KEY (target, query)",
    CassandraErrors.epochTable
  )

  /** The statement keeps the timestamp and is conditional like all writes to the table, because Cassandra
    * orders unconditional writes by another clock.
    */
  override def repair(query: String, newest: Long, epoch: Long): String =
    s"UPDATE ${own.name} SET epoch = ${epoch - 1}, digest = null WHERE target = '$target' " +
      s"AND query = '$query' IF epoch = $newest"

  override def entries(): Seq[EpochEntry] = use { session =>
    // Reads at the serial level, which also completes interrupted conditional writes.
    val read = SimpleStatement
      .newInstance(s"SELECT query, epoch, digest, micros FROM ${own.name} WHERE target = ?", target)
      .setConsistencyLevel(epochTable.serial)
      .setIdempotent(true)
    session
      .execute(read)
      .asScala
      .map { row =>
        EpochEntry(
          row.getString(0),
          row.getLong(1),
          Option(row.getString(2)).map(BatchDigest(_)),
          row.getLong(3)
        )
      }
      .toVector
  }

  override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = use { session =>
    val write = before match {
      case None =>
        SimpleStatement.newInstance(
          s"INSERT INTO ${own.name} (target, query, epoch, digest, micros) " +
            "VALUES (?, ?, ?, ?, ?) IF NOT EXISTS",
          target,
          entry.query,
          entry.epoch,
          entry.digest.map(_.value).orNull,
          entry.micros
        )
      case Some(old) =>
        SimpleStatement.newInstance(
          s"UPDATE ${own.name} SET epoch = ?, digest = ?, micros = ? WHERE target = ? AND query = ? " +
            "IF epoch = ? AND micros = ?",
          entry.epoch,
          entry.digest.map(_.value).orNull,
          entry.micros,
          target,
          entry.query,
          old.epoch,
          old.micros
        )
    }
    session.execute(write.setSerialConsistencyLevel(epochTable.serial)).wasApplied
  }

  private def use[A](action: CqlSession => A): A = Sessions.use(options.connection) { session =>
    own.guarded {
      own.ensure(session)
      action(session)
    }
  }
}
