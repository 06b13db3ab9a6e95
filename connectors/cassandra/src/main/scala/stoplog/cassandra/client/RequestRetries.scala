// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import java.util.concurrent.ThreadLocalRandom

/** When a request that failed for a while is sent again.
  *
  * @param timeoutMillis after which no more is tried
  */
private[cassandra] final case class RequestRetries(timeoutMillis: Long) {

  /** The pause before the next try, or none if it was the last.
    *
    * Random, so that the many requests that an overloaded node refuses together do not come back together.
    *
    * @param tries         that failed
    * @param elapsedMillis since the first
    */
  def pauseMillis(tries: Int, elapsedMillis: Long): Option[Long] =
    Option.when(elapsedMillis < timeoutMillis) {
      val most = (RequestRetries.FirstMillis << (tries - 1).min(10)).min(RequestRetries.MostMillis)
      ThreadLocalRandom.current().nextLong(most) + 1
    }

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

  private final val FirstMillis = 50L
  private final val MostMillis  = 5000L
}
