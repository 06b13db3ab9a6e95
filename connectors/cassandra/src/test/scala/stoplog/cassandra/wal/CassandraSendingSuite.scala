// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.util.UUID

import stoplog.cassandra.KeyspaceForTests
import stoplog.wal.SendingLaws

/** Rows and notes in one cluster. */
class CassandraSendingSuite extends SendingLaws with KeyspaceForTests {

  override protected def newTarget(): SendingLaws.Target = {
    val table = s"t_${UUID.randomUUID().toString.take(8)}"
    cql(s"CREATE TABLE %s.$table (id bigint PRIMARY KEY, word text)")
    new SendingLaws.Target(
      Map("sender" -> "cassandra", "committer" -> "cassandra") ++
        options(table).map { case (key, value) => s"cassandra.$key" -> value },
      () => cql(s"SELECT id, word FROM %s.$table").map(row => row.getLong(0) -> row.getString(1))
    )
  }

  /** It writes what is there, with the timestamps that it has. */
  override protected def keepsLateTasksOut: Boolean = false
}
