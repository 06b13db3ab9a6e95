// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.KindErrors
import stoplog.log.SinkState

/** The kind of a sink. Each record of its log contains the kind. A sink of another kind can neither carry out
  * the decision of a record nor resume the open parts.
  *
  * @param word in records and messages: `files`, the word of a connector, or the class of a user's sink
  */
private[stoplog] final class SinkKind(word: String) {

  /** Returns the state with this kind among its settings. */
  def in(state: SinkState): SinkState =
    if (state.settings.get(SinkKind.Key).contains(word)) state
    else state.copy(settings = state.settings + (SinkKind.Key -> word))

  /** Throws `STOPLOG_LOG_OF_ANOTHER_KIND` if the state belongs to a sink of another kind. */
  def refuseOther(state: SinkState, identity: SinkIdentity): Unit =
    state.settings.get(SinkKind.Key).filter(_ != word).foreach { found =>
      throw KindErrors.logOfAnotherKind(identity.path, identity.sinkId, found, word)
    }
}

private[stoplog] object SinkKind {
  val Files: SinkKind = new SinkKind("files")

  /** The setting that holds the kind. */
  private[commit] val Key = "sink"
}
