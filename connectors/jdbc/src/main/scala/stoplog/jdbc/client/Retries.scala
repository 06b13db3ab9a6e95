// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.thread.{Backoff, StopSignal}

/** @param timeoutSeconds the timeout of a statement; 0 for no timeout
  * @param maxTries       the maximum number of attempts of a request, including the first attempt
  */
private[jdbc] final case class RequestOptions(timeoutSeconds: Int, maxTries: Int, retryWaitMillis: Long)

/** Retries transient failures of a task or of the driver. The waits end when the query is stopped.
  *
  * @param pause waits for the given number of milliseconds
  */
private[jdbc] final class Retries(
    requests: RequestOptions,
    codes: FailureCodes,
    pause: Long => Unit = StopSignal.ofThisThread.pause(_)
) {
  private[this] val backoff = Backoff(requests.retryWaitMillis, mostMillis = 30_000)
  private[this] val again   = new AtomicLong()

  /** The number of retries. */
  def count: Long = again.get

  /** @param action called with the number of previous attempts
    * @param failed creates the error after the last attempt has failed with a transient failure
    */
  def apply[A](failed: Throwable => Throwable)(action: Int => A): A = {
    @tailrec
    def go(before: Int): A =
      attempt(before, action) match {
        case Right(result)                              => result
        case Left(e) if before + 1 >= requests.maxTries => throw failed(e)
        case Left(_)                                    =>
          again.incrementAndGet()
          pause(backoff.pauseMillis(before + 1))
          go(before + 1)
      }
    go(0)
  }

  private def attempt[A](before: Int, action: Int => A): Either[Throwable, A] =
    try Right(action(before))
    catch { case NonFatal(e) if FailureKind.of(e, codes) == FailureKind.Transient => Left(e) }
}
