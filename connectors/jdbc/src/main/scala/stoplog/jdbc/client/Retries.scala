// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.thread.{Backoff, StopSignal}

/** @param timeoutSeconds     the timeout of a statement; 0 for no timeout
  * @param retryTimeoutMillis the time after which there are no further attempts; 0 for a single attempt
  */
private[jdbc] final case class RequestOptions(timeoutSeconds: Int, retryTimeoutMillis: Long)

/** Retries transient failures of a task or of the driver. The waits end when the query is stopped.
  *
  * @param pause     waits for the given number of milliseconds
  * @param nowMillis a monotonic clock
  */
private[jdbc] final class Retries(
    requests: RequestOptions,
    codes: FailureCodes,
    pause: Long => Unit = StopSignal.ofThisThread.pause(_),
    nowMillis: () => Long = () => System.nanoTime() / 1000000
) {
  private[this] val again = new AtomicLong()

  /** The number of retries. */
  def count: Long = again.get

  /** @param action called with the number of previous attempts
    * @param failed creates the error after the last attempt has failed with a transient failure
    */
  def apply[A](failed: Throwable => Throwable)(action: Int => A): A = {
    val endMillis = nowMillis() + requests.retryTimeoutMillis
    @tailrec
    def go(before: Int): A =
      attempt(before, action) match {
        case Right(result)                       => result
        case Left(e) if nowMillis() >= endMillis => throw failed(e)
        case Left(_)                             =>
          again.incrementAndGet()
          pause(Retries.backoff.pauseMillis(before + 1))
          go(before + 1)
      }
    go(0)
  }

  /** Returns the problem that remains after a few checks. Another process may remove the cause between two
    * checks.
    *
    * @param problem a check; `None` if there is no problem
    */
  def recheck(problem: () => Option[String]): Option[String] = {
    @tailrec
    def go(before: Int): Option[String] =
      problem() match {
        case Some(_) if before < Retries.Rechecks =>
          pause(Retries.backoff.pauseMillis(before + 1))
          go(before + 1)
        case result => result
      }
    go(0)
  }

  private def attempt[A](before: Int, action: Int => A): Either[Throwable, A] =
    try Right(action(before))
    catch { case NonFatal(e) if FailureKind.of(e, codes) == FailureKind.Transient => Left(e) }
}

private[jdbc] object Retries {
  private val backoff = Backoff(firstMillis = 100, mostMillis = 30_000)

  // 1.5 seconds on average, in all pauses together.
  private final val Rechecks = 5
}
