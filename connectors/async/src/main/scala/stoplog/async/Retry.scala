// SPDX-License-Identifier: Apache-2.0
package stoplog.async

/** The choice of failed calls that are made again, and of the time: exponential backoff with full jitter.
  *
  * The wait is random between nothing and a bound that doubles with each attempt, because calls that failed together
  * must not come back together. A wait that the other side asked for ([[RetryAfter]]) is added to it, for the same
  * reason.
  *
  * {{{
  * Retry.upTo(5).withFirstWaitMillis(200).on { case _: IOException => true; case _ => false }
  * }}}
  */
final class Retry private (
    private[async] val maxAttempts: Int,
    private[async] val firstWaitMillis: Long,
    private[async] val maxWaitMillis: Long,
    private[async] val maxRetryAfterMillis: Long,
    private[async] val retryOn: Throwable => Boolean
) extends Serializable {

  /** The bound of the first wait; default 100 ms. */
  def withFirstWaitMillis(millis: Long): Retry =
    copy(firstWaitMillis = notNegative("firstWaitMillis", millis))

  /** The greatest bound; default 30 s. */
  def withMaxWaitMillis(millis: Long): Retry = copy(maxWaitMillis = notNegative("maxWaitMillis", millis))

  /** A call that is to wait longer than this has failed; default 5 minutes. */
  def withMaxRetryAfterMillis(millis: Long): Retry =
    copy(maxRetryAfterMillis = notNegative("maxRetryAfterMillis", millis))

  /** Only for these errors; by default for all. Calls that timed out have a [[CallTimeout]]. A [[RetryAfter]] is
    * always one of them.
    */
  def on(errors: Throwable => Boolean): Retry = copy(retryOn = errors)

  /** The wait before the next attempt; none if the call has failed for good.
    *
    * @param attempt the number of the one that failed, from 1
    * @param random a number from 0 to 1
    */
  private[async] def waitMillis(attempt: Int, error: Throwable, random: => Double): Option[Double] = {
    val asked = error match {
      case after: RetryAfter => after.millis
      case _                 => 0L
    }
    val again = attempt < maxAttempts && asked <= maxRetryAfterMillis &&
      (error.isInstanceOf[RetryAfter] || retryOn(error))
    Option.when(again)(
      asked + random * math.min(maxWaitMillis.toDouble, firstWaitMillis * math.pow(2, attempt - 1.0))
    )
  }

  private def notNegative(name: String, millis: Long): Long = {
    AsyncErrors.require(millis >= 0, name, millis, "0 or more")
    millis
  }

  private def copy(
      firstWaitMillis: Long = firstWaitMillis,
      maxWaitMillis: Long = maxWaitMillis,
      maxRetryAfterMillis: Long = maxRetryAfterMillis,
      retryOn: Throwable => Boolean = retryOn
  ): Retry = new Retry(maxAttempts, firstWaitMillis, maxWaitMillis, maxRetryAfterMillis, retryOn)
}

object Retry {

  /** @param maxAttempts how often a call is made at most, the first time counted */
  def upTo(maxAttempts: Int): Retry = {
    AsyncErrors.require(maxAttempts >= 1, "maxAttempts", maxAttempts, "1 or more")
    new Retry(
      maxAttempts,
      firstWaitMillis = 100,
      maxWaitMillis = 30000,
      maxRetryAfterMillis = 300000,
      _ => true
    )
  }

  /** A call that fails has failed. */
  val Never: Retry = upTo(1)
}

/** The failure of a call whose other side said how long to wait, as HTTP does with `Retry-After`.
  *
  * @param millis how long it asks to be left alone
  */
final class RetryAfter(val millis: Long)
    extends RuntimeException(s"The service asked to be called again after $millis ms.")

/** The failure of an attempt that took too long. A future cannot be cancelled: what it started may still run. */
final class CallTimeout private[async] (millis: Long)
    extends java.util.concurrent.TimeoutException(s"The call took longer than $millis ms.")
