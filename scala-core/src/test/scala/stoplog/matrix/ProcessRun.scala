// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit.{Finish, ManualClock}

/** One process on a thread of its own, until it ends or meets its doom. */
final class ProcessRun(
    place: Place,
    clock: ManualClock,
    doom: CrashPoint,
    from: Checkpoint,
    runs: Seq[ProcessRun.Run]
) {
  private val process = new Runs(place, clock, doom, from, runs)
  private val mortal  = CrashableThread.live(doom)(process.go())

  /** As it stands on disk. */
  def checkpoint: Checkpoint = process.checkpoint

  /** What ended it before its time. */
  def failure: Option[Throwable] = process.failure

  /** Goes on after its doom, to whatever end. */
  def wake(): Unit = mortal.wake()
}

object ProcessRun {

  /** A run up to so many epochs of the query. */
  final case class Run(epochs: Long, finish: Finish)

  /** The first run leaves its parts open for the second one. */
  val planned: Seq[Run] = Seq(Run(JobRows.FirstRun, Finish.KeepOpen), Run(JobRows.Epochs, Finish.PublishOpen))

  /** All that is left to do, in one run. */
  val rest: Seq[Run] = Seq(Run(JobRows.Epochs, Finish.PublishOpen))
}
