// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.thread.{Clock, Stopwatch}

/** The sweeps of one run for orphans and old manifests (step 10): at its claim, and then once an hour. */
private[commit] final class Sweeps(ledger: Ledger, followUps: FollowUps, clock: Clock) {
  private val retention = new ManifestRetention(followUps, clock)
  private var since     = new Stopwatch(clock)

  /** Counts as a sweep: there is nothing to find yet. */
  def skip(): Unit = since = new Stopwatch(clock)

  def sweepIfDue(): Unit = if (since.longestMillis >= Sweeps.EveryMillis) sweep()

  def sweep(): Unit = {
    skip()
    Log.tolerating("The driver could not delete orphans or old manifests; its next sweep tries again") {
      ledger.sweep()
      retention.deleteOld()
    }
  }
}

private[commit] object Sweeps {
  private final val EveryMillis = 60 * 60 * 1000L
}
