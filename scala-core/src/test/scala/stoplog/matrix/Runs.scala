// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit.ManualClock
import stoplog.fault.Faults

/** What one process does: runs of the query, one after the other, until one fails. */
final class Runs(
    place: Place,
    clock: ManualClock,
    faults: Faults,
    from: Checkpoint,
    runs: Seq[ProcessRun.Run]
) {
  @volatile private var job: Option[Job]          = None
  @volatile private var failed: Option[Throwable] = None

  /** As it stands on disk. */
  def checkpoint: Checkpoint = job.fold(from)(_.checkpoint)

  /** What ended it before its time. */
  def failure: Option[Throwable] = failed

  def go(): Unit =
    try
      runs.foreach { run =>
        val next = new Job(place, clock, faults, checkpoint)
        job = Some(next)
        next.go(run.epochs, run.finish)
      }
    catch { case e: Throwable => failed = Some(e) }
}
