// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.IOException
import java.util.concurrent.TimeUnit.MILLISECONDS

import scala.annotation.tailrec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.retry.RetryPolicies
import org.apache.hadoop.io.retry.RetryPolicy.RetryAction

/** Retries requests that S3 neither executes nor rejects, because another request for the same object is in
  * progress. S3 returns the status 409 and expects a retry, by which time the other request has created the
  * object or has failed.
  *
  * S3A treats the status as an error of its caller and gives up. This class retries with the limit and the
  * intervals that are configured for S3A (`fs.s3a.retry.limit`, `fs.s3a.retry.interval`).
  */
private[s3] final class S3Conflicts(configuration: Configuration) {
  private val policy = RetryPolicies.exponentialBackoffRetry(
    configuration.getInt("fs.s3a.retry.limit", 7),
    configuration.getTimeDuration("fs.s3a.retry.interval", 500L, MILLISECONDS),
    MILLISECONDS
  )

  /** Returns the result of the request once there is no conflict. Error: the last conflict. */
  def outlasting[A](request: => A): A = outlasting(request, retries = 0)

  @tailrec
  private def outlasting[A](request: => A, retries: Int): A = attempt(request) match {
    case Right(result)  => result
    case Left(conflict) =>
      val next = policy.shouldRetry(conflict, retries, 0, true)
      if (next.action != RetryAction.RetryDecision.RETRY) throw conflict
      Thread.sleep(next.delayMillis)
      outlasting(request, retries + 1)
  }

  private def attempt[A](request: => A): Either[IOException, A] =
    try Right(request)
    catch { case e: IOException if S3Conflicts.isConflict(e) => Left(e) }
}

private object S3Conflicts {

  /** Checks the message: the classes of the SDK and S3A may not be named at compile time. */
  private def isConflict(e: IOException): Boolean = String.valueOf(e.getMessage).contains("Status Code: 409")
}
