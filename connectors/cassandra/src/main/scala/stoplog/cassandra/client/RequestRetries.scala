// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import java.util.concurrent.TimeoutException

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.datastax.oss.driver.api.core.{
  AllNodesFailedException, DriverException, DriverTimeoutException, NodeUnavailableException
}
import com.datastax.oss.driver.api.core.auth.AuthenticationException
import com.datastax.oss.driver.api.core.connection.{
  BusyConnectionException, ClosedConnectionException, ConnectionInitException, FrameTooLongException,
  HeartbeatException
}
import com.datastax.oss.driver.api.core.servererrors._

import stoplog.error.{StoplogArgumentException, StoplogException}
import stoplog.thread.{Backoff, StopSignal}

/** The retries of a request after transient failures.
  *
  * @param timeoutMillis the time after which there are no further attempts
  */
private[cassandra] final case class RequestRetries(timeoutMillis: Long) {

  /** Returns the pause before the next attempt, or `None` after the last attempt.
    *
    * @param tries         the number of failed attempts
    * @param elapsedMillis the time since the first attempt
    */
  def pauseMillis(tries: Int, elapsedMillis: Long): Option[Long] =
    Option.when(elapsedMillis < timeoutMillis)(RequestRetries.backoff.pauseMillis(tries))

  /** Runs an action until the action succeeds, fails with a permanent error, or exceeds the time limit. Runs
    * in the calling thread. Error: `InterruptedException` if the work is stopped during a pause.
    */
  def apply[A](action: () => A): A = {
    val begun = System.nanoTime()
    @annotation.tailrec
    def go(tries: Int): A = {
      val outcome =
        try Right(action())
        catch { case e: Exception if RequestCauses.isTransient(e) => Left(e) }
      outcome match {
        case Right(done) => done
        case Left(e)     =>
          StopSignal.ofThisThread.pause(
            pauseMillis(tries, (System.nanoTime() - begun) / 1000000).getOrElse(throw e)
          )
          go(tries + 1)
      }
    }
    go(1)
  }
}

private[cassandra] object RequestRetries {

  /** No retries: a single attempt. */
  val never: RequestRetries = RequestRetries(0)

  private val backoff = Backoff(firstMillis = 50, mostMillis = 5000)
}

/** The meaning of the driver's exceptions for an idempotent request. */
private[cassandra] object RequestCauses {

  /** Returns true if the same request is expected to succeed later. */
  def isTransient(e: Throwable): Boolean = e match {
    case all: AllNodesFailedException =>
      // An empty list of nodes is an outage; otherwise each node has its own reason.
      all.getAllErrors.values.asScala.flatMap(_.asScala).forall(isTransient)
    case e @ (_: StoplogException | _: StoplogArgumentException) =>
      e.getCause != null && isTransient(e.getCause)
    case _: OverloadedException | _: UnavailableException | _: BootstrappingException     => true
    case _: WriteTimeoutException | _: ReadTimeoutException | _: DriverTimeoutException   => true
    case _: WriteFailureException | _: ReadFailureException | _: CASWriteUnknownException => true
    case _: ServerError | _: TruncateException                                            => true
    // Thrown between the loss of the connections and the detection of the node's failure by the driver.
    case _: NodeUnavailableException => true
    case e: ConnectionInitException  => !e.getCause.isInstanceOf[AuthenticationException]
    case _: FrameTooLongException    => false
    case _: BusyConnectionException | _: ClosedConnectionException | _: HeartbeatException => true
    case _: DriverException                                                                => false
    case _: java.io.IOException | _: TimeoutException                                      => true
    case e: IllegalStateException => ClosingChannel(String.valueOf(e.getMessage))
    case NonFatal(_)              => false
    case _                        => false
  }

  // The driver has no exception type for a request on a connection that is being closed.
  private val ClosingChannel = Set("Driver channel is closing", "Channel is closing")

  /** Returns the error message, with the error of each node. */
  def describe(e: Throwable): String = e match {
    case all: AllNodesFailedException if !all.getAllErrors.isEmpty =>
      val messages = all.getAllErrors.asScala.map { case (node, errors) =>
        s"${node.getEndPoint}: ${errors.asScala.map(describe).distinct.mkString(", ")}"
      }
      messages.mkString("; ")
    case _ =>
      Option(e.getMessage).fold(e.getClass.getSimpleName)(text => s"${e.getClass.getSimpleName}: $text")
  }
}
