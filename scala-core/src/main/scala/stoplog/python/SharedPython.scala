// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import java.util.concurrent.TimeUnit

import stoplog.thread.Daemons

/** One Python process for several users, such as the recovery and the run of a query. Thread-safe.
  *
  * A process without users ends after `idleMillis` milliseconds, or at once if its last user says so.
  *
  * @param start starts a process, also in place of a process that has ended
  */
private[stoplog] final class SharedPython(start: () => PythonProcess, idleMillis: Long) {
  private var current = Option.empty[PythonProcess]
  private var users   = 0
  private var changes = 0L

  /** Starts the process before its first user, to save time. */
  def warm(): Unit = synchronized {
    living(): Unit
    if (users == 0) endIfUnused()
  }

  /** Adds a user, who must [[leave]]. */
  def enter(): Unit = synchronized {
    users += 1
    changed()
  }

  /** Whether there is a process that can answer calls. */
  def isAlive: Boolean = synchronized(current.exists(_.isAlive))

  /** Returns the process, for a user. Error: `STOPLOG_PYTHON_START`. */
  def process(): PythonProcess = synchronized(living())

  def leave(leaving: SharedPython.Leaving): Unit = synchronized {
    users -= 1
    if (users == 0)
      leaving match {
        case SharedPython.Leaving.End  => end()
        case SharedPython.Leaving.Keep => endIfUnused()
      }
  }

  private def living(): PythonProcess = current.filter(_.isAlive).getOrElse {
    end()
    val started = start()
    current = Some(started)
    started
  }

  private def endIfUnused(): Unit = {
    changed()
    val of = changes
    Daemons.named("stoplog-python-idle").newThread(() => endUnlessChanged(of)).start()
  }

  private def endUnlessChanged(of: Long): Unit = synchronized {
    val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(idleMillis)
    def left     = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())
    while (changes == of && left > 0) wait(left)
    if (changes == of) end()
  }

  private def changed(): Unit = {
    changes += 1
    notifyAll()
  }

  private def end(): Unit = {
    current.foreach(_.close())
    current = None
  }
}

private[stoplog] object SharedPython {

  /** Creates a process at the first use. */
  def of(command: PythonCommand, idleMillis: Long): SharedPython =
    new SharedPython(() => PythonProcess.start(command), idleMillis)

  /** What a user that leaves knows of later users. */
  sealed trait Leaving
  object Leaving {

    /** There will be no other user soon. */
    case object End extends Leaving

    /** There may be another user soon. */
    case object Keep extends Leaving
  }
}
