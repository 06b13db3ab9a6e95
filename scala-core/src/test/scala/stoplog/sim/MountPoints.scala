// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

import scala.collection.mutable

/** The places that processes see at the sink's path: the disk, or, for a while, the directory under its mount point. What
  * is written there stays there, and no reader sees it. Has dice of its own.
  */
final class MountPoints(world: World) {
  private val disk  = new PathView(world.disk, world.oracle, isTheDisk = true)
  private val under = MountPoints.under(world)
  private val dice  = new SplittableRandom(world.seed ^ MountPoints.Salt)
  private val away  = mutable.Map.empty[SimProcess, Long]
  private var all   = 0L

  /** The place that the process at work sees. */
  def seen: PathView = if (isAway) under else disk

  /** What happens between two steps: a mount goes away for some steps, for one process or for all of them. Not before the
    * checkpoint names a batch that is committed: a first start in the wrong place is a new query.
    */
  def maybe(): Unit =
    if (world.isTroubled && world.checkpoint.nextBatch > 0 && dice.nextInt(MountPoints.AwayOnceIn) == 0) {
      val until = world.scheduler.steps + MountPoints.Shortest + dice.nextInt(MountPoints.Longest)
      if (dice.nextBoolean()) {
        world.note("### the disk is away for all processes")
        all = until
      } else {
        world.note(s"### the disk is away for ${process.name}")
        away.update(process, until)
      }
    }

  private def isAway: Boolean =
    world.isTroubled && (all.max(away.getOrElse(process, 0L)) > world.scheduler.steps)

  private def process: SimProcess = world.scheduler.current.process
}

/** A directory and its oracle.
  *
  * @param isTheDisk `false` under the mount point: a record there decides nothing, because its driver finds no
  *                  predecessor and fails (rule L2)
  */
final class PathView(val disk: Disk, val oracle: Oracle, val isTheDisk: Boolean)

private object MountPoints {
  val Salt       = 0x5eed0f91ace5L
  val AwayOnceIn = 60
  val Shortest   = 5
  val Longest    = 300

  /** Nobody asks what is right there. */
  private def under(world: World): PathView = {
    val oracle = new Oracle(
      world.source,
      world.traits.format,
      new Announced(world.sinkId, world.rule, None, _ => true),
      world.surroundings.power,
      world.surroundings.store,
      world.surroundings.log,
      world.sinkId
    )
    new PathView(
      new Disk(oracle, () => world.clock.millis(), world.surroundings.power),
      oracle,
      isTheDisk = false
    )
  }
}
