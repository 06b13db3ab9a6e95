// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import java.util.concurrent.TimeUnit

import stoplog.rolling.{DefaultRollingPolicy, RollingPolicy}

/** The rule of a bucket that ends unfinished uploads, each of which is an open part.
  *
  * Hadoop's file system has no means to ask for it, and a user who may write objects mostly may not ask either.
  */
private[stoplog] object Lifecycle {

  def unknown(policy: RollingPolicy): Finding = {
    val days = Lifecycle.days(policy)
    Finding.Warning(
      "lifecycle",
      "Whether a lifecycle rule of the bucket ends unfinished uploads (AbortIncompleteMultipartUpload) cannot be known " +
        "through Hadoop. An open part is such an upload, and a rule that comes too early takes committed rows with it.",
      s"Set the rule to $days days or more, and to longer than the query is ever stopped; or leave it out."
    )
  }

  /** A week to notice a query that stands still, and before that as long as a part may be open. */
  private def days(policy: RollingPolicy): Long = policy match {
    case default: DefaultRollingPolicy =>
      LeastDays + TimeUnit.MILLISECONDS.toDays(default.rolloverIntervalMillis)
    case _ => LeastDays
  }

  private val LeastDays = 7L
}
