// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit.ManualClock

/** One more run, hours after all others, with one more epoch: it must find nothing that it cannot tidy up. */
object CleanupCheck {

  /** What is wrong after it. */
  def problems(place: Place, clock: ManualClock): Vector[String] = {
    clock.advance(2 * 60 * 60 * 1000L)
    val done = Checkpoint(JobRows.Epochs - 1, JobRows.Epochs - 1)
    val runs = ProcessRun.rest.map(_.copy(epochs = JobRows.Epochs + 1))
    val life = new ProcessRun(place, clock, new CrashPoint(None), done, runs)
    life.failure.map(e => s"the sweeping run failed: $e").toVector ++
      Oracle.problems(place, JobRows.Epochs + 1).map(_ + " after sweeping") ++
      Oracle.leftovers(place).map(file => s"$file was not swept")
  }
}
