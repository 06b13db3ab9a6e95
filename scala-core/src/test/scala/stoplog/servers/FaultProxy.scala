// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.net.{InetAddress, ServerSocket, Socket, SocketException, URI}
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/** Stands in front of an S3 server, counts what it is asked for, and lets requests fail by rule.
  *
  * Of writes of one object that S3Mock carries out in several steps it lets one pass at a time ([[AtomicWrites]]), and it
  * keeps S3Mock from taking away more than the upload that is aborted ([[SparingAborts]]). All else passes byte by byte, the
  * header `Host` too, so that the signatures of all requests but aborts hold. Requests must be in path style.
  */
final class FaultProxy private (server: URI, listener: ServerSocket) extends AutoCloseable {
  private val writes          = new AtomicWrites
  private val connections     = ConcurrentHashMap.newKeySet[FaultProxyConnection]()
  @volatile private var state = new FaultProxyState(Nil)

  /** What a client takes for the server's. */
  val endpoint: String = s"http://127.0.0.1:${listener.getLocalPort}"

  /** How S3A reaches the server through it. */
  def settings: Map[String, String] = S3Server.settings(endpoint)

  /** From now on these rules hold, the first of them that has a fault; nothing counts that was asked before. */
  def inject(rules: FaultRule*): Unit = state = new FaultProxyState(rules)

  /** All requests since the last `inject`, failed and repeated ones included. */
  def requests: Seq[S3Request] = state.requests

  /** How many of them there were for each call. */
  def counts: Map[S3Call, Int] = requests.groupMapReduce(_.call)(_ => 1)(_ + _)

  /** The faults since the last `inject`, each with the call that it hit. */
  def faults: Seq[(S3Call, Fault)] = state.faults

  override def close(): Unit = {
    listener.close()
    connections.asScala.foreach(_.close())
  }

  private def accept(): Unit =
    try while (true) begin(listener.accept())
    catch { case _: SocketException if listener.isClosed => () }

  private def begin(client: Socket): Unit = {
    val connection = new FaultProxyConnection(client, server, writes, () => state)
    connections.add(connection)
    FaultProxy.inBackground("fault-proxy-connection") {
      try connection.serve()
      catch { case NonFatal(_) => () } // one side has gone: the other is told by a reset
      finally {
        connection.close()
        connections.remove(connection)
      }
    }
  }
}

object FaultProxy {

  /** Without any rule until `inject`.
    *
    * @param endpoint of the server
    */
  def before(endpoint: String): FaultProxy = {
    val proxy = new FaultProxy(new URI(endpoint), new ServerSocket(0, 256, InetAddress.getLoopbackAddress))
    inBackground("fault-proxy")(proxy.accept())
    proxy
  }

  private def inBackground(name: String)(work: => Unit): Unit = {
    val thread = new Thread(() => work, name)
    thread.setDaemon(true)
    thread.start()
  }
}
