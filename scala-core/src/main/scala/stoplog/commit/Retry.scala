// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.ThreadLocalRandom

import stoplog.error.StoplogException

/** Tries an idempotent action again when the storage, and not the protocol, refused it. */
trait Retry extends Serializable {
  def apply[A](action: () => A): A
}

object Retry {

  /** One try. */
  val never: Retry = new Retry {
    override def apply[A](action: () => A): A = action()
  }

  /** Up to `tries`, with a random wait below `baseMillis`, then below twice as much, and so on: many parts that
    * fail together must not come back together.
    *
    * @param pause waits for so many milliseconds
    */
  def jittered(tries: Int, baseMillis: Long, pause: Long => Unit): Retry = new Retry {
    override def apply[A](action: () => A): A = {
      @scala.annotation.tailrec
      def go(left: Int, atMostMillis: Long): A =
        attempt(action) match {
          case Right(result)              => result
          case Left(failure) if left == 1 => throw failure
          case Left(_)                    =>
            pause(ThreadLocalRandom.current().nextLong(atMostMillis) + 1)
            go(left - 1, atMostMillis * 2)
        }
      go(tries, baseMillis)
    }
  }

  private def attempt[A](action: () => A): Either[StoplogException, A] =
    try Right(action())
    catch { case e: StoplogException if transient(e.getCondition) => Left(e) }

  private val transient = Set("STOPLOG_STORE_WRITE", "STOPLOG_UNKNOWN_OUTCOME")
}
