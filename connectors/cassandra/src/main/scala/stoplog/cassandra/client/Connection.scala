// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import java.net.InetSocketAddress
import java.util.concurrent.{
  CompletableFuture, ExecutionException, ScheduledExecutorService, ScheduledThreadPoolExecutor, TimeUnit
}

import scala.collection.mutable
import scala.util.control.NonFatal

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.config.{
  DefaultDriverOption, DefaultDriverOption => Default, DriverConfigLoader, DriverOption
}
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy
import com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator

import stoplog.thread.Daemons

/** The way to a cluster. Two that are equal can share a session.
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
        // No caller will use it if it opens after all.
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

/** The sessions of this JVM: tasks of all micro-batches share one, because each has threads and connections of its own
  * and takes a second to open.
  */
private[cassandra] object Sessions {

  /** The time for which a session without users is kept. */
  final val IdleSeconds = 60L

  private final class Shared(val connection: Connection) {
    @volatile private var opened = Option.empty[CqlSession]
    var users                    = 0
    var uses                     = 0L

    /** One thread opens it, the others wait for that. */
    def session: CqlSession = synchronized {
      val ready = opened.filterNot(_.isClosed).getOrElse(connection.open())
      opened = Some(ready)
      ready
    }

    def has(session: CqlSession): Boolean = opened.exists(_ eq session)

    def close(): Unit = synchronized {
      opened.foreach(_.closeAsync())
      opened = None
    }
  }

  /** A session that is kept open until [[close]]. */
  final class Lease private[Sessions] (shared: Shared) extends AutoCloseable {
    private var open        = true
    val session: CqlSession = shared.session

    override def close(): Unit = if (open) {
      open = false
      release(shared)
    }
  }

  private val known = mutable.HashMap.empty[Connection, Shared]

  /** Daemons that wait: for a session's end, and for the time to try again. */
  lazy val timer: ScheduledExecutorService = {
    val threads = new ScheduledThreadPoolExecutor(1, Daemons.named("stoplog-cassandra-timer"))
    threads.setRemoveOnCancelPolicy(true)
    threads
  }

  /** Error: `STOPLOG_CASSANDRA_CONNECT`.
    *
    * @param retries while no node is there; a query that starts is told at once
    */
  def lease(connection: Connection, retries: RequestRetries = RequestRetries.never): Lease = {
    val shared = synchronized {
      val found = known.getOrElseUpdate(connection, new Shared(connection))
      found.users += 1
      found.uses += 1
      found
    }
    try retries(() => new Lease(shared))
    catch {
      case e: Throwable =>
        release(shared)
        throw e
    }
  }

  /** Runs the action with a session. */
  def use[A](connection: Connection, retries: RequestRetries = RequestRetries.never)(
      action: CqlSession => A
  ): A = {
    val lease = Sessions.lease(connection, retries)
    try action(lease.session)
    finally lease.close()
  }

  /** The next lease gets another session; leases of this one keep it. */
  def retire(connection: Connection, session: CqlSession): Unit = synchronized {
    known.get(connection).filter(_.has(session)).foreach(_ => known.remove(connection))
  }

  private def release(shared: Shared): Unit = {
    val uses = synchronized {
      shared.users -= 1
      shared.uses
    }
    timer.schedule((() => closeIfIdle(shared, uses)): Runnable, IdleSeconds, TimeUnit.SECONDS)
    ()
  }

  private def closeIfIdle(shared: Shared, uses: Long): Unit = {
    val idle = synchronized {
      val idle = shared.users == 0 && shared.uses == uses
      if (idle && known.get(shared.connection).contains(shared)) known.remove(shared.connection)
      idle
    }
    if (idle) shared.close()
  }
}

/** The time that an answer of the driver's may take. */
private[cassandra] object Answers {

  /** Longer than the driver itself waits for the cluster, and not for ever: what the driver does not answer by then, it has
    * lost, and it is asked again.
    */
  def limitMillis(session: CqlSession): Long = {
    val timeout =
      session.getContext.getConfig.getDefaultProfile.getDuration(DefaultDriverOption.REQUEST_TIMEOUT).toMillis
    // The driver takes 0 for no limit.
    if (timeout <= 0) Long.MaxValue else timeout * 2
  }
}
