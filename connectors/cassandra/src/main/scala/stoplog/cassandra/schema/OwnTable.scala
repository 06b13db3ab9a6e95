// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.schema

import com.datastax.oss.driver.api.core.{CqlIdentifier, CqlSession}
import com.datastax.oss.driver.api.core.cql.SimpleStatement

import stoplog.cassandra.schema.TableInfo

/** A table of the connector's own.
  *
  * @param columns of it and its primary key, as CQL has them between the parentheses
  */
private[cassandra] final case class OwnTable(keyspace: String, table: String, columns: String) {

  /** For messages. */
  def shown: String = s"$keyspace.$table"

  /** As CQL spells it. */
  def name: String = s"${TableInfo.quoted(keyspace)}.${TableInfo.quoted(table)}"

  /** What makes it. */
  def cql: String = s"CREATE TABLE IF NOT EXISTS $name ($columns)"

  /** Makes it where it is missing. */
  def ensure(session: CqlSession): Unit =
    // What the driver knows may be old.
    if (!isKnown(session) && !isThere(session)) {
      session.execute(SimpleStatement.newInstance(cql))
      ()
    }

  private def isKnown(session: CqlSession): Boolean =
    Option(session.getMetadata.getKeyspace(CqlIdentifier.fromInternal(keyspace)).orElse(null))
      .exists(_.getTable(CqlIdentifier.fromInternal(table)).isPresent)

  private def isThere(session: CqlSession): Boolean = {
    val select = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?"
    session.execute(SimpleStatement.newInstance(select, keyspace, table).setIdempotent(true)).one() != null
  }
}
