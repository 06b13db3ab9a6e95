// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.{CqlSession, DefaultConsistencyLevel, DriverException}
import com.datastax.oss.driver.api.core.cql.SimpleStatement

import stoplog.cassandra.client.{CassandraErrors, RequestCauses, Sessions}
import stoplog.cassandra.options.{CassandraOptions, WriteTimestamp}
import stoplog.cassandra.schema.OwnTable

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
