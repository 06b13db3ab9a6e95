// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** Every path below a sink's path that belongs to one sink id, or to one batch job, and to no reader.
  *
  * `docs/correctness/protocol.md` describes each of them, and the writers that it may have.
  */
final case class SinkDirectory(sinkId: String) {
  val path: String = s"${SinkDirectory.Root}/$sinkId"

  /** The records of the log, their marks and notes. */
  val log: String = s"$path/log"

  /** Unfinished parts in the layout `staging`, and drafts of files that are created whole. */
  val open: String = s"$path/open"

  /** Rows that do not fill a block of their format yet. */
  val spool: String = s"$path/beside"

  /** Finished parts that a record has replaced, each below the record's number. */
  val replaced: String = s"$path/replaced"

  /** Locks of processes that write. */
  val writers: String = s"$path/writers"

  /** Lists of the files of commits. */
  val manifests: String = s"$path/manifests"

  /** Signs of life of drivers. */
  val alive: String = s"$path/alive"

  /** The announcement of a batch job that replaces files. */
  val replaces: String = s"$path/replaces"

  /** Notes of a write-ahead sink: what it has sent, below each query's id. */
  val sent: String = s"$path/sent"

  /** The directory into which an operator's command puts files that it takes out of sight. */
  def aside(stamp: String): String = s"$path/aside/$stamp"
}

object SinkDirectory {

  /** The directory below a sink's path in which the directories of all sink ids are. */
  val Root: String = "_stoplog"

  /** The end of the names of marks, in the directory of the log. */
  val Mark: String = ".published"
}
