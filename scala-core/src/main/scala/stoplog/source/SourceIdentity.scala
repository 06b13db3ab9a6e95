// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.error.Errors
import stoplog.storage.PutOutcome

/** The identity of the source of a checkpoint's splits: in a file of its own beside them. */
private[stoplog] object SourceIdentity {

  /** Refuses the state of another source. A checkpoint that does not say, because it is new or older than this file, belongs
    * to what is asked for now.
    *
    * Error: `STOPLOG_SOURCE_PATH_CHANGED`.
    */
  def refuseOther(state: StateFiles, asked: String): Unit =
    if (state.putIfAbsent(Name)(_.write(asked.getBytes(UTF_8))) == PutOutcome.Taken) {
      val in       = state.open(Name)
      val recorded =
        try new String(in.readAllBytes(), UTF_8)
        finally in.close()
      if (recorded != asked)
        throw Errors.sourcePathChanged(recorded, asked, state.describe(Name))
    }

  private final val Name = "identity"
}
