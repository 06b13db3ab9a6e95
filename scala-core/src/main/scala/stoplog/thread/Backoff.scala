// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.ThreadLocalRandom

/** Exponential backoff with full jitter. Each pause is random, up to a bound that doubles with each attempt.
  * The jitter spreads the retries of requests that failed at the same time.
  *
  * @param firstMillis the bound of the first pause, in milliseconds
  * @param mostMillis  the upper bound of all pauses, in milliseconds
  */
private[stoplog] final case class Backoff(firstMillis: Long, mostMillis: Long) {

  /** Returns the pause before the next attempt, at least 1 ms.
    *
    * @param tries the number of failed attempts, starting at 1
    */
  def pauseMillis(tries: Int): Long = {
    val bound = (firstMillis.min(mostMillis) << (tries - 1).min(20)).min(mostMillis)
    ThreadLocalRandom.current().nextLong(bound) + 1
  }
}
