// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.nio.file.Files

import com.datastax.oss.driver.api.core.CqlSession

import stoplog.cassandra.client.{Connection, Sessions}
import stoplog.servers.ServerProcess

/** A Cassandra of one node, which tests may kill and start again over the same data, under the same address. */
final class CassandraNode {
  private val directory         = Files.createTempDirectory("stoplog-cassandra")
  @volatile private var process = launch()

  /** `<host>:<port>` */
  def address: String = process.address

  def connection: Connection = {
    val colon = address.lastIndexOf(':')
    Connection(
      Vector(address.take(colon) -> address.drop(colon + 1).toInt),
      None,
      None,
      Map(
        "datastax-java-driver.basic.request.timeout"                  -> "60 seconds",
        "datastax-java-driver.advanced.connection.init-query-timeout" -> "60 seconds",
        "datastax-java-driver.advanced.heartbeat.timeout"             -> "60 seconds",
        "datastax-java-driver.advanced.control-connection.timeout"    -> "60 seconds"
      )
    )
  }

  /** As `kill -9`: what is under way is cut off. */
  def kill(): Unit = process.kill()

  /** Kills it if it still runs. Returns when it answers again. */
  def restart(): Unit = {
    kill()
    process = launch()
  }

  /** Writes a keyspace to disk and lets the node count its partitions, as else happens every five minutes. */
  def estimate(keyspace: String): Unit = {
    process.ask(s"estimate $keyspace")
    ()
  }

  private def launch() = ServerProcess.start("cassandra-server", "stoplog.servers.CassandraServer", directory)
}

object CassandraNode {

  /** One for all suites of this JVM that do not kill it. */
  lazy val shared: CassandraNode = new CassandraNode

  /** A session of the shared node's that is never closed. */
  lazy val session: CqlSession = Sessions.lease(shared.connection).session
}
