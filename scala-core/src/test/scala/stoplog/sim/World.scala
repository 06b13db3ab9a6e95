// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.IOException
import java.nio.file.AccessDeniedException
import java.util.SplittableRandom

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import stoplog.commit.CompleteRule
import stoplog.error.Errors
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.part.RunId
import stoplog.thread.Clock

/** Everything that one schedule works on: the seed's dice, the clock, the storage, the source, and who watches.
  *
  * @param sinkId of the query
  * @param first  the world of another sink id in the same directory: dice, clock, storage, and who takes the next step are
  *               those of both
  */
final class World(
    val seed: Long,
    lane: Lane,
    tracing: Tracing,
    setting: Setting = Setting.plain,
    chooser: Option[Chooser] = None,
    val sinkId: String = DiskLog.Main,
    first: Option[World] = None
) {
  val random: SplittableRandom =
    first.fold(new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 0x7f4a7c15L))(_.random)
  val traits: WorldTraits           = first.fold(setting.traits(WorldTraits.draw(random)))(_.traits)
  val surroundings: WorldConditions = first.fold(setting.of(seed))(_.surroundings)
  val scheduler: Scheduler          = first.fold(
    new Scheduler(chooser.getOrElse(new Chooser.Drawn(random, traits.stickPercent)), lane)
  )(_.scheduler)
  val source: Source =
    new Source(random, traits.buckets, if (first.isEmpty) "" else sinkId, surroundings.rejects)
  val checkpoint: Checkpoint = new Checkpoint(source)
  val outside: OtherPrograms = new OtherPrograms(this)
  val rule: CompleteRule     = setting.rule(SimRule.draw(seed, World.StartMillis))
  val announced: Announced   = new Announced(sinkId, rule, traits.compaction, file => oracle.isVisible(file))
  val oracle: Oracle         =
    new Oracle(
      source,
      traits.format,
      announced,
      surroundings.power,
      surroundings.store,
      surroundings.log,
      sinkId
    )

  // Where every schedule is walked, the clock stands still, so that states can be equal.
  private val isWalked = chooser.nonEmpty

  private lazy val remembered = new Fingerprint.Cached

  private val ground    = first.getOrElse(this)
  private var nowMillis = World.StartMillis
  private var runs      = 0
  private var trouble   = true
  private var touches   = false
  private var atStep    = (_: Step) => ()
  private var atOpening = () => ()
  private val lines     = ArrayBuffer.empty[String]

  val disk: Disk = first.fold(new Disk(oracle, () => nowMillis, surroundings.power))(_.disk)
  if (first.nonEmpty) disk.watched(sinkId, oracle)

  private lazy val places = new MountPoints(this)

  /** What the process at work sees at the path. */
  def place: PathView = surroundings.mounts match {
    case Mounts.Stay      => steady
    case Mounts.ComeAndGo => places.seen
  }

  private lazy val steady = new PathView(disk, oracle, isTheDisk = true)

  /** The disk may be away, and come back. */
  def mount(): Unit = surroundings.mounts match {
    case Mounts.Stay      => ()
    case Mounts.ComeAndGo => places.maybe()
  }

  /** Whether a process may fail because it does not see what it knows to be there. */
  def hasOtherPlaces: Boolean = surroundings.mounts != Mounts.Stay

  /** Only reads: time passes by [[pass]]. */
  val clock: Clock = new Clock {
    override def millis(): Long        = ground.nowMillis + skewMillis
    override def elapsedMillis(): Long = ground.nowMillis
  }

  /** Each process has a clock of its own, which is set every now and then. */
  private def skewMillis: Long = surroundings.mounts match {
    case Mounts.Stay      => 0
    case Mounts.ComeAndGo =>
      val process = scheduler.current.process.name.hashCode.toLong
      Math.floorMod(
        (process + scheduler.steps / World.StepsOfClock) * World.Spread,
        2 * World.MostSkewMillis
      ) -
        World.MostSkewMillis
  }

  /** What the batch jobs under the path have reported. */
  val jobs: JobOrder = first.fold(new JobOrder)(_.jobs)

  /** The world of another sink id in the same directory. */
  def beside(sinkId: String): World = new World(seed, lane, tracing, setting, chooser, sinkId, Some(ground))

  val faults: Faults = new Faults {
    override def at(step: Step): Unit = {
      ground.atStep(step)
      pause(step.name)
      if (strikes()) {
        note(s"fault at ${step.name}")
        throw new InjectedFault(step)
      }
    }
  }

  /** So that the dice of two sinks fall differently. */
  def ofSink: Long = if (first.isEmpty) 0L else 1L

  /** What may happen when somebody reaches a step of the protocol. */
  def onStep(action: Step => Unit): Unit = atStep = action

  /** What may happen when somebody has opened a part in place, and has not written to it yet. */
  def onOpening(action: () => Unit): Unit = atOpening = action

  /** A part has been opened in place. */
  def opened(): Unit = {
    ground.atOpening()
    pause("opened")
  }

  def pass(millis: Long): Unit = ground.nowMillis += millis

  /** From here on nothing fails and nobody dies, other than by what happened before. */
  def calm(): Unit = ground.trouble = false

  def isTroubled: Boolean = ground.trouble

  def nextRun(): RunId = {
    ground.runs += 1
    oracle.runStarted()
    RunId(f"${ground.runs}%012d")
  }

  /** A step that touches no storage. */
  def pause(what: => String): Unit = step(what, touching = false)

  private def step(what: => String, touching: Boolean): Unit = {
    if (!isWalked) pass(1)
    ground.touches = touching
    scheduler.pause()
    note(what)
  }

  /** Whether the step that is about to be taken touches the storage. */
  def touchesStorage: Boolean = touches

  /** A step on the storage: it may fail before it has an effect, and also after. */
  def op[A](what: => String)(effect: => A): A = {
    step(what, touching = true)
    if (!strikes()) saw(effect)
    else if (random.nextBoolean()) throw failure(what, "failed before")
    else {
      effect
      throw failure(what, "failed after")
    }
  }

  /** The same on something that nobody else knows of before a record names it. Where every schedule is walked, others do not
    * come in between: whether they come before or after it is all the same to them.
    */
  def own[A](what: => String)(effect: => A): A =
    if (chooser.forall(_.stopsAtOwn)) op(what)(effect)
    else {
      pause(what)
      saw(effect)
    }

  /** What is unfinished, as its sweeper gets to see it: where the clock stands still, all of it is too young for him. */
  def unfinished(files: Iterator[Inode]): Iterator[Inode] = if (isWalked) Iterator.empty else listed(files)

  /** What an actor looks at beside the answers of the storage, or the answer of one. */
  def saw[A](value: => A): A =
    if (!isWalked) value
    else
      try {
        val seen = value
        scheduler.current.learns(Fingerprint.of(seen))
        seen
      } catch {
        case NonFatal(e) =>
          scheduler.current.learns(Fingerprint.of(e))
          throw e
      }

  /** Something that nobody else in this world makes, in whatever order they come. */
  def unique(): String = {
    val actor = scheduler.current
    actor.names += 1
    if (isWalked) s"${actor.birth}-${actor.names}" else disk.unique()
  }

  /** A step that creates something unless it is there; answers whether it did, as far as the storage tells. */
  def once(what: => String)(isFree: => Boolean)(create: => Unit): Boolean = op(what) {
    isFree && {
      create
      outside.hearsOfIt(what)
    }
  }

  /** Everything that is, but for the actors: equal in two schedules that have come to the same. */
  def fingerprint: Long =
    Fingerprint.of(
      (
        disk.fingerprint(remembered),
        oracle.fingerprint(remembered),
        checkpoint.fingerprint,
        source.fingerprint,
        jobs.fingerprint
      )
    )

  /** In the order of the world's directories. */
  def listed[A](files: Iterator[A]): Iterator[A] = surroundings.listing match {
    case Listing.OldestFirst => files
    case Listing.NewestFirst => files.toVector.reverseIterator
  }

  /** Whether a checkpoint may be behind the log, so that an operator has to bring a newer one. */
  def hasOtherCheckpoints: Boolean = surroundings.checkpoint != CheckpointFate.Kept || isRewound

  /** Whether an operator sets log and checkpoint back: a driver that has read the checkpoint before is refused then. */
  def isRewound: Boolean = surroundings.tools.contains(Operator.Rewind)

  /** Whether readers do what only a durable mark after each part would allow: they take what a crash keeps from being
    * noted or marked, or what has lost its mark with the power (decision 0003).
    */
  def excusesLostParts: Boolean = surroundings.readers == Readers.AtOnce

  /** Returns whether the record of this file is marked, or older than the newest record, which proves the same. */
  def isCarriedOut(file: String): Boolean = oracle.newest.forall { record =>
    disk.log(sinkId).marks(record.seq) || !record.publish.exists(_.finishedPath == file)
  }

  /** Error: `STOPLOG_STORE_WRITE` for a finished file that can never be moved or deleted. */
  def refuseToMove(path: String): Unit = surroundings.refusals match {
    case Refusals.OtherDevice(directory) if path.startsWith(s"$directory/") =>
      throw Errors.storeWrite(path, World.Refused, new IOException("Invalid cross-device link"))
    case Refusals.NoRight(directory) if path.startsWith(s"$directory/") =>
      throw Errors.storeWrite(path, World.Refused, new AccessDeniedException(path))
    case _ => ()
  }

  /** Whether files have names that can be made and taken away one by one. */
  def isDisk: Boolean = surroundings.store != StoreKind.Copying

  def note(what: => String): Unit = if (tracing == Tracing.On) {
    val who = scheduler.current
    ground.lines += f"${scheduler.steps}%6d ${clock.millis() - World.StartMillis}%9d ms  ${who.process.name}%-12s ${who.name}%-26s $what"
  }

  def trace: Vector[String] = ground.lines.toVector

  private def strikes(): Boolean = isTroubled && random.nextInt(10000) < traits.faultsPerTenThousand

  private def failure(what: String, how: String): RuntimeException = {
    note(s"$what: $how it took effect")
    Errors.storeWrite(what, World.Injected, new IOException(World.Injected))
  }
}

object World {

  private val StepsOfClock   = 100
  private val Spread         = 7919L * 1009L
  private val MostSkewMillis = 60 * 60 * 1000L
  val StartMillis: Long      = 1000000000000L

  /** In the message of a failure that does not pass. */
  val Refused: String = "Operation not permitted"

  /** In the message of a failure that the world made up. */
  val Injected: String = "injected failure"
}

/** Whether a schedule keeps a readable account of its steps. */
sealed trait Tracing
object Tracing {
  case object On  extends Tracing
  case object Off extends Tracing
}
