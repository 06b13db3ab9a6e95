// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** A process on a thread of its own, until it ends or meets its doom. */
final class CrashableThread private (doom: CrashPoint, process: () => Unit) {
  @volatile private var ended: Option[Throwable] = None

  private val thread = {
    val thread = new Thread(
      () =>
        try process()
        catch { case e: Throwable => ended = Some(e) },
      "mortal"
    )
    thread.setDaemon(true)
    thread.start()
    thread
  }

  /** What ended it before its time. */
  def failure: Option[Throwable] = ended

  def awaitDoomOrEnd(): Unit = doom.awaitStruckOrEnd(thread)

  /** Waits until the thread has ended, or waits for another thread that has met its doom. */
  def awaitIdle(): Unit = while (thread.getState != Thread.State.TERMINATED && !isWaiting) thread.join(1)

  /** Waits for its end, so that it touches nothing any more. */
  def join(): Unit = thread.join()

  private def isWaiting: Boolean =
    thread.getState == Thread.State.WAITING || thread.getState == Thread.State.TIMED_WAITING

  /** Goes on after its doom, to whatever end. */
  def wake(): Unit = {
    doom.wake()
    thread.join()
  }
}

object CrashableThread {

  /** Returns when it has ended, or has met its doom. */
  def live(doom: CrashPoint)(process: => Unit): CrashableThread = {
    val mortal = begin(doom)(process)
    mortal.awaitDoomOrEnd()
    mortal
  }

  /** Returns at once. */
  def begin(doom: CrashPoint)(process: => Unit): CrashableThread = new CrashableThread(doom, () => process)
}
