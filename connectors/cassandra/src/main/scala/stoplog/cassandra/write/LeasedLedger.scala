// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import stoplog.cassandra.client.Sessions
import stoplog.cassandra.options.{CassandraOptions, WriteTimestamp}

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
