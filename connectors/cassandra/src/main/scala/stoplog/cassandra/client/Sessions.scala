// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import java.util.concurrent.{ScheduledExecutorService, ScheduledThreadPoolExecutor, TimeUnit}

import scala.collection.mutable

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.config.DefaultDriverOption

import stoplog.thread.Daemons

/** The sessions of this JVM: tasks of all micro-batches share one, because each has threads and connections of its own
  * and takes a second to open.
  */
private[cassandra] object Sessions {

  /** How long a session without users is kept for the next. */
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

  /** Whoever comes from now on gets another session; who has this one keeps it. */
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

/** How long an answer of the driver's may take. */
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
