// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.Connection
import java.util.concurrent.ConcurrentLinkedQueue

import scala.util.Try

import stoplog.jdbc.client.ConnectionSource

/** Connections of processes that may die. */
final class MortalConnections(database: TestDatabase) extends ConnectionSource {
  private val opened = new ConcurrentLinkedQueue[Connection]

  override def open(): Connection = {
    val made = database.open()
    opened.add(made)
    made
  }

  /** What is under way is rolled back, as when a server finds that its client is gone. */
  def die(): Unit = Iterator
    .continually(opened.poll())
    .takeWhile(_ != null)
    .foreach(connection => Try(connection.abort(_.run())))
}
