// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.admin.AdminAction.{Finish, Keep, Publish, Remove, Restore}
import stoplog.commit.OrphanCleaner
import stoplog.commit.OrphanCleaner.{Judged, Kind, OrphanStatus}
import stoplog.log.{LogRecord, RecordKind}
import stoplog.storage.SinkDirectory

/** Finishes parts left open by a stopped query. */
private[admin] object FinalizeCommand {

  def plan(sink: SinkContext): AdminPlan = {
    val newest  = sink.newest()
    val actions = decided(sink, newest) ++ open(newest, "open since its query stopped")
    new AdminPlan(
      "finalize",
      sink.liveness(newest),
      actions,
      whenAlive =>
        if (actions.nonEmpty || newest.kind != RecordKind.Release || !sink.log.isPublished(newest))
          carryOut(sink, newest, whenAlive)
    )
  }

  /** Returns the parts that are published again before any other action. */
  def decided(sink: SinkContext, newest: LogRecord): Vector[AdminAction] =
    if (sink.log.isPublished(newest)) Vector.empty
    else
      sink.publishedBy(newest).map { part =>
        Publish(
          part.finishedPath,
          part.sizeBytes,
          part.records,
          s"record ${newest.seq} decided the part, and no mark confirms the publication"
        )
      }

  def open(newest: LogRecord, reason: String): Vector[AdminAction] = newest.state.open.map { part =>
    Finish(part.finishedPath, part.sizeBytes, part.records, reason)
  }

  private def carryOut(sink: SinkContext, newest: LogRecord, whenAlive: WhenAlive): Unit =
    sink.changing(newest, whenAlive) { change =>
      change.tool.finishOpen()
      change.tool.release(identity)
    }
}

/** Removes orphans, by the same rules as a driver. */
private[admin] object CleanCommand {

  def plan(sink: SinkContext): AdminPlan = {
    val newest  = sink.newest()
    val actions = sink.orphans(sink.stores(newest)).map(action(_, sink.sinkId, newest.seq))
    val changes = actions.exists { case _: Remove | _: Restore => true; case _ => false }
    new AdminPlan(
      "clean",
      sink.liveness(newest),
      actions,
      whenAlive =>
        if (changes) sink.changing(newest, whenAlive) { change =>
          change.tool.sweep()
          change.tool.release(identity)
        }
    )
  }

  private def action(judged: Judged, sinkId: String, seq: Long): AdminAction = {
    val subject = judged.found.kind match {
      case Kind.Replaced => s"${SinkDirectory(sinkId).replaced}/${judged.found.name}"
      case _             => judged.found.name
    }
    judged.verdict match {
      case OrphanStatus.InUse  => Keep(subject, s"the newest record, $seq, needs the file")
      case OrphanStatus.Recent =>
        Keep(subject, s"its writer may be alive: the file is younger than $Grace minutes")
      case OrphanStatus.Orphan  => Remove(subject, reason(judged.found.kind, seq))
      case OrphanStatus.Returns => Restore(subject, NotCompacted)
      case OrphanStatus.Unclear =>
        Keep(subject, s"$NotCompacted, and the file may be an old copy of a visible file")
    }
  }

  private def reason(kind: Kind, seq: Long): String = kind match {
    case Kind.Part     => s"unfinished, older than $Grace minutes, and not named by the newest record, $seq"
    case Kind.Spool    => s"a spool file, older than $Grace minutes, and not named by the newest record, $seq"
    case Kind.Replaced => "a visible compacted part contains the rows"
  }

  private val NotCompacted =
    "hidden for a compaction that was called off, or for a record that was trimmed"

  private val Grace = OrphanCleaner.GraceMillis / 60000
}
