// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.Row
import org.scalatest.{BeforeAndAfterAll, Suite}

/** A keyspace of the suite's own on the shared node. */
trait KeyspaceForTests extends BeforeAndAfterAll { this: Suite =>

  protected lazy val keyspace: String = getClass.getSimpleName.toLowerCase(Locale.ROOT)

  protected def node: CassandraNode = CassandraNode.shared

  protected def session: CqlSession = CassandraNode.session

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    session.execute(
      s"CREATE KEYSPACE $keyspace WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
    )
    ()
  }

  /** The options that every read and write needs. */
  protected def options(table: String, more: (String, String)*): Map[String, String] =
    Map("contactPoints" -> node.address, "keyspace" -> keyspace, "table" -> table) ++ more

  /** `%s` stands for the keyspace. */
  protected def cql(statement: String): Seq[Row] =
    session.execute(statement.replace("%s", keyspace)).asScala.toSeq
}
