// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Errors
import stoplog.log.CommitLog

/** Keeps a run of `rewind` and merges of the batch compaction apart, as [[Overwrite]] does it for batch jobs: a merge that is
  * decided behind the look of `rewind` at the files that are to go would keep their rows visible.
  *
  * So `rewind` first claims its sink's log, with a record that says what it does, and then claims the compaction's log,
  * which carries out what was decided there and fences a compaction that is alive. A compaction does it the other way
  * round: it claims its log, and then looks for such records. Of the two, one sees the other.
  */
private[stoplog] object Rewind {
  private val Key = "rewind"

  /** In the settings of the records of a run that sets its sink back, until it has decided which files go. */
  val noted: Map[String, String] = Map(Key -> "begun")

  /** The settings for a run that claims the log behind it, which keeps it from deciding anything. */
  def over(settings: Map[String, String]): Map[String, String] = settings - Key

  /** After a compaction's claim. Error: `STOPLOG_PATH_NOT_WRITABLE` when a sink of the path is being set back, or `rewind` has
    * died before it has decided which files go.
    *
    * @param sinks the logs of all sinks of the path
    */
  def refuseUnderWay(path: String, sinks: Map[String, CommitLog]): Unit =
    sinks.toVector.sortBy(_._1).foreach { case (sink, log) =>
      if (log.newest().exists(_.state.settings.contains(Key)))
        throw Errors.pathNotWritable(
          path,
          s"'stoplog rewind' sets sink $sink back, or has died doing so; then run it again, or start the sink's query"
        )
    }
}
