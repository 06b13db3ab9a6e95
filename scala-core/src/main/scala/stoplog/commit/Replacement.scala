// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.fault.{Faults, Step}
import stoplog.log.LogRecord
import stoplog.part.FinishedPart
import stoplog.store.FinishedStore

/** What a record does to finished parts, around its publishing: first they go out of sight, then the part with their
  * rows becomes visible, then they are deleted. So no reader ever sees a row twice. Each step may be done again.
  */
private[commit] final class Replacement(
    finished: FinishedStore,
    parallel: Parallel,
    retry: Retry,
    faults: Faults
) {

  /** Before publishing. */
  def setAside(record: LogRecord): Unit = if (record.replace.nonEmpty) {
    each(record) { part =>
      finished.setAside(record.seq, part.path)
      faults.at(Step.MidReplace)
    }
    faults.at(Step.AfterReplace)
  }

  /** In place of publishing, when the part that was to be published is lost. */
  def undo(record: LogRecord): Unit = each(record)(part => finished.putBack(record.seq, part.path))

  /** After publishing, and before the record is marked: what is left here later could be brought back by a driver that
    * slept all the time, when the part with the rows has been merged again.
    */
  def forget(record: LogRecord): Unit = if (record.replace.nonEmpty) {
    retry(() => finished.forget(record.seq))
    faults.at(Step.AfterForget)
  }

  private def each(record: LogRecord)(action: FinishedPart => Unit): Unit = {
    parallel.map(record.replace)(part => retry(() => action(part)))
    ()
  }
}
