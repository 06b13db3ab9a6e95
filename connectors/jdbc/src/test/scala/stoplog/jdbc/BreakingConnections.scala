// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{Connection, SQLException}
import java.util.concurrent.atomic.AtomicInteger

import stoplog.jdbc.client.ConnectionSource

/** Connections that break at a COMMIT: before the database has heard of it, or after.
  *
  * @param at the COMMIT, counted from 1 over all connections
  */
final class BreakingConnections(database: TestDatabase, at: Int, carriedOut: Boolean)
    extends ConnectionSource {
  @transient private lazy val commits = new AtomicInteger()

  override def open(): Connection = {
    val real = database.open()
    JdbcProxy[Connection](real) {
      case "commit" if commits.incrementAndGet() == at =>
        if (carriedOut) real.commit() else real.rollback()
        real.close()
        throw new SQLException("connection reset", "08006")
    }
  }
}
