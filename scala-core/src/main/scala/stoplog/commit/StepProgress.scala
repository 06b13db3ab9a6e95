// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.thread.Clock

/** The progress of one step over many files. A start carries out the decisions of the previous run, and shows
  * no other message meanwhile. Logs at most one line in ten seconds, so a short step logs nothing.
  *
  * @param step in words, such as "Publishing the files of record 7 of /data/events"
  * @param say  logs a line; called by any thread, one at a time
  */
private[commit] final class StepProgress(step: String, total: Int, clock: Clock, say: String => Unit) {
  private val startedMillis = clock.elapsedMillis()
  private var done          = 0
  private var saidMillis    = startedMillis

  /** Counts finished files. Called by any thread. */
  def add(files: Int): Unit = synchronized {
    done += files
    val now = clock.elapsedMillis()
    if (now - saidMillis >= StepProgress.PauseMillis && done < total) {
      saidMillis = now
      say(line(now - startedMillis))
    }
  }

  private def line(elapsedMillis: Long): String = {
    val perSecond = done * 1000.0 / elapsedMillis
    val left      = math.ceil((total - done) / perSecond).toLong
    f"$step: $done%d of $total%d files, $perSecond%.1f files a second, $left%d seconds left"
  }
}

private[commit] object StepProgress {
  private final val PauseMillis = 10000L
}
