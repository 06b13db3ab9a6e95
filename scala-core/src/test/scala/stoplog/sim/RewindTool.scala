// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.admin.{AdminAccess, OpenRows, WhenAlive}
import stoplog.commit.SinkStores
import stoplog.log.{CommitLog, LogFiles, LogRecord}
import stoplog.part.RunId
import stoplog.storage.PutOutcome

/** One run of `stoplog rewind` or `stoplog reset`, whether or not a driver is alive, by the code of the command.
  *
  * The operator sets the checkpoint back with the record that does so to the log: a driver that has read it before is one
  * that is alive beside the tool.
  */
final class RewindTool(world: World, run: RunId, mutation: Mutation) {
  private val stores = new SimStores(world, mutation)

  def rewind(newest: LogRecord): Unit = newest.state.lastEpoch.foreach { last =>
    val epoch = last - 1 - world.random.nextInt(2)
    val plan  = tool(following).rewind(epoch)
    world.pause("somebody reads the plan")
    plan.carryOut(WhenAlive.Fence)
    world.note(s"a tool has gone back to the end of epoch $epoch")
  }

  def reset(): Unit = {
    val plan = tool(following).reset(OpenRows.Finish)
    world.pause("somebody reads the plan")
    plan.carryOut(WhenAlive.Fence)
    world.note("a tool has begun the log anew")
  }

  private def tool(records: LogFiles) = AdminAccess.of(
    world.sinkId,
    () => if (runs.hasNext) runs.next() else world.nextRun(),
    SinkStores.of(
      new CommitLog(records, world.surroundings.log),
      stores.parts,
      stores.spoolFiles,
      stores.finished,
      mutation.notes(world, new SimNotes(world))
    ),
    cuts = world.isDisk,
    SimDriver.tools(world)
  )(
    world.traits.format.open(stores.spoolFiles),
    new SimLogs(world, mutation)
  )

  private val runs = Iterator(run)

  /** Also where nobody hears how the request ended. */
  private def following: LogFiles = new RecordsOver(stores.records) {
    override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
      val before = world.oracle.newest
      try super.putIfAbsent(seq, bytes)
      finally
        for {
          was <- before
          now <- world.oracle.newest.filter(record => record.run == run && record.seq == seq)
        } {
          if (RewoundRows.isReset(now, was)) world.checkpoint.agreeWith(world.oracle.decidedBatches)
          if (RewoundRows.isBy(now, was)) world.checkpoint.backTo(now.state.lastEpoch.fold(0L)(_ + 1))
        }
    }
  }
}
