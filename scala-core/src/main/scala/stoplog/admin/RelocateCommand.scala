// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.admin.AdminAction.{Advise, FileCondition, Found}
import stoplog.commit.SinkStores
import stoplog.log.LogRecord
import stoplog.part.{Part, Pending, Publish}
import stoplog.storage.VisibleFiles

/** Checks that a moved directory contains each file named by its log. */
private[admin] object RelocateCommand {

  /** @param watch called with the number of checked parts, and of all parts */
  def plan(sink: SinkContext, watch: (Int, Int) => Unit): AdminPlan = {
    val newest  = sink.newest()
    val files   = new StoredFiles(sink.stores(newest))
    val closed  = sink.publishedBy(newest)
    val parts   = newest.state.open.size + closed.size
    val checks  = unfinished(sink, newest, files) ++ decided(sink, newest, closed, files)
    val actions = checks.zipWithIndex.map { case (action, before) =>
      watch(before + 1, parts)
      action
    }.toVector
    val found  = actions.map(_.word).toSet
    val advice =
      if (found(FileCondition.Broken.word))
        "copy the missing files from the previous directory while no query writes there, and run relocate " +
          "again"
      else if (found(FileCondition.Missing.word))
        "copy the missing files that still exist in the previous directory, and run relocate again; if no " +
          s"file exists there, $goOn"
      else goOn
    new AdminPlan("relocate", sink.liveness(newest), actions :+ Advise(sink.path, advice), _ => ())
  }

  private def unfinished(sink: SinkContext, newest: LogRecord, files: StoredFiles): Iterator[AdminAction] =
    newest.state.open.iterator.map { part =>
      val missing     = files.missing(part.handle) ++ part.spooled.files.map(_.token).filterNot(files.spooled)
      lazy val length =
        if (sink.cuts) files.length(part.handle.token) else None // the token is a path there
      lazy val cut = part.spooled.files.find(file => files.length(file.token).exists(_ < file.sizeBytes))
      if (missing.nonEmpty)
        broken(part, s"missing open files: ${missing.toVector.sorted.mkString(", ")}$uploads")
      else if (length.exists(_ < part.sizeBytes - part.spooled.storageBytes))
        broken(part, s"open, and shorter than the recorded ${part.sizeBytes} bytes")
      else if (cut.nonEmpty)
        broken(
          part,
          s"open, and ${cut.get.token} is shorter than the recorded ${cut.get.sizeBytes} bytes"
        )
      else Found(part.finishedPath, FileCondition.Whole, "open, and complete")
    }

  /** Checks the finished parts of the newest record. Older parts are the responsibility of readers. */
  private def decided(
      sink: SinkContext,
      newest: LogRecord,
      closed: Vector[Pending],
      files: StoredFiles
  ): Iterator[AdminAction] =
    closed.iterator.map { part =>
      files.length(part.finishedPath) match {
        case Some(part.sizeBytes) =>
          Found(part.finishedPath, FileCondition.Whole, "finished, with the recorded length")
        case Some(_) if files.committed(part).contains(part.sizeBytes) =>
          Found(part.finishedPath, FileCondition.Whole, "finished, with the recorded valid length")
        case Some(other) => broken(part, s"finished, with $other bytes instead of ${part.sizeBytes}")
        case None if sink.log.isPublished(newest) =>
          Found(
            part.finishedPath,
            FileCondition.Missing,
            "was visible; a reader has moved the file, or the file was not copied: see the previous directory"
          )
        case None if sink.cuts && files.length(part.handle.token).exists(_ < part.sizeBytes) =>
          broken(part, s"decided, and shorter than the recorded ${part.sizeBytes} bytes")
        case None if files.missing(part.handle).isEmpty =>
          Found(part.finishedPath, FileCondition.Whole, "decided, and becomes visible with the next start")
        case None => broken(part, s"decided, and missing$uploads")
      }
    }

  /** The files in the directory, listed once on first use. */
  private final class StoredFiles(stores: SinkStores) {
    private lazy val staged = stores.parts.staged().map(_.token).toSet
    lazy val spooled        = stores.spoolFiles.staged().map(_.token).toSet

    def length(path: String): Option[Long] = stores.finished.sizeBytes(path)

    /** Returns the committed length of a finished part, which may have a valid-length file. */
    def committed(part: Part): Option[Long] =
      new VisibleFiles(stores.files)
        .list(VisibleFiles.Scope.Exactly(Vector(part.bucket)))
        .files
        .find(_.path == part.finishedPath)
        .map(_.committedBytes)

    /** Returns missing files among the staged files of the part. */
    def missing(handle: Publish): Set[String] = stores.parts.stagedOf(handle.token).diff(staged)
  }

  private def broken(part: Part, why: String): AdminAction =
    Found(part.finishedPath, FileCondition.Broken, why)

  private val goOn = "set path to this directory, and start the query with its checkpoint"

  private val uploads =
    " (an upload to S3 cannot be moved or copied: run stoplog finalize before you move a directory)"
}
