// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import scala.annotation.tailrec

import stoplog.admin.AdminAction.{Advise, Hand}
import stoplog.error.Errors
import stoplog.log.SinkState

/** Sets the owner of a sink, and the writers beside it. */
private[admin] object AdoptCommand {

  def adopt(site: SinkContext, owner: NewOwner): AdminPlan = {
    // Nobody's sink is one of which the next query takes over nothing, and its open rows would be lost.
    if (owner.queryId.trim.isEmpty || owner.nextBatch < 0)
      throw Errors.invalidOptions(
        Seq(s"query '${owner.queryId}' at batch ${owner.nextBatch} is none: give its id and a batch from 0.")
      )
    val newest = site.newest()
    val left   = site.log.leftBy(owner.queryId).filter(repeats(owner))
    val former = newest.state.lastEpoch.fold("none")(_.toString)
    val hand   = Hand(
      s"sink ${site.sinkId}",
      s"from query ${newest.state.queryId} after epoch $former to query ${owner.queryId} at batch ${owner.nextBatch}"
    )
    new AdminPlan(
      "adopt",
      site.liveness(newest),
      FinalizeCommand.decided(site, newest) :+ hand,
      whenAlive =>
        site.changing(newest, whenAlive) { change =>
          change.tool.release { state =>
            if (state.queryId == owner.queryId && repeats(owner)(state)) state
            else
              left
                .fold(state.after(before(owner.nextBatch), batch = None)) { own =>
                  state.after(own.lastEpoch, own.lastBatch)
                }
                .copy(queryId = owner.queryId)
          }
        }
    )
  }

  /** The query repeats the last epoch that it has decided, because Spark had not noted it when the process died. To set
    * the log back then would write that epoch's rows twice.
    *
    * A query that goes on behind the newest epoch does so from there, too, and the log forgets what that batch was:
    * the operator who adopts says that the checkpoint is right.
    */
  private def repeats(owner: NewOwner)(state: SinkState): Boolean =
    state.lastEpoch.contains(owner.nextBatch) &&
      owner.planned.forall(batch => state.lastBatch.forall(_ == batch))

  def fork(site: SinkContext): AdminPlan = {
    val newest = site.newest()
    val free   = unused(site.sinkId, site.sinkIds().toSet, 2)
    new AdminPlan(
      "fork",
      site.liveness(newest),
      Vector(
        Advise(
          s"sinkId=$free",
          "set this option on the new query; names of files hold a number of their run that occurs once, so none of " +
            s"its files can meet one of sink ${site.sinkId}, and nothing has to be changed here"
        )
      ),
      _ => ()
    )
  }

  def before(batch: Long): Option[Long] = Option.when(batch > 0)(batch - 1)

  @tailrec
  private def unused(sinkId: String, taken: Set[String], n: Int): String =
    if (taken(s"$sinkId-$n")) unused(sinkId, taken, n + 1) else s"$sinkId-$n"
}
