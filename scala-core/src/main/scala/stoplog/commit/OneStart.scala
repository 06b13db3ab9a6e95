// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.SinkState

/** Limits `onForeignQuery=adoptAndRepeat` to one start: the first that claims the sink with the value. The
  * sink notes the run that used the value. While the note exists, the value counts as `fail` for every other
  * run. A run that claims the sink with another value removes the note.
  *
  * So a value that stays in the options never writes rows again, however often the checkpoint is lost or
  * restored.
  *
  * @param requested the value of the option
  */
private[stoplog] final class OneStart(requested: ForeignQuery, run: String) {

  /** Returns the value for this run, after `usedBy` has used the value. */
  def after(usedBy: Option[String]): ForeignQuery = requested match {
    case ForeignQuery.AdoptAndRepeat if usedBy.exists(_ != run) => ForeignQuery.Refuse
    case other                                                  => other
  }

  /** Returns the note after this run has claimed the sink. */
  def noted(usedBy: Option[String]): Option[String] =
    Option.when(requested == ForeignQuery.AdoptAndRepeat)(usedBy.getOrElse(run))

  /** Returns the value for this run of a log; `newest` is `None` without a record. */
  def now(newest: Option[SinkState]): ForeignQuery = after(newest.flatMap(_.settings.get(OneStart.Key)))

  /** Returns whether this run may set the log back. */
  def mayRepeat(newest: SinkState): Boolean = now(Some(newest)) == ForeignQuery.AdoptAndRepeat

  /** Returns the settings of the claim. */
  def claimed(settings: Map[String, String]): Map[String, String] =
    OneStart.carried(noted(settings.get(OneStart.Key)), settings)
}

private[stoplog] object OneStart {

  /** The key of the log's setting with the note. */
  private[commit] val Key: String = "adoptAndRepeat"

  /** Returns other settings of the same log, with the note in `from`. */
  def carried(from: Map[String, String], to: Map[String, String]): Map[String, String] =
    carried(from.get(Key), to)

  private def carried(note: Option[String], to: Map[String, String]): Map[String, String] =
    to - Key ++ note.map(Key -> _)
}
