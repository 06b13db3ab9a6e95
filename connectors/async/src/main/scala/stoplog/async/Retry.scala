// SPDX-License-Identifier: Apache-2.0
package stoplog.async

/** Defines which failed calls are retried, and when: exponential backoff with full jitter.
  *
  * The wait is random, up to a bound that doubles with each attempt. The jitter spreads the retries of calls
  * that failed at the same time. For the same reason, the random wait is added to a wait requested by the
  * service ([[RetryAfter]]).
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

  /** Sets the bound of the first wait; 100 ms by default. */
  def withFirstWaitMillis(millis: Long): Retry =
    copy(firstWaitMillis = notNegative("firstWaitMillis", millis))

  /** Sets the maximum bound; 30 s by default. */
  def withMaxWaitMillis(millis: Long): Retry = copy(maxWaitMillis = notNegative("maxWaitMillis", millis))

  /** Sets the maximum requested wait; 5 minutes by default. A call with a longer requested wait fails. */
  def withMaxRetryAfterMillis(millis: Long): Retry =
    copy(maxRetryAfterMillis = notNegative("maxRetryAfterMillis", millis))

  /** Retries only these errors; by default all errors. Calls that timed out fail with a [[CallTimeout]]. A
    * [[RetryAfter]] is always retried.
    */
  def on(errors: Throwable => Boolean): Retry = copy(retryOn = errors)

  /** Returns the wait before the next attempt; `None` if the call fails permanently.
    *
    * @param attempt the number of the failed attempt, starting at 1
    * @param random a number from 0 to 1
    */
  private[async] def waitMillis(attempt: Int, error: Throwable, random: => Double): Option[Double] = {
    val requestedMillis = error match {
      case after: RetryAfter => after.millis
      case _                 => 0L
    }
    val again = attempt < maxAttempts && requestedMillis <= maxRetryAfterMillis &&
      (error.isInstanceOf[RetryAfter] || retryOn(error))
    Option.when(again)(
      requestedMillis + random * math.min(
        maxWaitMillis.toDouble,
        firstWaitMillis * math.pow(2, attempt - 1.0)
      )
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

  /** Creates a retry policy with default waits.
    *
    * @param maxAttempts the maximum number of attempts, including the first
    */
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

  /** Never retries a failed call. */
  val Never: Retry = upTo(1)
}

/** The failure of a call with a wait requested by the service, such as HTTP's `Retry-After`.
  *
  * @param millis the requested wait, in milliseconds
  */
final class RetryAfter(val millis: Long)
    extends RuntimeException(s"The service requested a retry after $millis ms.")

/** The failure of an attempt that timed out. A future cannot be cancelled, so its work may continue. */
final class CallTimeout private[async] (millis: Long)
    extends java.util.concurrent.TimeoutException(s"The call took longer than $millis ms.")
