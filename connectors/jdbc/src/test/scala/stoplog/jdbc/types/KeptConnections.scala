// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.lang.reflect.{InvocationTargetException, Method, Proxy}
import java.sql.{Connection, DriverManager}

import scala.collection.mutable

import stoplog.jdbc.client.ConnectionSource

/** Opens a connection once and lends the connection again after each `close`. PostgreSQL starts a process for a
  * connection, which takes longer than the test of a pair of types. Not thread-safe.
  */
private[types] final class KeptConnections(url: String) extends ConnectionSource {
  private val idle = mutable.Stack[Connection]()

  override def open(): Connection =
    lent(if (idle.isEmpty) DriverManager.getConnection(url) else idle.pop())

  private def lent(kept: Connection): Connection = {
    var isReturned                                           = false
    def call(method: Method, arguments: Seq[AnyRef]): AnyRef = method.getName match {
      case "close" =>
        if (!isReturned) takeBack(kept)
        isReturned = true
        null
      case "isClosed" => Boolean.box(isReturned || kept.isClosed)
      case _          =>
        try method.invoke(kept, arguments: _*)
        catch { case e: InvocationTargetException => throw e.getCause }
    }
    Proxy
      .newProxyInstance(
        getClass.getClassLoader,
        Array(classOf[Connection]),
        (_, method, arguments) => call(method, Option(arguments).toSeq.flatten)
      )
      .asInstanceOf[Connection]
  }

  private def takeBack(kept: Connection): Unit = if (!kept.isClosed) {
    if (!kept.getAutoCommit) {
      kept.rollback()
      kept.setAutoCommit(true)
    }
    idle.push(kept)
  }
}
