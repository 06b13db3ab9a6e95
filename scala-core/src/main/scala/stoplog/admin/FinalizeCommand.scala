// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.admin.AdminAction.{Finish, Publish}
import stoplog.log.{LogRecord, RecordKind}

/** Finishes what a stopped query left open. */
private[admin] object FinalizeCommand {

  def plan(site: SinkContext): AdminPlan = {
    val newest  = site.newest()
    val actions = decided(site, newest) ++ open(newest, "open since its query stopped")
    new AdminPlan(
      "finalize",
      site.liveness(newest),
      actions,
      whenAlive =>
        if (actions.nonEmpty || newest.kind != RecordKind.Release) carryOut(site, newest, whenAlive)
    )
  }

  /** The parts that are published again before anything else is done. */
  def decided(site: SinkContext, newest: LogRecord): Vector[AdminAction] =
    if (site.isPublished(newest)) Vector.empty
    else
      newest.publish.filter(_.sizeBytes > 0).map { part =>
        Publish(
          part.finishedPath,
          part.sizeBytes,
          part.records,
          s"record ${newest.seq} decided it, and nobody has noted that it is visible"
        )
      }

  def open(newest: LogRecord, reason: String): Vector[AdminAction] = newest.state.open.map { part =>
    Finish(part.finishedPath, part.sizeBytes, part.records, reason)
  }

  private def carryOut(site: SinkContext, newest: LogRecord, whenAlive: WhenAlive): Unit =
    site.changing(newest, whenAlive) { change =>
      change.tool.finishOpen()
      change.tool.release(identity)
    }
}
