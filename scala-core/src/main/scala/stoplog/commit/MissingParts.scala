// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.log.SinkState
import stoplog.storage.{PartStore, SpoolFiles}

/** The user may choose to go on without open parts whose files are gone; else the task that misses one fails. */
private[commit] final class MissingParts(store: PartStore, sides: SpoolFiles, onLost: LostPart) {

  /** The state without them, if that is the choice. */
  def without(state: SinkState): SinkState = onLost match {
    case LostPart.Fail => state
    case LostPart.Skip =>
      val staged = if (state.open.isEmpty) Set.empty[String] else store.staged().map(_.token).toSet
      val beside = if (state.sideFiles.isEmpty) Set.empty[String] else sides.staged().map(_.token).toSet
      val (there, gone) = state.open.partition { part =>
        store.stagedOf(part.handle.token).subsetOf(staged) && part.beside.files.forall(file =>
          beside(file.token)
        )
      }
      gone.foreach { part =>
        Log.warn(
          s"Going on without the ${part.records} rows of ${part.handle.token} (onLostPart=skip)"
        )
      }
      state.copy(open = there)
  }
}
