// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{Finish, LostPart}
import stoplog.log.LogRules

/** What a world is made of besides what its seed draws: the kind of store, and who else works on it. */
final case class WorldConditions(
    store: StoreKind = StoreKind.Replacing,
    answers: Answers = Answers.Once,
    listing: Listing = Listing.OldestFirst,
    readers: Readers = Readers.Patient,
    copiers: Copiers = Copiers.None,
    markers: MarkerAnswers = MarkerAnswers.Reliable,
    checkpoint: CheckpointFate = CheckpointFate.Kept,
    power: PowerTakes = PowerTakes.Bytes,
    jobs: Jobs = Jobs.Repeated,
    onLost: LostPart = LostPart.Fail,
    tools: Vector[Operator.Act] = Vector(Operator.Finalize, Operator.Clean),
    sinkIds: Vector[String] = Vector(DiskLog.Main),
    log: LogRules = LogRules.standard,
    refusals: Refusals = Refusals.Nowhere,
    unfinished: Unfinished = Unfinished.InStaging,
    cutting: Cutting = Cutting.Allowed,
    onRestart: Finish = Finish.KeepOpen,
    rejects: Rejects = Rejects.Off,
    mounts: Mounts = Mounts.Stay
)

/** Whether the disk of the path stays where it is. */
sealed trait Mounts extends Product with Serializable
object Mounts {
  case object Stay extends Mounts

  /** It is away for a while, for one process or for all of them, and the clocks of processes differ. */
  case object ComeAndGo extends Mounts
}

/** Whether finished files of a directory can never be moved or deleted. */
sealed trait Refusals extends Product with Serializable
object Refusals {
  case object Nowhere extends Refusals

  /** The directory is on another device, which a look shows. */
  final case class OtherDevice(directory: String) extends Refusals

  /** The process has no right to change the directory, which only a try shows. */
  final case class NoRight(directory: String) extends Refusals
}

/** Where unfinished parts are. */
sealed trait Unfinished extends Product with Serializable
object Unfinished {
  case object InStaging extends Unfinished

  /** Under hidden names, next to the finished files of their bucket. */
  case object InBuckets extends Unfinished
}

/** Whether the store cuts a file that is longer than its record says. */
sealed trait Cutting extends Product with Serializable
object Cutting {
  case object Allowed extends Cutting

  /** A companion of the finished file says how many bytes count. */
  case object ByCompanion extends Cutting
}

/** How a closed part becomes visible. */
sealed trait StoreKind extends Product with Serializable
object StoreKind {

  /** A file is renamed in one step, which would replace what is there, so a look comes first (local disks). */
  case object Replacing extends StoreKind

  /** The same, and what is there keeps its name (HDFS). */
  case object Renaming extends StoreKind

  /** An upload is completed that was begun before the record, which can be done once (S3). */
  case object Copying extends StoreKind

  val all: Vector[StoreKind] = Vector(Replacing, Renaming, Copying)
}

/** What somebody hears who creates something unless it is there. */
sealed trait Answers extends Product with Serializable
object Answers {

  /** That he did, or did not. */
  case object Once extends Answers

  /** Sometimes that it was there, when it was he who made it: a library asks again that gets no answer. */
  case object Repeated extends Answers
}

/** In which order a directory tells its files. */
sealed trait Listing extends Product with Serializable
object Listing {
  case object OldestFirst extends Listing
  case object NewestFirst extends Listing
}

/** When somebody takes finished files away. */
sealed trait Readers extends Product with Serializable
object Readers {

  /** Never. */
  case object Patient extends Readers

  /** As soon as they are visible. */
  case object AtOnce extends Readers

  /** Takes files of marked records only: such a file never counts as lost. */
  case object ByMark extends Readers

  /** As soon as a manifest lists them. */
  case object ByManifest extends Readers

  /** As soon as their bucket has a marker. */
  case object ByMarker extends Readers
}

/** Whether somebody copies the directory by hard links, as backups do. */
sealed trait Copiers extends Product with Serializable
object Copiers {
  case object None    extends Copiers
  case object Linking extends Copiers
}

/** The response of the storage to the creation of a marker. */
sealed trait MarkerAnswers extends Product with Serializable
object MarkerAnswers {
  case object Reliable extends MarkerAnswers

  /** Each marker is created, and its creator fails, until the world calms down. */
  case object Failing extends MarkerAnswers
}

/** What happens to the query's checkpoint. */
sealed trait CheckpointFate extends Product with Serializable
object CheckpointFate {
  case object Kept extends CheckpointFate

  /** A power loss takes its last entries, which nobody forced to the disk. */
  case object LostWithPower extends CheckpointFate

  /** Somebody puts a backup in its place, when no driver lives. */
  case object Restored extends CheckpointFate

  /** Somebody does so while one may be alive. */
  case object RestoredBesideDriver extends CheckpointFate

  /** Somebody starts the query on a copy of it, beside the original. */
  case object Cloned extends CheckpointFate
}

/** What a power loss can take. */
sealed trait PowerTakes extends Product with Serializable
object PowerTakes {

  /** Bytes that were not forced to the disk. */
  case object Bytes extends PowerTakes

  /** Names, too: of files, of records and of marks, made or taken away. */
  case object Names extends PowerTakes
}

/** What becomes of a job one of whose tasks does not answer. */
sealed trait Jobs extends Product with Serializable
object Jobs {

  /** Its task is repeated. */
  case object Repeated extends Jobs

  /** Half the time it is given up, and its driver goes on. */
  case object GivenUp extends Jobs
}
