// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.ThreadLocalRandom

/** Exponential backoff with full jitter: a pause is random up to a bound, which doubles with each try. Requests that fail
  * together must not come back together.
  *
  * @param firstMillis the bound of the first pause
  * @param mostMillis  which no pause exceeds
  */
private[stoplog] final case class Backoff(firstMillis: Long, mostMillis: Long) {

  /** The pause before the next try, at least 1 ms.
    *
    * @param tries that failed, from 1 on
    */
  def pauseMillis(tries: Int): Long = {
    val bound = (firstMillis.min(mostMillis) << (tries - 1).min(20)).min(mostMillis)
    ThreadLocalRandom.current().nextLong(bound) + 1
  }
}
