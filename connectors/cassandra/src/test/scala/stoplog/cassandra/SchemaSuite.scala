// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.CqlIdentifier
import com.datastax.oss.driver.internal.core.context.InternalDriverContext
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.client.Sessions
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.Schema

class SchemaSuite extends AnyFunSuite with KeyspaceForTests {

  test("a session that lost its connection during a schema query is replaced") {
    cql("CREATE TABLE %s.made (id int PRIMARY KEY)")
    // So late that it does not come back within this test.
    val never   = "datastax-java-driver.advanced.reconnection-policy"
    val asked   = options("made", s"$never.base-delay" -> "1 hour", s"$never.max-delay" -> "1 hour")
    val parsed  = CassandraOptions.parse(asked.asJava)
    val lease   = Sessions.lease(parsed.connection)
    val context = lease.session.getContext.asInstanceOf[InternalDriverContext]
    context.getControlConnection.channel().forceClose().syncUninterruptibly()
    intercept[ExecutionException](lease.session.refreshSchemaAsync().toCompletableFuture.get())

    val found = Schema.now(parsed, answerMillis = 2000).getKeyspace(CqlIdentifier.fromInternal(keyspace)).get
    assert(found.getTable("made").isPresent)

    // Whoever has the old one keeps it, for what it still can do.
    assert(lease.session.execute("SELECT key FROM system.local").one() != null)
    lease.close()
  }
}
