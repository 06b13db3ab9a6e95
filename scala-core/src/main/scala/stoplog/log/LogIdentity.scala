// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.RunId

/** The identity of a log, a UUID among the settings of each of its records: the id of the run that wrote the
  * first record. A log that is deleted and written again has another identity, although its sequences repeat.
  */
private[stoplog] object LogIdentity {

  /** Returns the state of the next record, with the identity of its log.
    *
    * @param before the preceding record; `None` for the first record
    * @param run    the run that writes the next record
    */
  def in(state: SinkState, before: Option[LogRecord], run: RunId): SinkState = {
    val identity = before.flatMap(record => of(record.state)).getOrElse(run.value)
    if (of(state).contains(identity)) state
    else state.copy(settings = state.settings + (Key -> identity))
  }

  /** Returns the identity of the log of a record with this state. */
  def of(state: SinkState): Option[String] = state.settings.get(Key)

  private final val Key = "identity"
}

/** What became of a decision. */
private[stoplog] sealed trait RecordOutcome extends Product with Serializable {

  /** Returns whether the part with this finished path is visible, or was visible. */
  def shows(path: String): Boolean
}

private[stoplog] object RecordOutcome {

  /** All parts of the record are visible, or were visible. */
  case object Done extends RecordOutcome {
    override def shows(path: String): Boolean = true
  }

  /** The record is a replacement that changed nothing. */
  case object CalledOff extends RecordOutcome {
    override def shows(path: String): Boolean = false
  }

  /** These parts were lost, and the user permits to continue without lost parts.
    *
    * @param paths the finished paths
    */
  final case class Skipped(paths: Set[String]) extends RecordOutcome {
    override def shows(path: String): Boolean = !paths(path)
  }

  def skipping(paths: Set[String]): RecordOutcome = if (paths.isEmpty) Done else Skipped(paths)
}
