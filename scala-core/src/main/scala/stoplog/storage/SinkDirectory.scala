// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** All paths below a sink's path that belong to one sink id, or to one batch job, and are not for readers.
  *
  * `docs/correctness/protocol.md` describes each path and the permitted writers.
  */
final case class SinkDirectory(sinkId: String) {
  val path: String = s"${SinkDirectory.Root}/$sinkId"

  /** The records of the log with their marks and notes. */
  val log: String = s"$path/log"

  /** Unfinished parts in the layout `staging`, and drafts of files that are created as a whole. */
  val open: String = s"$path/open"

  /** Rows that do not fill a block of their format yet. */
  val spool: String = s"$path/beside"

  /** Finished parts that a record has replaced, in a directory per record number. */
  val replaced: String = s"$path/replaced"

  /** Locks of the processes that write. */
  val writers: String = s"$path/writers"

  /** Lists of the files of commits. */
  val manifests: String = s"$path/manifests"

  /** The cursors of announcements, in a directory per target. */
  val announced: String = s"$path/announced"

  /** Heartbeats of drivers. */
  val alive: String = s"$path/alive"

  /** The announcement of a batch job that replaces files. */
  val replaces: String = s"$path/replaces"

  /** Notes of a write-ahead sink about sent data, in a directory per query id. */
  val sent: String = s"$path/sent"

  /** Returns the directory into which an operator's command moves files to hide them. */
  def aside(stamp: String): String = s"$path/aside/$stamp"
}

object SinkDirectory {

  /** The directory below a sink's path that contains the directories of all sink ids. */
  val Root: String = "_stoplog"

  /** The suffix of marks in the directory of the log. */
  val Mark: String = ".published"
}
