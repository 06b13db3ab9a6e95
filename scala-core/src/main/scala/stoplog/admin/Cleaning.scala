// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.admin.AdminAction.{Remove, Spare}
import stoplog.commit.OrphanCleaner
import stoplog.commit.OrphanCleaner.{Judged, Kind, Verdict}

/** Removes orphans, by the rules of every driver's sweep. */
private[admin] object Cleaning {

  def plan(site: SinkContext): AdminPlan = {
    val newest  = site.newest()
    val actions = site.orphans(site.stores(newest)).map(action(_, site.sinkId, newest.seq))
    val removes = actions.exists { case _: Remove => true; case _ => false }
    new AdminPlan(
      "clean",
      site.liveness(newest),
      actions,
      whenAlive =>
        if (removes) site.changing(newest, whenAlive) { change =>
          change.tool.sweep()
          change.tool.release(identity)
        }
    )
  }

  private def action(judged: Judged, sinkId: String, seq: Long): AdminAction = {
    val subject = judged.found.kind match {
      case Kind.Replaced => s"_stoplog/$sinkId/replaced/${judged.found.name}"
      case _             => judged.found.name
    }
    judged.verdict match {
      case Verdict.Named  => Spare(subject, s"the newest record, $seq, names it")
      case Verdict.Young  => Spare(subject, s"its writer may be alive: it is younger than $Grace minutes")
      case Verdict.Orphan => Remove(subject, reason(judged.found.kind, seq))
    }
  }

  private def reason(kind: Kind, seq: Long): String = kind match {
    case Kind.Part   => s"unfinished, older than $Grace minutes, and not named by the newest record, $seq"
    case Kind.Beside => s"beside a part, older than $Grace minutes, and not named by the newest record, $seq"
    case Kind.Replaced => "a merged part has the rows, and is visible"
  }

  private val Grace = OrphanCleaner.GraceMillis / 60000
}
