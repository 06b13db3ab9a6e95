// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import stoplog.log.CommitLog
import stoplog.storage.{RestorableFiles, SinkDirectory}

/** A listing of the visible files that no replacement has changed meanwhile.
  *
  * A process that carries out a replacement hides and shows files one after the other. A listing at this
  * moment may have both the former files and the new files, or neither. A target that starts with such a
  * listing would contain rows twice, or would lack rows for ever.
  *
  * @param logs all logs of the path: compactions of streams are in the logs of the streams
  */
private[stoplog] final class SettledListing(logs: PathLogs) {

  /** Returns the listing.
    *
    * Error: `IOException` if a replacement was not carried out before the listing, or was decided during the
    * listing, or if a hidden file may become visible again (P-144). The caller repeats the call later.
    */
  def of[A](list: => A): A = {
    val before = all.map { case (id, log) => id -> carriedOut(id, log) }
    checkHidden()
    val files = list
    all.foreach { case (id, log) =>
      val later = log.decisionsAfter(before.getOrElse(id, -1L))
      if (!later.exists(_.forall(_.replace.isEmpty)))
        throw unsettled(s"the log $id has a replacement during the listing")
    }
    checkHidden()
    files
  }

  private def all: Map[String, CommitLog] =
    logs.streams ++ Option.when(logs.files.names(SinkDirectory.Root).contains(Replacements.SinkId))(
      Replacements.SinkId -> logs.replacements
    )

  /** Returns the newest record; -1 without a record. Only the newest record can be a decision that was not
    * carried out. The files of a record that was called off are restored before its mark.
    */
  private def carriedOut(id: String, log: CommitLog): Long = log.newest().fold(-1L) { newest =>
    if (newest.replace.nonEmpty && !log.isPublished(newest))
      throw unsettled(s"record ${newest.seq} of the log $id is a replacement that is not carried out")
    newest.seq
  }

  /** A slow process may hide a file of an older record that was called off. The file is restored without a
    * new record (P-72).
    */
  private def checkHidden(): Unit = new RestorableFiles(logs.files).anyPlace.foreach { place =>
    throw unsettled(s"a replacement has hidden $place, which may become visible again")
  }

  private def unsettled(why: String) = new IOException(
    s"the files of ${logs.path} cannot be listed for a snapshot: $why. Repeat the listing later; after the death of a job, " +
      "the next batch job or query carries out the replacement"
  )
}
