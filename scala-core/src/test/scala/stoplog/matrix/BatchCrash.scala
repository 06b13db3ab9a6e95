// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit._
import stoplog.fault.{Faults, Step}
import stoplog.log.CommitLog
import stoplog.part.{PartNaming, RunId}
import stoplog.plan.Attempt
import stoplog.thread.{Clock, Parallel}
import stoplog.writing.{SpoolWriter, TaskWriter}

/** A batch job, killed at one point, and the next job that finds what it left.
  *
  * Readers must see what its [[BatchMode]] says once the next job has looked; before that, a row at most once.
  */
final case class BatchCrash(site: Scenario, mode: BatchMode, at: CrashPoint.At) {
  import BatchCrash._

  def verdict(): Verdict = {
    val place = site.newPlace()
    val doom  = new CrashPoint(Some(at))
    try {
      old(place)
      val victim = new Thread(() => untilBuried(write(mode, place, doom)))
      victim.setDaemon(true)
      victim.start()
      doom.awaitStruckOrEnd(victim)
      place.processesDied()
      // its records are the last to go once it is over
      val decides   = if (mode.replacing == JobCommit.Replacing.Nothing) Name else Replacements.SinkId
      val isDecided = at.step == Step.MidRemove || place.records(decides, Faults.none).list().nonEmpty
      val between   = twice(rows(place))
      new Replacements(
        place.logs(Faults.none),
        CompletionCheck.followUps(place, Name),
        LostPart.Fail,
        tools(Faults.none, DaysLater)
      )
        .recover()
      rollForward(place, Faults.none, JobAnnouncements.Nothing)
      Verdict(doom.struck, between ++ problems(place, isDecided))
    } finally {
      place.remove()
      doom.bury()
    }
  }

  private def problems(place: Place, isDecided: Boolean): Vector[String] = {
    val found  = rows(place)
    val wanted = mode.rows(isDecided, oldRows, newRows(mode))
    val wrong  = if (found.sorted == wanted.sorted) Vector.empty else Vector(s"found $found, wanted $wanted")
    wrong ++ (if (isDecided)
                left(place) ++ CompletionCheck.problemsOfJob(place, buckets.filter(mode.writes), Name)
              else Vector.empty)
  }

  /** A job that has been carried out is tidied away; what is left of one that had not decided is out of sight. */
  private def left(place: Place): Vector[String] =
    place.files().filter(_.startsWith(s"_stoplog/$Name/")).map(_ + " was left")
}

object BatchCrash {
  private[matrix] val Name = "batch-1"

  /** By when nobody can be writing any more, where that cannot be told otherwise. */
  private val DaysLater = new ManualClock(System.currentTimeMillis() + 3 * 24 * 60 * 60 * 1000L)

  private val buckets = Vector("a", "b", "")
  private val oldRows = buckets.map(bucket => s"old row of '$bucket'")
  private val newRows = (0 until 12).toVector.map(number => s"new row $number of '${bucketOf(number)}'")

  private def newRows(mode: BatchMode): Vector[String] =
    newRows.zipWithIndex.collect { case (row, number) if mode.writes(bucketOf(number)) => row }

  private def bucketOf(row: Int): String = buckets(row / 2 % buckets.size)

  /** How often an undisturbed job passes each step. */
  def occurrences(site: Scenario, mode: BatchMode): Map[Step, Int] = {
    val place = site.newPlace()
    val doom  = new CrashPoint(None)
    try {
      old(place)
      write(mode, place, doom)
      val wanted = mode.rows(isDecided = true, oldRows, newRows(mode)).sorted
      require(wanted == rows(place).sorted, s"an undisturbed job left ${rows(place)}")
      doom.occurrences
    } finally place.remove()
  }

  private def old(place: Place): Unit = buckets.zip(oldRows).foreach { case (bucket, row) =>
    place.plant(Seq(bucket, "old.txt").filter(_.nonEmpty).mkString("/"), place.content.file(row))
  }

  private def untilBuried(job: => Unit): Unit =
    try job
    catch { case _: CrashPoint.Buried => () }

  /** Writes all rows. */
  private[matrix] def write(
      mode: BatchMode,
      place: Place,
      faults: Faults,
      announcements: JobAnnouncements = JobAnnouncements.Nothing
  ): Unit = {
    val batch = job(place, faults, Clock.system, announcements)
    val plan  = batch.begin(slots = 2)
    val done  = (0 until 2).map { slot =>
      val writer = new TaskWriter[String](
        plan.forTask(slot, Attempt.First),
        place.parts(Name, faults),
        new SpoolWriter(place.spoolFiles(Name), faults),
        place.content.format(place.spoolFiles(Name)),
        TaskWriter.Rules(JobPolicy(MatrixPolicy), PartNaming("part", ".txt"), 2, _ => (), () => ()),
        TaskWriter.Tools(Clock.system, faults)
      )
      newRows.zipWithIndex.filter(row => row._2 % 2 == slot && mode.writes(bucketOf(row._2))).foreach {
        case (row, n) =>
          writer.write(bucketOf(n), row)
      }
      writer.commit()
    }
    batch.commit(done, mode.replacing): Unit
  }

  /** Finishes the job's work in another process, when no process can be writing any more. */
  private[matrix] def rollForward(place: Place, faults: Faults, announcements: JobAnnouncements): Unit =
    job(place, faults, DaysLater, announcements).rollForward()

  private def job(
      place: Place,
      faults: Faults,
      clock: Clock,
      announcements: JobAnnouncements
  ): JobCommit = new JobCommit(
    RunId.random(),
    SinkIdentity(place.root, Name, Name),
    SinkStores.of(new CommitLog(place.records(Name, faults)), place.parts(Name, faults)),
    place.job(Name),
    place.logs(faults),
    tools(faults, clock),
    JobCommit.Rules(CompletionCheck.followUps(place, Name), announcements = announcements)
  )

  private def tools(faults: Faults, clock: Clock) =
    DriverTools(clock, faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)

  private def rows(place: Place): Vector[String] =
    place.files().filter(Oracle.isVisible).flatMap(file => place.content.lines(place.read(file)))

  private def twice(rows: Vector[String]): Vector[String] =
    rows.diff(rows.distinct).map(row => s"'$row' is there twice before anybody looks")
}
