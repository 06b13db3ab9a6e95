// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.lang.reflect.{InvocationHandler, Proxy}
import java.util.{AbstractMap, ArrayList => JArrayList, Map => JMap}

import com.datastax.oss.driver.api.core.{AllNodesFailedException, NodeUnavailableException}
import com.datastax.oss.driver.api.core.connection.{ClosedConnectionException, FrameTooLongException}
import com.datastax.oss.driver.api.core.metadata.Node
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.client.RequestCauses

/** What requests meet while a node goes and comes back, in the driver's own words. */
class CausesSuite extends AnyFunSuite {
  private val unasked: InvocationHandler = (_, method, _) =>
    if (method.getName == "hashCode") Int.box(1) else null

  private val node =
    Proxy.newProxyInstance(classOf[Node].getClassLoader, Array(classOf[Node]), unasked).asInstanceOf[Node]

  private def failed(why: Throwable*): Throwable = {
    val errors = new JArrayList[JMap.Entry[Node, Throwable]]
    why.foreach(e => errors.add(new AbstractMap.SimpleEntry[Node, Throwable](node, e)))
    AllNodesFailedException.fromErrors(errors)
  }

  test("a node without connections and a missing node are transient failures") {
    assert(RequestCauses.isTransient(failed(new NodeUnavailableException(node))))
    assert(RequestCauses.isTransient(failed()))
  }

  test("a closed or closing connection is a transient failure") {
    assert(RequestCauses.isTransient(new ClosedConnectionException("Lost connection to remote peer")))
    assert(RequestCauses.isTransient(failed(new IllegalStateException("Driver channel is closing"))))
    assert(RequestCauses.isTransient(failed(new java.nio.channels.ClosedChannelException)))
  }

  test("permanent failures are not retried") {
    assert(!RequestCauses.isTransient(failed(new InvalidQueryException(null, "no such column"))))
    assert(!RequestCauses.isTransient(failed(new FrameTooLongException(null, "too long"))))
    assert(!RequestCauses.isTransient(new IllegalStateException("Session is closed")))
  }
}
