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
import stoplog.thread.Backoff

/** The tries of a request: it is sent again as long as its failure may pass.
  *
  * @param timeoutMillis after which no more is tried
  */
private[cassandra] final case class RequestRetries(timeoutMillis: Long) {

  /** The pause before the next try, or none if it was the last.
    *
    * @param tries         that failed
    * @param elapsedMillis since the first
    */
  def pauseMillis(tries: Int, elapsedMillis: Long): Option[Long] =
    Option.when(elapsedMillis < timeoutMillis)(RequestRetries.backoff.pauseMillis(tries))

  /** Does something until it succeeds, fails for good, or time is over. In the thread that calls. */
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
          Thread.sleep(pauseMillis(tries, (System.nanoTime() - begun) / 1000000).getOrElse(throw e))
          go(tries + 1)
      }
    }
    go(1)
  }
}

private[cassandra] object RequestRetries {

  /** One try. */
  val never: RequestRetries = RequestRetries(0)

  private val backoff = Backoff(firstMillis = 50, mostMillis = 5000)
}

/** The meaning of the driver's exceptions for a request that may be sent twice. */
private[cassandra] object RequestCauses {

  /** Whether the same request can be expected to succeed later. */
  def isTransient(e: Throwable): Boolean = e match {
    case all: AllNodesFailedException =>
      // No node to ask is an outage; nodes that all refused have each their reason.
      all.getAllErrors.values.asScala.flatMap(_.asScala).forall(isTransient)
    case e @ (_: StoplogException | _: StoplogArgumentException) =>
      e.getCause != null && isTransient(e.getCause)
    case _: OverloadedException | _: UnavailableException | _: BootstrappingException     => true
    case _: WriteTimeoutException | _: ReadTimeoutException | _: DriverTimeoutException   => true
    case _: WriteFailureException | _: ReadFailureException | _: CASWriteUnknownException => true
    case _: ServerError | _: TruncateException                                            => true
    // Between the end of its connections and the moment when the driver takes it for dead.
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

  // The driver has no type for it: a request that met a connection which it was just giving up.
  private val ClosingChannel = Set("Driver channel is closing", "Channel is closing")

  /** In words, with what each node said. */
  def describe(e: Throwable): String = e match {
    case all: AllNodesFailedException if !all.getAllErrors.isEmpty =>
      val said = all.getAllErrors.asScala.map { case (node, errors) =>
        s"${node.getEndPoint}: ${errors.asScala.map(describe).distinct.mkString(", ")}"
      }
      said.mkString("; ")
    case _ =>
      Option(e.getMessage).fold(e.getClass.getSimpleName)(text => s"${e.getClass.getSimpleName}: $text")
  }
}
