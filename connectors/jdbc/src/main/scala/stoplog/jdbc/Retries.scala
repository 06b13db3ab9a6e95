// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.util.control.NonFatal

/** Waits, in milliseconds. Tests have one that does not. */
private[jdbc] trait Pause extends Serializable {
  def apply(millis: Long): Unit
}

private[jdbc] object Pause {
  val sleep: Pause = new Pause {
    override def apply(millis: Long): Unit = Thread.sleep(millis)
  }
}

/** Tries again what failed for a reason that may pass.
  *
  * @param tries      at most, the first included
  * @param waitMillis the first wait is a random time up to this, each further one up to twice as much: tasks that fail
  *                   together must not come back together
  */
private[jdbc] final case class RetryPolicy(tries: Int, waitMillis: Long, pause: Pause)

/** The tries of one task, or of the driver. */
private[jdbc] final class Retries(policy: RetryPolicy, dialect: Dialect) {
  private[this] val again = new AtomicLong()

  /** How often something was tried again. */
  def count: Long = again.get

  /** @param action is told how many tries were before it
    * @param failed makes the error when the last try has failed for a reason that might have passed
    */
  def apply[A](failed: Throwable => Throwable)(action: Int => A): A = {
    @tailrec
    def go(before: Int): A =
      attempt(before, action) match {
        case Right(result)                         => result
        case Left(e) if before + 1 >= policy.tries => throw failed(e)
        case Left(_)                               =>
          again.incrementAndGet()
          policy.pause(1 + ThreadLocalRandom.current().nextLong(limit(before)))
          go(before + 1)
      }
    go(0)
  }

  private def attempt[A](before: Int, action: Int => A): Either[Throwable, A] =
    try Right(action(before))
    catch { case NonFatal(e) if Verdict.of(e, dialect) == Verdict.Transient => Left(e) }

  private def limit(before: Int): Long =
    math.min(policy.waitMillis << math.min(before, 20), Retries.LongestWaitMillis)
}

private[jdbc] object Retries {
  private final val LongestWaitMillis = 30_000L
}
