package stoplog.matrix

import java.nio.file.Files

import stoplog.commit._
import stoplog.fault.{Faults, Step}
import stoplog.part.{PartNaming, RunId}
import stoplog.store.local._

/** A batch job that replaces what is there, killed at one point, and the next job that finds what it left.
  *
  * Readers must see all of the old rows or all of the new ones once the next job has looked; before that, a row
  * at most once.
  */
final case class BatchCrash(content: Content, at: Doom.At) {
  import BatchCrash._

  def verdict(): Verdict = {
    val place = new Place(Layout.Staging, content)
    val doom  = new Doom(Some(at))
    try {
      old(place)
      val victim = new Thread(() => untilBuried(replace(place, doom)))
      victim.setDaemon(true)
      victim.start()
      doom.awaitStruckOrEnd(victim)
      DeadProcess.dropLocks(place.root)
      val decided =
        Files.exists(place.root.resolve("_stoplog").resolve(Name).resolve("log").resolve(FirstRecord))
      val between = twice(rows(place))
      job(place, Faults.none).rollForward()
      val wanted   = if (decided || at.step == Step.AfterMark) newRows else oldRows
      val found    = rows(place)
      val problems =
        if (found.sorted == wanted.sorted) Vector.empty else Vector(s"found $found, wanted $wanted")
      Verdict(doom.struck, between ++ problems ++ left(place, decided))
    } finally {
      place.remove()
      doom.bury()
    }
  }

  /** A job that had decided is tidied away; one that had not is left alone for a day, out of sight. */
  private def left(place: Place, decided: Boolean): Vector[String] =
    if (decided && Files.exists(place.root.resolve("_stoplog").resolve(Name)))
      Vector("the job's directory is there")
    else Vector.empty
}

object BatchCrash {
  private val Name        = "batch-1"
  private val FirstRecord = "00000000000000000000.json"

  private val buckets = Vector("a", "b", "")
  private val oldRows = buckets.map(bucket => s"old row of '$bucket'")
  private val newRows = (0 until 12).toVector.map(number => s"new row $number")

  /** How often an undisturbed job passes each step. */
  def occurrences(content: Content): Map[Step, Int] = {
    val place = new Place(Layout.Staging, content)
    val doom  = new Doom(None)
    try {
      old(place)
      replace(place, doom)
      require(rows(place).sorted == newRows.sorted, s"an undisturbed job left ${rows(place)}")
      doom.occurrences
    } finally place.remove()
  }

  private def old(place: Place): Unit = buckets.zip(oldRows).foreach { case (bucket, row) =>
    val directory = place.root.resolve(bucket)
    Files.createDirectories(directory)
    val out = Files.newOutputStream(directory.resolve("old.txt"))
    try {
      val member = place.content.openMember(out)
      val stream = member.fold(out)(_.stream)
      place.content.begin(stream)
      place.content.encode(row, stream)
      member.foreach(_.finish())
    } finally out.close()
  }

  private def untilBuried(job: => Unit): Unit =
    try job
    catch { case _: Doom.Buried => () }

  private def replace(place: Place, faults: Faults): Unit = {
    val batch = job(place, faults)
    val plan  = batch.begin(slots = 2)
    val done  = (0 until 2).map { slot =>
      val writer = new TaskWriter[String](
        plan.forTask(slot, Attempt.First),
        store(place, faults),
        place.content,
        JobPolicy(MatrixPolicy),
        PartNaming("part", ".txt"),
        maxOpenParts = 2,
        Clock.system,
        faults,
        checkBucket = _ => (),
        mayStart = () => ()
      )
      newRows.zipWithIndex.filter(_._2 % 2 == slot).foreach { case (row, n) =>
        writer.write(buckets(n / 2 % 3), row)
      }
      writer.commit()
    }
    batch.commit(done, JobCommit.Replacing.Everything)
  }

  private def job(place: Place, faults: Faults): JobCommit = new JobCommit(
    RunId.random(),
    SinkIdentity(place.root.toString, Name, Name),
    new stoplog.log.CommitLog(new LocalRecords(place.root.toString, Name, Durability.Process, faults)),
    store(place, faults),
    new LocalJobStore(place.root.toString, Name, Durability.Process),
    SinkDriver.Tools(Clock.system, faults, Turn.semaphore(), Parallel.sequential, Retry.never)
  )

  private def store(place: Place, faults: Faults): LocalPartStore =
    new LocalPartStore(place.root.toString, Name, place.layout.local(Name), Durability.Process, faults)

  private def rows(place: Place): Vector[String] =
    LocalStorage
      .visible(place.root)
      .toVector
      .flatMap(file => place.content.lines(Files.readAllBytes(place.root.resolve(file))))

  private def twice(rows: Vector[String]): Vector[String] =
    rows.diff(rows.distinct).map(row => s"'$row' is there twice before anybody looks")
}
