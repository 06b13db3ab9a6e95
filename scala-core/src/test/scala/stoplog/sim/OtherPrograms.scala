// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

/** Who else works where the sink does: readers, backups, a library that asks again. Has dice of its
  * own.
  */
final class OtherPrograms(world: World) {
  import world.{disk, surroundings}

  private val dice    = new SplittableRandom(world.seed ^ OtherPrograms.Salt ^ world.ofSink)
  private var copies  = 2
  private var backups = 3
  private var isThere = true

  /** What happens between two steps of others. */
  def maybe(): Unit = {
    world.mount()
    if (surroundings.readers != Readers.Patient && isThere && dice.nextInt(OtherPrograms.TakenOnceIn) == 0)
      take()
    if (surroundings.copiers != Copiers.None && copies > 0 && strikes(OtherPrograms.CopiedOnceIn)) {
      copies -= 1
      copy()
    }
  }

  /** The readers come no more: a merge whose inputs they take leaves a file to the next sweep. */
  def leaves(): Unit = isThere = false

  /** One file of those that the readers are after, and how it goes. */
  def take(): Unit = {
    val there = wanted.toVector
    if (there.nonEmpty) {
      val name = there(dice.nextInt(there.size))
      val how  = if (dice.nextBoolean()) Taking.Move else Taking.Delete
      world.note(s"### a reader takes $name: $how")
      disk.take(name, if (world.isDisk) how else Taking.Delete)
    }
  }

  /** A backup of the whole directory by hard links. */
  def copy(): Unit = {
    world.note("### the directory is copied by hard links")
    (disk.staged.valuesIterator ++ disk.finished.valuesIterator).foreach(_.namesElsewhere += 1)
  }

  /** The checkpoint that the next session is started on, beside so many others. */
  def checkpoint(drivers: Int): Checkpoint = surroundings.checkpoint match {
    case CheckpointFate.Restored if drivers == 0 => restored()
    case CheckpointFate.RestoredBesideDriver     => restored()
    case CheckpointFate.Cloned                   =>
      if (dice.nextInt(3) == 0) {
        world.note("### the checkpoint is cloned")
        other = Some(world.checkpoint.copied())
      }
      other.filter(_ => dice.nextBoolean()).getOrElse(world.checkpoint)
    case _ => world.checkpoint
  }

  private def restored(): Checkpoint = {
    if (backups > 0 && dice.nextInt(3) == 0) {
      backups -= 1
      val behind = 1 + dice.nextInt(2)
      world.note(s"### the checkpoint is restored, $behind batches behind")
      world.checkpoint.forget(behind)
    }
    world.checkpoint
  }

  def powerLost(): Unit = surroundings.checkpoint match {
    case CheckpointFate.LostWithPower => world.checkpoint.losePower(dice)
    case _                            => ()
  }

  /** Whether a job is given up whose task does not answer. */
  def givesUp(): Boolean = surroundings.jobs == Jobs.GivenUp && world.isTroubled && dice.nextBoolean()

  /** A marker is there, or was there. */
  def marked(): Unit = surroundings.markers match {
    case MarkerAnswers.Failing if world.isTroubled => throw new RuntimeException("the storage is down")
    case _                                         => ()
  }

  /** Whether who has made something is told that he has. */
  def hearsOfIt(what: => String): Boolean = surroundings.answers match {
    case Answers.Repeated if strikes(OtherPrograms.AskedAgainOnceIn) =>
      world.note(s"$what: done, and the answer is that it was there")
      false
    case _ => true
  }

  private var other = Option.empty[Checkpoint]

  private def wanted: Iterator[String] = {
    val names = disk.finished.keysIterator
    surroundings.readers match {
      case Readers.Patient    => Iterator.empty
      case Readers.AtOnce     => names
      case Readers.ByMark     => names.filter(world.isCarriedOut(_))
      case Readers.ByManifest => names.filter(world.announced.isListed)
      case Readers.ByMarker   => names.filter(world.announced.isMarked)
    }
  }

  private def strikes(onceIn: Int): Boolean = world.isTroubled && dice.nextInt(onceIn) == 0
}

private object OtherPrograms {
  val Salt: Long            = 0x0b57ac1e5L
  val TakenOnceIn: Int      = 6
  val CopiedOnceIn: Int     = 60
  val AskedAgainOnceIn: Int = 12
}
