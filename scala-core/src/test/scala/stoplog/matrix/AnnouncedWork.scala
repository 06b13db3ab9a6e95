// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit._
import stoplog.fault.{Faults, Step}
import stoplog.log.{LogRecord, RecordOutcome}

/** A query or a batch job whose files are announced. */
sealed abstract class AnnouncedWork(val name: String, val steps: Vector[Step])
    extends Product
    with Serializable {
  def newPlace(kind: AnnouncedPlace.Kind): AnnouncedPlace

  /** The process that does all the work, if nothing stops it. */
  def begin(at: AnnouncedPlace, faults: Faults): AnnouncedWork.Process

  /** The faults of the announcements after a process has ended by itself. */
  def problems(at: AnnouncedPlace): Vector[String]
}

object AnnouncedWork {

  /** One process. */
  trait Process {
    def go(): Unit

    /** The process that does what this process has left. */
    def next(faults: Faults): Process
  }

  /** Records are announced as soon as possible, or together with the next record. */
  final case class Query(content: Content)
      extends AnnouncedWork(
        s"a query (${content.name})",
        Step.ofAnnouncements.filterNot(_ == Step.AllAnnounced)
      ) {
    override def newPlace(kind: AnnouncedPlace.Kind): AnnouncedPlace =
      new AnnouncedPlace(Storage.Local.newPlace(Layout.Staging, content), Place.SinkId, kind)

    override def begin(at: AnnouncedPlace, faults: Faults): Process =
      new QueryProcess(at, Crash.clock(), faults, Checkpoint.empty, ProcessRun.planned)

    override def problems(at: AnnouncedPlace): Vector[String] = {
      val log      = at.log(Faults.none)
      val wanted   = SteppedAnnouncer.idsOf(log, at.announced(Faults.none))
      val received = at.target.received.map(_.id)
      val next     = log.newest().map(_.seq + 1)
      val cursor   = new AnnouncementCursor(at.place.notes(at.logName), at.logName, "out").read().map(_.next)
      wanted.diff(received).map(id => s"$id was not announced") ++
        received.diff(wanted).map(id => s"$id is in no record") ++
        Option.when(cursor != next)(s"the cursor is $cursor, not $next")
    }
  }

  /** A batch job that adds rows, and the next jobs under the path. */
  case object Append extends AnnouncedWork("a batch job", Step.ofAnnouncements) {
    override def newPlace(kind: AnnouncedPlace.Kind): AnnouncedPlace =
      new AnnouncedPlace(Storage.Local.newPlace(Layout.Staging, Content.Plain), BatchCrash.Name, kind)

    override def begin(at: AnnouncedPlace, faults: Faults): Process = new JobProcess(at, faults)

    override def problems(at: AnnouncedPlace): Vector[String] =
      at.place.files().filter(_.startsWith(s"_stoplog/${at.logName}/")).map(_ + " was left")
  }

  private final class QueryProcess(
      at: AnnouncedPlace,
      clock: ManualClock,
      faults: Faults,
      from: Checkpoint,
      runs: Seq[ProcessRun.Run]
  ) extends Process {
    @volatile private var job = Option.empty[Job]

    override def go(): Unit = runs.foreach { run =>
      val announcer = new SteppedAnnouncer(at.announced(faults), at.ofTarget, AnnouncedPlace.Limits, clock)
      val next      = new Job(at.place, clock, faults, checkpoint, eager(announcer))
      job = Some(next)
      resume(announcer)
      try next.go(run.epochs, run.finish)
      finally announcer.end()
    }

    override def next(faults: Faults): Process =
      new QueryProcess(at, clock, faults, checkpoint, ProcessRun.rest)

    /** A query that receives no data announces what is visible. */
    private def resume(announcer: SteppedAnnouncer): Unit = {
      val log = at.log(faults)
      log.newest().filter(log.isPublished).foreach(record => announcer.recovered(record.seq))
    }

    private def checkpoint: Checkpoint = job.fold(from)(_.checkpoint)

    private def eager(announcer: SteppedAnnouncer) = new Announcing {
      override def claimed(seq: Long): Unit                                    = announcer.claimed(seq)
      override def settled(record: LogRecord, outcome: => RecordOutcome): Unit = {
        announcer.settled(record, outcome)
        if (record.seq % 2 == 0) announcer.deliverAll()
      }
      override def recovered(newest: Long): Unit = announcer.recovered(newest)
      override def keepFrom(newest: Long): Long  = announcer.keepFrom(newest)
    }
  }

  /** The thread of the target is the announcer's own. */
  private final class JobProcess(at: AnnouncedPlace, faults: Faults) extends Process {
    override def go(): Unit = {
      val announcer = started(at, faults)
      BatchCrash.write(
        BatchMode.Append,
        at.place,
        faults,
        new JobAnnouncements {
          override def own: Announcing                  = announcer
          override def replacements: Announcing         = Announcing.Nothing
          override def end(): Boolean                   = announcer.end()
          override def rest(newest: LogRecord): Boolean = true
        }
      )
    }

    override def next(faults: Faults): Process = new NextJob(at, faults)
  }

  /** Finishes the work of the job, some days later. */
  private final class NextJob(at: AnnouncedPlace, faults: Faults) extends Process {
    override def go(): Unit = BatchCrash.rollForward(
      at.place,
      faults,
      new JobAnnouncements {
        override def own: Announcing                  = Announcing.Nothing
        override def replacements: Announcing         = Announcing.Nothing
        override def end(): Boolean                   = true
        override def rest(newest: LogRecord): Boolean = {
          val announcer = started(at, faults)
          announcer.recovered(newest.seq)
          announcer.end()
        }
      }
    )

    override def next(faults: Faults): Process = new NextJob(at, faults)
  }

  private def started(at: AnnouncedPlace, faults: Faults): Announcer =
    Announcer.start(at.announced(faults), Vector(at.ofTarget), AnnouncedPlace.Limits, next = Some(0))
}
