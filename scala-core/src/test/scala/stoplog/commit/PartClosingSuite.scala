// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.fault.{Faults, Step}
import stoplog.log.{CommitLog, MemoryRecords}
import stoplog.part.{Open, Pending, RunId, SchemaId, SpoolFile, Spooled}
import stoplog.rolling.RollReason
import stoplog.storage.NewPart
import stoplog.thread.{Clock, Parallel}
import stoplog.writing.{PartBuffer, PartEncoder, PartFormat, Unflushed}

class PartClosingSuite extends AnyFunSuite {

  private val mebi = 1L << 20

  test("large parts are finished in parallel within the limits of processors and memory") {
    assert(OpenParts.atOnce(Seq(83 * mebi, 80 * mebi), heapBytes = 2048 * mebi, processors = 2) === 2)
    assert(OpenParts.atOnce(Seq(64 * mebi), heapBytes = 2048 * mebi, processors = 8) === 4)
    assert(OpenParts.atOnce(Seq(5 * mebi, 256 * mebi), heapBytes = 2048 * mebi, processors = 8) === 1)
  }

  test("at least one part is finished at a time, even above the memory limit") {
    assert(OpenParts.atOnce(Seq(4096 * mebi), heapBytes = 512 * mebi, processors = 2) === 1)
    assert(OpenParts.atOnce(Seq.empty, heapBytes = 512 * mebi, processors = 2) === 2)
  }

  /** Ends a part with the names of the files beside it. */
  private object Named extends PartFormat[Any] {
    override def begin(name: String, end: PartBuffer): PartEncoder[Any] = resume(name, end, Spooled.nothing)

    override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[Any] =
      new PartEncoder[Any] {
        override def append(row: Any): Unit = throw new UnsupportedOperationException
        override def sizeBytes: Long        = end.position
        override def pause(): Unflushed     = Unflushed.nothing
        override def finish(): Unit         = end.write(spooled.files.map(_.token).mkString.getBytes)
        override def close(): Unit          = ()
      }
  }

  private final class Fixture(mayWrite: Long => Unit = _ => ()) {
    val parts          = new MemoryParts
    val steps          = mutable.ArrayBuffer.empty[Step]
    private val faults = new Faults {
      override def at(step: Step): Unit = steps += step
    }
    private val stored = new OpenParts.Stored(
      mine,
      SinkStores.of(new CommitLog(new MemoryRecords), parts),
      () => Named,
      LostPart.Fail,
      mayWrite,
      DriverTools(Clock.system, faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
    )

    /** An open part of four bytes, beside which these many are kept. */
    def open(name: String, storageBytes: Long, owner: Option[RunId] = Some(mine)): Open = {
      val output = parts.create(NewPart("b", name, mine))
      output.write("old:".getBytes, 0, 4)
      Samples
        .withRows(Samples.open(name, token = output.persist().token, owner = owner))(
          _.copy(schema = Some(SchemaId("columns")))
        )
        .copy(spooled =
          if (storageBytes == 0) Spooled.nothing
          else Spooled("", Vector(SpoolFile(s"rows of $name", 9, 0)), storageBytes)
        )
    }

    def close(open: Open*): Vector[Pending] = {
      parts.forgetCalls()
      stored.fencedAndClosed(open.toVector.map(EpochOutcome.PartToClose(_, RollReason.Age)), newestSeq = 8)
    }
  }

  test("the closing run writes a part's missing rows before closing the part") {
    val looks   = mutable.ArrayBuffer.empty[Long]
    val world   = new Fixture(looks += _)
    val pending = world.close(world.open("1", 5), world.open("2", 5, owner = None))
    assert(
      pending.map(part => world.parts.content(part.handle.token)) === Seq("old:rows of 1", "old:rows of 2")
    )
    assert(pending.map(_.sizeBytes) === Seq(13L, 13L))
    assert(pending.map(_.schema).toSet === Set(Some(SchemaId("columns"))))
    assert(pending.map(_.reason).toSet === Set(RollReason.Age))
    assert(world.parts.calls.take(2) === Seq("enter", "resume t1 at 4"))
    assert(world.parts.calls.contains("takeOver t2 at 4"))
    assert(looks === Seq(8L) && world.parts.leasesHeld === 0)
    assert(world.steps === Seq(Step.PartEnded, Step.PartEnded))
  }

  test("a fenced run writes nothing and releases the writer lease") {
    val world = new Fixture(_ => throw new IllegalStateException("fenced"))
    intercept[IllegalStateException](world.close(world.open("1", 5)))
    assert(world.parts.calls === Seq("enter") && world.parts.leasesHeld === 0)
  }

  test("complete parts are closed first, then small parts are finished, then large parts") {
    val world = new Fixture
    val parts = Seq("1" -> (4 * mebi + 1), "2" -> 4 * mebi, "3" -> 0L)
    val names = world.close(parts.map { case (name, bytes) => world.open(name, bytes) }: _*).map(_.name)
    assert(names === Seq("3", "2", "1"))
  }

  test("skips the fencing check if no part lacks rows") {
    val world = new Fixture(_ => throw new IllegalStateException("fenced"))
    assert(world.close(world.open("1", 0)).map(_.sizeBytes) === Seq(4L))
    assert(!world.parts.calls.contains("enter"))
  }
}
