// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.io.PrintStream

import stoplog.thread.Clock

/** Prints the progress of a tool as JSON lines that precede its result, at most two lines a second.
  *
  * {{{
  * {"progress":{"done":120,"total":2270}}
  * }}}
  */
private[admin] final class ProgressLines(output: PrintStream, clock: Clock = Clock.system) {
  private var lastMillis = Long.MinValue

  /** Reports finished units. Called by any thread.
    *
    * @param total 0 if the number of all units is unknown
    */
  def to(done: Int, total: Int): Unit = synchronized {
    val now = clock.elapsedMillis()
    if (lastMillis == Long.MinValue || now - lastMillis >= ProgressLines.PauseMillis) {
      lastMillis = now
      output.println(s"""{"progress":{"done":$done,"total":$total}}""")
    }
  }
}

private object ProgressLines {
  private final val PauseMillis = 500
}
