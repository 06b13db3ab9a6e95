package stoplog.matrix

import stoplog.commit.ManualClock
import stoplog.commit.SinkDriver.Finish

/** One process: its runs one after the other, on a thread of its own, until it ends or meets its doom. */
final class Life(place: Place, clock: ManualClock, doom: Doom, from: Checkpoint, runs: Seq[Life.Run]) {
  @volatile private var job: Option[Job]          = None
  @volatile private var failed: Option[Throwable] = None

  private val thread = {
    val thread = new Thread(() => live(), s"life in ${place.root}")
    thread.setDaemon(true)
    thread.start()
    thread
  }
  doom.awaitStruckOrEnd(thread)

  /** As it stands on disk. */
  def checkpoint: Checkpoint = job.fold(from)(_.checkpoint)

  /** What ended it before its time. */
  def failure: Option[Throwable] = failed

  /** Goes on after its doom, to whatever end. */
  def wake(): Unit = {
    doom.wake()
    thread.join()
  }

  private def live(): Unit =
    try
      runs.foreach { run =>
        val next = new Job(place, clock, doom, checkpoint)
        job = Some(next)
        next.go(run.epochs, run.finish)
      }
    catch { case e: Throwable => failed = Some(e) }
}

object Life {

  /** A run up to so many epochs of the query. */
  final case class Run(epochs: Long, finish: Finish)

  /** The first run leaves its parts open for the second one. */
  val planned: Seq[Run] = Seq(Run(JobRows.FirstRun, Finish.KeepOpen), Run(JobRows.Epochs, Finish.PublishOpen))

  /** All that is left to do, in one run. */
  val rest: Seq[Run] = Seq(Run(JobRows.Epochs, Finish.PublishOpen))
}
