// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import java.net.InetSocketAddress
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit}

import scala.util.control.NonFatal

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.config.{
  DefaultDriverOption => Default, DriverConfigLoader, DriverOption
}
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy
import com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator

/** How the cluster is reached. Two that are equal can share a session.
  *
  * @param contactPoints        host and port of some nodes
  * @param localDatacenter      the one whose nodes are asked; that of the contact points if there is none
  * @param requestTimeoutMillis how long the driver waits for one request
  * @param driverSettings       of the driver's own, by their full names
  */
private[cassandra] final case class Connection(
    contactPoints: Vector[(String, Int)],
    localDatacenter: Option[String],
    credentials: Option[Credentials],
    requestTimeoutMillis: Long,
    driverSettings: Map[String, String]
) {

  def describe: String = contactPoints.map { case (host, port) => s"$host:$port" }.mkString(",")

  /** A new session. Error: `STOPLOG_CASSANDRA_CONNECT`. */
  def open(): CqlSession =
    try answered(builder.buildAsync().toCompletableFuture)
    catch { case NonFatal(e) => throw CassandraErrors.connect(describe, RequestCauses.describe(e), e) }

  /** The driver waits for each node of the cluster, but sets no limit to the whole. */
  private def answered(opening: CompletableFuture[CqlSession]): CqlSession =
    try opening.get(Connection.OpenSeconds, TimeUnit.SECONDS)
    catch {
      case e: ExecutionException => throw e.getCause
      case e: Throwable          =>
        // Nobody will use it if it opens after all.
        opening.thenAccept(_.closeAsync())
        throw e
    }

  private def builder = {
    // The driver's own configuration files lie beside its classes, which Spark may have loaded for a session alone.
    val loader  = classOf[CqlSession].getClassLoader
    val builder = CqlSession.builder().withClassLoader(loader).withConfigLoader(config)
    contactPoints.foreach { case (host, port) => builder.addContactPoint(new InetSocketAddress(host, port)) }
    localDatacenter.foreach(builder.withLocalDatacenter)
    credentials.foreach(known => builder.withAuthCredentials(known.username, known.password))
    builder
  }

  private def config: DriverConfigLoader = {
    val own = Map[DriverOption, String](
      Default.REQUEST_TIMEOUT -> s"$requestTimeoutMillis milliseconds",
      // Where a statement has no timestamp, the server is to give it: so the documentation says.
      Default.TIMESTAMP_GENERATOR_CLASS -> classOf[ServerSideTimestampGenerator].getName,
      Default.SESSION_NAME              -> "stoplog",
      // A node that is back is to be found before tasks give up.
      Default.RECONNECTION_BASE_DELAY -> "500 milliseconds",
      Default.RECONNECTION_MAX_DELAY  -> "5 seconds",
      // Each task waits for its own requests; more would wait in the driver's queue without a bound.
      Default.CONNECTION_MAX_REQUESTS -> "2048"
    ) ++ Option.when(localDatacenter.isEmpty)(
      Default.LOAD_BALANCING_POLICY_CLASS -> classOf[DcInferringLoadBalancingPolicy].getName
    )
    val named = own.map { case (option, value) => s"${Connection.DriverPrefix}${option.getPath}" -> value }
    // In one piece: two configurations of the driver's are not merged, because each has all of its defaults.
    DriverConfigLoader.fromString(Connection.hocon(named ++ driverSettings))
  }
}

private[cassandra] object Connection {

  private final val OpenSeconds = 60L

  /** The options with this beginning are the driver's. */
  val DriverPrefix = "datastax-java-driver."

  /** Values as they stand, so that numbers, lists and words in quotes mean what they do in the driver's own files. */
  private def hocon(settings: Map[String, String]): String =
    settings.toSeq.sorted.map { case (key, value) => s"$key = $value" }.mkString("\n")
}

/** Hidden wherever it is shown. */
private[cassandra] final case class Credentials(username: String, password: String) {
  override def toString: String = s"$username:…"
}
