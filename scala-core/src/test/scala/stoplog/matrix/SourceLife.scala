// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** One process that reads, on a thread of its own, until it ends or meets its doom. */
final class SourceLife(doom: Doom, run: => SourceRun) {
  @volatile private var ended: Option[Throwable] = None

  private val thread = {
    val thread = new Thread(
      () =>
        try run.go()
        catch { case e: Throwable => ended = Some(e) },
      "source life"
    )
    thread.setDaemon(true)
    thread.start()
    thread
  }
  doom.awaitStruckOrEnd(thread)

  /** What ended it before its time. */
  def failure: Option[Throwable] = ended

  /** Waits for its end, so that it touches nothing any more. */
  def join(): Unit = thread.join()

  /** Goes on after its doom, to whatever end. */
  def wake(): Unit = {
    doom.wake()
    thread.join()
  }
}
