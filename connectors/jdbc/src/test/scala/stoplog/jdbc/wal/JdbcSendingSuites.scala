// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import stoplog.jdbc.TestDatabase
import stoplog.wal.SendingLaws

/** Rows and notes in one database. */
abstract class JdbcSendingLaws(database: => TestDatabase) extends SendingLaws {

  override protected def newTarget(): SendingLaws.Target = {
    val table = database.newHeap()
    new SendingLaws.Target(
      Map(
        "sender"            -> "jdbc",
        "committer"         -> "JDBC",
        "jdbc.url"          -> database.url,
        "jdbc.dbtable"      -> table,
        "jdbc.batchsize"    -> "7",
        "jdbc.retryTimeout" -> "1m"
      ),
      () => database.rows(s"SELECT id, word FROM $table").map(row => row.head.toLong -> row(1))
    )
  }

  override protected def keepsLateTasksOut: Boolean = true
}

class DerbySendingSuite    extends JdbcSendingLaws(JdbcSendingSuites.derby)
class H2SendingSuite       extends JdbcSendingLaws(JdbcSendingSuites.h2)
class PostgresSendingSuite extends JdbcSendingLaws(TestDatabase.postgres)
class MariaDbSendingSuite  extends JdbcSendingLaws(TestDatabase.mariaDb)

private object JdbcSendingSuites {
  lazy val derby: TestDatabase = TestDatabase.derby()
  lazy val h2: TestDatabase    = TestDatabase.h2()
}
