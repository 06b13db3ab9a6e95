// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import java.net.InetSocketAddress
import java.util.concurrent.{
  CompletableFuture, ExecutionException, ScheduledExecutorService, ScheduledThreadPoolExecutor, TimeUnit
}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.config.{
  DefaultDriverOption, DefaultDriverOption => Default, DriverConfigLoader, DriverOption
}
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy
import com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator

import stoplog.thread.Daemons

/** The connection settings of a cluster. Equal settings can share a session.
  *
  * @param contactPoints        host and port of some nodes
  * @param localDatacenter      the data center of the queried nodes; the data center of the contact points by
  *                             default
  * @param driverSettings       settings of the driver, by their full names
  */
private[cassandra] final case class Connection(
    contactPoints: Vector[(String, Int)],
    localDatacenter: Option[String],
    credentials: Option[Credentials],
    driverSettings: Map[String, String]
) {

  def describe: String = contactPoints.map { case (host, port) => s"$host:$port" }.mkString(",")

  /** Opens a new session. Error: `STOPLOG_UNREACHABLE`. */
  def open(): CqlSession =
    try withNodes(answered(builder.buildAsync().toCompletableFuture))
    catch { case NonFatal(e) => throw CassandraErrors.connect(describe, RequestCauses.describe(e), e) }

  /** Rejects a session that knows no node of its data center. The driver opens such a session, and every
    * request fails later.
    */
  private def withNodes(session: CqlSession): CqlSession = {
    val profile = session.getContext.getConfig.getDefaultProfile
    val known = session.getMetadata.getNodes.values.asScala.flatMap(node => Option(node.getDatacenter)).toSet
    localDatacenter
      .orElse(Option(profile.getString(Default.LOAD_BALANCING_LOCAL_DATACENTER, null)))
      .filterNot(known)
      .filter(_ => known.nonEmpty)
      .foreach { named =>
        session.closeAsync()
        throw new IllegalArgumentException(
          s"no node is in the data center $named of local-datacenter; the data centers of the cluster are " +
            known.toSeq.sorted.mkString(", ")
        )
      }
    session
  }

  /** Waits for the session with a limit: the driver limits the wait for each node, but not the total. */
  private def answered(opening: CompletableFuture[CqlSession]): CqlSession =
    try opening.get(Connection.OpenSeconds, TimeUnit.SECONDS)
    catch {
      case e: ExecutionException => throw e.getCause
      case e: Throwable          =>
        // Closes a session that opens after the timeout.
        opening.thenAccept(_.closeAsync())
        throw e
    }

  private def builder = {
    // The driver's own configuration files are next to its classes, which Spark may have loaded for a single
    // session.
    val loader  = classOf[CqlSession].getClassLoader
    val builder = CqlSession.builder().withClassLoader(loader).withConfigLoader(config)
    contactPoints.foreach { case (host, port) => builder.addContactPoint(new InetSocketAddress(host, port)) }
    localDatacenter.foreach(builder.withLocalDatacenter)
    credentials.foreach(known => builder.withAuthCredentials(known.username, known.password))
    builder
  }

  private def config: DriverConfigLoader = {
    val own = Map[DriverOption, String](
      Default.REQUEST_TIMEOUT -> "10 seconds",
      // The server assigns the timestamp of a statement without a timestamp, as documented.
      Default.TIMESTAMP_GENERATOR_CLASS -> classOf[ServerSideTimestampGenerator].getName,
      Default.SESSION_NAME              -> "stoplog",
      // With shorter intervals, the driver finds a recovered node before tasks fail.
      Default.RECONNECTION_BASE_DELAY -> "500 milliseconds",
      Default.RECONNECTION_MAX_DELAY  -> "5 seconds",
      // Each task waits for its own requests; further requests would wait in the driver's unbounded queue.
      Default.CONNECTION_MAX_REQUESTS -> "2048"
    ) ++ Option.when(localDatacenter.isEmpty)(
      Default.LOAD_BALANCING_POLICY_CLASS -> classOf[DcInferringLoadBalancingPolicy].getName
    )
    val named = own.map { case (option, value) => s"${Connection.DriverPrefix}${option.getPath}" -> value }
    // A single configuration: the driver does not merge two configurations, because each contains all
    // defaults.
    DriverConfigLoader.fromString(Connection.hocon(named ++ driverSettings))
  }
}

private[cassandra] object Connection {

  private final val OpenSeconds = 60L

  /** The prefix of the driver's options. */
  val DriverPrefix = "datastax-java-driver."

  /** Renders values verbatim, so that numbers, lists and quoted strings are parsed as in the driver's own
    * files.
    */
  private def hocon(settings: Map[String, String]): String =
    settings.toSeq.sorted.map { case (key, value) => s"$key = $value" }.mkString("\n")
}

/** The string form hides the password. */
private[cassandra] final case class Credentials(username: String, password: String) {
  override def toString: String = s"$username:…"
}

/** The sessions of this JVM. Tasks of all micro-batches share a session, because a session has its own
  * threads and connections and takes a second to open.
  */
private[cassandra] object Sessions {

  /** The seconds for which an unused session is kept. */
  final val IdleSeconds = 60L

  private final class Shared(val connection: Connection) {
    @volatile private var opened = Option.empty[CqlSession]
    var users                    = 0
    var uses                     = 0L

    /** Opens the session in one thread; other threads wait. */
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

  /** A session that stays open until [[close]]. */
  final class Lease private[Sessions] (shared: Shared) extends AutoCloseable {
    private var open        = true
    val session: CqlSession = shared.session

    override def close(): Unit = if (open) {
      open = false
      release(shared)
    }
  }

  private val known = mutable.HashMap.empty[Connection, Shared]

  /** Daemon threads for timers: the end of idle sessions, and the pauses before retries. */
  lazy val timer: ScheduledExecutorService = {
    val threads = new ScheduledThreadPoolExecutor(1, Daemons.named("stoplog-cassandra-timer"))
    threads.setRemoveOnCancelPolicy(true)
    threads
  }

  /** Returns a lease of a session. Error: `STOPLOG_UNREACHABLE`.
    *
    * @param retries the retries if no node is available; by default, the error of a starting query is
    *                immediate
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

  /** Removes a session: the next lease opens another session; current leases keep the old session. */
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

/** The time limit for a response of the driver. */
private[cassandra] object ResponseLimit {

  /** Returns a limit that exceeds the driver's own timeout. After the limit, a response counts as lost by the
    * driver, and the request is repeated.
    */
  def limitMillis(session: CqlSession): Long = {
    val timeout =
      session.getContext.getConfig.getDefaultProfile.getDuration(DefaultDriverOption.REQUEST_TIMEOUT).toMillis
    // In the driver's configuration, 0 means no limit.
    if (timeout <= 0) Long.MaxValue else timeout * 2
  }
}
