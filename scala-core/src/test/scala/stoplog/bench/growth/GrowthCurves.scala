// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.growth

import java.io.File

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

import stoplog.commit.{DriverWorld, Lines, Rolls}
import stoplog.plan.Attempt
import stoplog.rolling.{RollReason, RollingPolicy}
import stoplog.source.file.SourceWorld
import stoplog.writing.TaskWriters

/** What one epoch costs the driver, against what was there before: the number of calls of the storage.
  *
  * The driver and the source are those of production, over storages in memory. A count holds on each machine.
  */
object GrowthCurves {

  /** @param calls of the storage for one epoch, on average over [[Window]] epochs
    * @param bytes of the record of one epoch, the middle one of these epochs; 0 for a source
    */
  final case class Point(size: Int, calls: Double, bytes: Long)

  /** @param against what grows from point to point */
  final case class Curve(against: String, points: Seq[Point])

  /** Writes the four curves. Arguments: the file that gets the curves as JSON, and the sizes. */
  def main(arguments: Array[String]): Unit = {
    val curves = all(arguments.toSeq.tail.map(_.toInt))
    new ObjectMapper().registerModule(DefaultScalaModule).writeValue(new File(arguments.head), curves)
  }

  def all(sizes: Seq[Int]): Seq[Curve] = Seq(
    Curve("earlier epochs", sizes.map(ofEpochs)),
    Curve("open parts that are not touched", sizes.map(ofOpenParts)),
    Curve("finished files", sizes.map(ofFinishedFiles)),
    Curve("files that the source has seen", sizes.map(ofSeenFiles))
  )

  private def ofEpochs(size: Int): Point = {
    val sink = new Sink(Rolls.never)
    (1 to size).foreach(_ => sink.epoch(Seq("bucket")))
    sink.measured(size)
  }

  private def ofOpenParts(size: Int): Point = {
    val sink = new Sink(Rolls.never)
    sink.epoch((1 to size).map(n => s"quiet-$n"))
    sink.measured(size)
  }

  private def ofFinishedFiles(size: Int): Point = {
    val sink = new Sink(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    sink.epoch((1 to size).map(n => s"bucket-$n"))
    sink.measured(size)
  }

  /** In directories of a hundred files, none of which changes any more. */
  private def ofSeenFiles(size: Int): Point = {
    val world = new SourceWorld
    var calls = 0L
    world.files.clock = Some(() => world.now)
    world.state.beforePut = _ => calls += 1
    world.state.beforeOpen = _ => calls += 1
    (1 to size).foreach(n => world.files.put(s"seen-${n / 100}/$n", s"$n\n", n.toLong))
    world.now += Settled
    world.all()
    world.now += Settled
    world.batch() // lists each directory once more, after its time is certain
    calls = 0
    val (listed, opened) = (world.files.listings, world.files.opened.values.sum)
    (1 to Window).foreach { n =>
      world.files.put(s"new/$n", s"$n\n", size + n.toLong)
      world.now += 1
      world.batch()
    }
    calls += world.files.listings - listed + world.files.opened.values.sum - opened
    Point(size, calls.toDouble / Window, bytes = 0)
  }

  /** A sink of one task, and the calls of its storage. */
  private final class Sink(policy: RollingPolicy) {
    private val world       = new DriverWorld(policy)
    private val driver      = world.driver()
    private var ofLog       = 0L
    private var recordBytes = Vector.empty[Long]
    private var number      = 0L

    world.records.beforePut = _ => ofLog += 1
    world.records.afterPut = seq => recordBytes :+= world.records.read(seq).fold(0L)(_.length.toLong)
    world.records.beforeList = () => ofLog += 1
    world.records.beforeDelete = seqs => ofLog += seqs.size
    world.records.beforeUnmark = seqs => ofLog += seqs.size
    world.records.beforeMark = _ => ofLog += 1
    world.records.beforeNote = _ => ofLog += 1

    /** Writes a row to each of these buckets. */
    def epoch(buckets: Seq[String]): Unit = {
      world.clock.advance(1)
      val plan   = driver.begin(number, slots = 1)
      val writer = TaskWriters.of(
        plan.forTask(slot = 0, Attempt.First),
        world.parts,
        Lines,
        policy,
        world.clock,
        world.spoolFiles,
        maxOpenParts = Int.MaxValue
      )
      buckets.foreach(writer.write(_, "row"))
      driver.commit(number, Seq(writer.commit()))
      number += 1
    }

    /** Epochs that touch one bucket, once the log removes as many records as it gets. */
    def measured(size: Int): Point = {
      (1 to KeptRecords).foreach(_ => epoch(Seq("touched")))
      ofLog = 0
      recordBytes = Vector.empty
      world.parts.forgetCalls()
      (1 to Window).foreach(_ => epoch(Seq("touched")))
      Point(size, (ofLog + world.parts.calls.size).toDouble / Window, recordBytes.sorted.apply(Window / 2))
    }
  }

  /** Epochs of a point. Old records are removed together, about a hundred at a time. */
  final val Window = 1010

  /** More records than a log keeps. */
  private final val KeptRecords = 300

  /** The milliseconds after which the time of a directory is certain. */
  private final val Settled = 60000L
}
