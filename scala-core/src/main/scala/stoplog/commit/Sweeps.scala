// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.atomic.AtomicReference

import stoplog.error.Log
import stoplog.log.LogRecord
import stoplog.thread.{Clock, Stopwatch}

/** The sweeps of one run for orphans and old manifests (step 10): at its claim, and then once an hour.
  *
  * With very many open parts, a listing takes minutes. Then a separate thread lists, next to the epochs. The
  * next moment without an epoch judges and deletes the listed files (P-84).
  *
  * @param background runs an action on a separate thread
  */
private[commit] final class Sweeps(
    ledger: Ledger,
    followUps: FollowUps,
    clock: Clock,
    background: Runnable => Unit = Sweeps.onOwnThread
) {
  private val retention = new ManifestRetention(followUps, clock)
  private val listed    = new AtomicReference(Option.empty[Vector[OrphanCleaner.Found]])
  private var since     = new Stopwatch(clock)

  /** Counts as a sweep: there is nothing to find yet. */
  def skip(): Unit = since = new Stopwatch(clock)

  /** Sweeps now, or starts the listing for a later [[sweepListed]]. Called with the lock held, and without an
    * epoch.
    *
    * @param newest the newest record known to the run
    */
  def sweep(newest: LogRecord): Unit = {
    skip()
    if (newest.state.open.sizeIs <= Sweeps.FewParts) tolerating {
      ledger.sweep()
      retention.deleteOld()
    }
    else {
      tolerating(retention.deleteOld())
      background(() => tolerating(listed.set(Some(ledger.orphanCandidates(newest)))))
    }
  }

  /** The same, if the last sweep was an hour ago. */
  def sweepIfDue(newest: LogRecord): Unit = {
    sweepListed()
    if (since.longestMillis >= Sweeps.EveryMillis) sweep(newest)
  }

  /** Deletes the listed files that still have no record. Called with the lock held, and without an epoch. */
  def sweepListed(): Unit =
    listed.getAndSet(None).foreach(found => tolerating(ledger.sweep(found): Unit))

  private def tolerating(action: => Unit): Unit =
    Log.tolerating("The driver could not delete orphans or old manifests; its next sweep tries again")(action)
}

private[commit] object Sweeps {
  private final val EveryMillis = 60 * 60 * 1000L

  /** S3 lists so many names in a second. */
  private[commit] final val FewParts = 10000

  /** A listing ends with the process, because it changes nothing. */
  private def onOwnThread(action: Runnable): Unit = {
    val thread = new Thread(action, "stoplog-sweep")
    thread.setDaemon(true)
    thread.start()
  }
}
