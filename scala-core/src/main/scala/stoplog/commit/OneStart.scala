// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.SinkState

/** `onForeignQuery=adoptAndRepeat` is valid for one start: the first that claims the sink with the value. The sink notes the
  * run that used the value. As long as the note is there, the value counts as `fail` for every other run. A run that claims
  * the sink with another value removes the note.
  *
  * So a value that stays in the options never writes rows again, however often the checkpoint is lost or restored.
  *
  * @param asked by the option
  * @param run   the id of this start
  */
private[stoplog] final class OneStart(asked: ForeignQuery, run: String) {

  /** The value for this run, after the run of the note has used it. */
  def after(usedBy: Option[String]): ForeignQuery = asked match {
    case ForeignQuery.AdoptAndRepeat if usedBy.exists(_ != run) => ForeignQuery.Refuse
    case other                                                  => other
  }

  /** The note after this run has claimed the sink. */
  def noted(usedBy: Option[String]): Option[String] =
    Option.when(asked == ForeignQuery.AdoptAndRepeat)(usedBy.getOrElse(run))

  /** The same for a log; none without a record. */
  def now(newest: Option[SinkState]): ForeignQuery = after(newest.flatMap(_.settings.get(OneStart.Key)))

  /** Whether this run may set the log back. */
  def mayRepeat(newest: SinkState): Boolean = now(Some(newest)) == ForeignQuery.AdoptAndRepeat

  /** The settings of the claim. */
  def claimed(settings: Map[String, String]): Map[String, String] =
    OneStart.carried(noted(settings.get(OneStart.Key)), settings)
}

private[stoplog] object OneStart {

  /** The setting of a log with the note. */
  private[commit] val Key: String = "adoptAndRepeat"

  /** Other settings of the same log, with the note that `from` has. */
  def carried(from: Map[String, String], to: Map[String, String]): Map[String, String] =
    carried(from.get(Key), to)

  private def carried(note: Option[String], to: Map[String, String]): Map[String, String] =
    to - Key ++ note.map(Key -> _)
}
