// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.{LogFiles, RecordCodec, RecordKind}
import stoplog.part.{Closed, Publish, Resume, RunId}
import stoplog.plan.{EpochPlan, TaskResult}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage.PutOutcome
import stoplog.storage._

/** The mutations that the simulator has to catch. */
object Mutations {

  /** A run begins without a claim in the log: nobody older is fenced. */
  object NoClaim extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      private var claim = Option.empty[(Long, Array[Byte])]

      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = kindOf(bytes) match {
        case RecordKind.Claim =>
          claim = Some(seq -> bytes)
          PutOutcome.Created
        case _ => super.putIfAbsent(seq, bytes)
      }

      // This run alone believes in its claim, until a record is there that does away with it.
      override def list(): Vector[Long] = {
        val there = super.list()
        there ++ claim.map(_._1).filter(seq => there.lastOption.forall(_ < seq))
      }

      override def read(seq: Long): Option[Array[Byte]] =
        super.read(seq).orElse(claim.collect { case (`seq`, bytes) => bytes })
    }
  }

  /** An abort cleans up what the messages name, as Spark's own interface invites one to do. */
  object AbortDeletesResults extends Mutation {
    override def afterAbort(plan: EpochPlan, results: Seq[TaskResult], parts: PartStore): Unit =
      results.foreach { result =>
        result.closed.foreach(part => parts.discard(part.handle.token))
        result.open.foreach(part => parts.discard(part.handle.token))
      }
  }

  /** An abort cleans up what the tasks were given. */
  object AbortDeletesHanded extends Mutation {
    override def afterAbort(plan: EpochPlan, results: Seq[TaskResult], parts: PartStore): Unit =
      plan.handed.valuesIterator.flatten.foreach(part => parts.discard(part.handle.token))
  }

  /** Nobody asks whether writers of older runs are alive. */
  object OthersAlwaysGone extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def othersGone(run: RunId): Boolean = true
    }
  }

  /** Nobody announces that he writes. */
  object NoLease extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def enter(run: RunId): AutoCloseable = () => ()
    }
  }

  /** A record counts as soon as it is created, even if the log has newer records and was trimmed. */
  object NoLookBack extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      private var created = Option.empty[Long]

      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        val outcome = super.putIfAbsent(seq, bytes)
        created = if (outcome == PutOutcome.Created) Some(seq) else None
        outcome
      }

      override def list(): Vector[Long] = created match {
        case Some(seq) =>
          created = None
          Vector.range(0L.max(seq - world.surroundings.log.records), seq + 1)
        case None => super.list()
      }
    }
  }

  /** Parts become visible, and then it is decided that they do. */
  object PublishBeforeRecord extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = {
      records match {
        case early: PublishingRecords => early.parts = Some(real)
        case _                        => ()
      }
      real
    }

    override def records(world: World, real: LogFiles): LogFiles = new PublishingRecords(real)
  }

  /** The sweeper looks at the log first, and lists the unfinished files later. */
  object LogBeforeListing extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RememberingRecords(real)

    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def staged(): Vector[Staged] = {
        val oldBefore = world.clock.millis() - GraceMillis
        records match {
          case remembering: RememberingRecords =>
            remembering.remember()
            val staged = super.staged()
            if (!staged.exists(_.modifiedAtMillis < oldBefore))
              remembering.forget() // it will not look at the log
            staged
          case _ => super.staged()
        }
      }
    }
  }

  /** A second attempt goes on in the file that the first one may still write. */
  object RepeatedInPlace extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
        real.resume(open, validBytes)
    }
  }

  /** The driver closes parts where they stand, whoever may still write them. */
  object NoIsolation extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed = Closed(open.token)
    }
  }

  /** A record is marked as published before it is. */
  object AlwaysMarked extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def isPublished(seq: Long): Boolean = true
    }
  }

  private val GraceMillis = 11 * 60 * 1000L

  private def kindOf(bytes: Array[Byte]): RecordKind =
    WholeRecords.stored(bytes).decision.kind

  private final class PublishingRecords(real: LogFiles) extends RecordsOver(real) {
    var parts: Option[PartStore] = None

    override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
      RecordCodec.read(bytes).map(_.decision).foreach { record =>
        record.publish.filter(_.sizeBytes > 0).foreach { part =>
          parts.foreach(_.publish(part.handle, part.sizeBytes, part.finishedPath))
        }
      }
      super.putIfAbsent(seq, bytes)
    }
  }

  /** Answers the next look at the log with what it held before. */
  private final class RememberingRecords(real: LogFiles) extends RecordsOver(real) {
    private var remembered = Option.empty[(Long, Array[Byte])]

    def remember(): Unit =
      remembered = real.list().lastOption.flatMap(seq => real.read(seq).map(seq -> _))

    def forget(): Unit = remembered = None

    override def list(): Vector[Long] = remembered.fold(super.list()) { case (seq, _) => Vector(seq) }

    override def read(seq: Long): Option[Array[Byte]] = remembered match {
      case Some((`seq`, bytes)) =>
        remembered = None
        Some(bytes)
      case _ => super.read(seq)
    }
  }
}

/** A record store that passes everything on. */
class RecordsOver(real: LogFiles) extends LogFiles(NoFiles, "main") {
  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = real.putIfAbsent(seq, bytes)
  override def read(seq: Long): Option[Array[Byte]]                   = real.read(seq)
  override def list(): Vector[Long]                                   = real.list()
  override def delete(seqs: Seq[Long]): Unit                          = real.delete(seqs)
  override def unmark(seqs: Seq[Long]): Unit                          = real.unmark(seqs)
  override def markPublished(seq: Long): PutOutcome                   = real.markPublished(seq)
  override def isPublished(seq: Long): Boolean                        = real.isPublished(seq)
  override def note(seq: Long, number: Int): Option[Array[Byte]]      = real.note(seq, number)
  override def describe(seq: Long): String                            = real.describe(seq)

  override def putNote(seq: Long, number: Int, bytes: Array[Byte]): PutOutcome =
    real.putNote(seq, number, bytes)
}

/** A part store that passes everything on. */
class PartsOver(real: PartStore) extends PartStore {
  override def create(part: NewPart): PartOutput = real.create(part)

  override def resume(open: Resume, validBytes: Long): PartOutput = real.resume(open, validBytes)

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
    real.takeOver(open, validBytes, part)

  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    real.isolate(open, validBytes, part)

  override def claimed(open: Resume): Resume = real.claimed(open)

  override def closed(open: Resume, validBytes: Long): Publish = real.closed(open, validBytes)

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome =
    real.publish(part, sizeBytes, finishedPath)

  override def staged(): Vector[Staged]         = real.staged()
  override def isStaged(token: String): Boolean = real.isStaged(token)

  override def refuseLost(tokens: Seq[String]): Unit = real.refuseLost(tokens)

  override def isLost(open: Resume): Boolean = real.isLost(open)

  override def discard(token: String): Unit = real.discard(token)

  override def stagedOf(token: String): Set[String] = real.stagedOf(token)

  override def enter(run: RunId): AutoCloseable = real.enter(run)
  override def othersGone(run: RunId): Boolean  = real.othersGone(run)

  override def toleratesLateWriters: Boolean = real.toleratesLateWriters
}
