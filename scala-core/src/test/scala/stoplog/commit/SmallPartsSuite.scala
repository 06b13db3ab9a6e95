// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Compaction.{Next, Replaced}
import stoplog.fault.Faults
import stoplog.log.{QueryEpoch, SinkState}
import stoplog.part.{Closed, FinishedPart, PartNaming, Pending}
import stoplog.rolling.RollReason
import stoplog.storage.{NoFiles, ReplacedFiles}

/** Which parts are merged, and what becomes of a merge whose inputs are no longer what they were. */
class SmallPartsSuite extends AnyFunSuite {

  test("small parts are recorded for compaction, except compacted parts and parts of former content") {
    val world   = new Fixture
    val reasons = Seq(RollReason.Size, SinkSettings.ContentChanged, Compaction.Reason)
    val publish = reasons.map(reason => Samples.done(reason.word).copy(reason = reason))
    val large   = Samples.done("large", sizeBytes = 50)
    val noted   = world.parts.noting(world.state(), publish.toVector :+ large)
    assert(noted.small.map(_.name) === Vector("size"))
  }

  test("a compacted part replaces its inputs") {
    val world = new Fixture
    val begun = world.begun()
    world.runner.end()
    val Next(state, replacement) = world.parts.next(begun, _ => false)
    val Replaced(merged, inputs) = replacement.get
    assert(inputs.parts === world.inputs)
    assert((merged.sizeBytes, merged.records, merged.reason) === ((80L, 2L, Compaction.Reason)))
    assert(state.small === Vector.empty)
  }

  test("a compaction replaces nothing if a reader took an input, and other inputs stay small") {
    for (now <- Seq(None, Some(39L))) {
      val world = new Fixture
      val begun = world.begun()
      world.runner.end()
      world.sizes = world.sizes.removed("b/1") ++ now.map("b/1" -> _)
      assert(world.parts.next(begun, _ => false) === Next(begun.copy(small = world.inputs.drop(1)), None))
    }
  }

  test("a compaction replaces nothing if the log no longer lists its inputs as small") {
    val world = new Fixture
    world.begun()
    world.runner.end()
    val without = world.state(world.inputs.last)
    assert(world.parts.next(without, _ => false) === Next(without, None))
  }

  test("the next compaction starts after the previous one, under a new name") {
    val world = new Fixture
    val begun = world.begun()
    world.runner.end()
    world.parts.next(begun, _ => false)
    assert(!world.parts.isCompacting)
    world.begun()
    assert(
      world.runner.started.map(_.part.name) === Vector(0, 1).map(n => s"part-${Samples.mine.uid}-m$n.txt")
    )
  }

  test("no compaction starts if no parts are due") {
    val world = new Fixture
    assert(world.parts.next(world.state(world.inputs.head), _ => false).replacement.isEmpty)
    assert(!world.parts.isCompacting && world.runner.started.isEmpty)
  }

  test("a small compacted part waits for the next compaction and counts its compactions") {
    val world = new Fixture(targetBytes = 120)
    val begun = world.begun(world.inputs(0), world.inputs(1).copy(compactions = 2))
    world.runner.end(sizeBytes = 49)
    val again = world.parts.next(begun, _ => false).state.small
    assert(
      again.map(part => (part.name, part.sizeBytes, part.compactions, part.epoch)) === Vector(
        (s"part-${Samples.mine.uid}-m0.txt", 49L, 3, 1000L)
      )
    )
  }

  test("a new small part starts at zero compactions and leaves the other parts unchanged") {
    val world = new Fixture
    val known = world.state(world.inputs.head)
    val noted = world.parts.noting(known, Vector(Samples.done("new")))
    assert(noted.small.map(part => part.name -> part.compactions) === Vector("1" -> 0, "new" -> 0))
    assert(world.parts.noting(known, Vector.empty) === known)
  }

  test("a failed compaction is retried twice without missing parts, and then dropped") {
    val world = new Fixture
    (1 to 2).foreach { _ =>
      val begun = world.begun()
      world.runner.fail()
      assert(world.parts.next(begun, _ => false) === Next(begun, None))
    }
    val last = world.begun()
    world.runner.fail()
    assert(world.parts.next(last, _ => false) === Next(world.state(), None))
    val gone = world.begun()
    world.runner.fail()
    world.sizes -= "b/1"
    assert(
      world.parts.next(gone, _ => false) === Next(world.state(world.inputs(1)), None),
      "it counts from 0 again"
    )
  }

  test("a successful compaction resets the number of failures") {
    val world          = new Fixture
    def failed(): Next = {
      val begun = world.begun()
      world.runner.fail()
      world.parts.next(begun, _ => false)
    }
    (1 to 2).foreach(_ => failed())
    val begun = world.begun()
    world.runner.end()
    world.parts.next(begun, _ => false)
    assert((1 to 2).map(_ => failed().state.small.size) === Seq(2, 2))
  }

  test("small parts are not compacted while a batch job overwrites the path") {
    val before = new Fixture
    before.free = false
    assert(before.parts.next(before.state(before.inputs: _*), _ => false) === Next(before.state(), None))
    assert(before.runner.started.isEmpty)
    val behind = new Fixture
    val begun  = behind.begun()
    behind.runner.end()
    behind.free = false
    assert(behind.parts.next(begun, _ => false) === Next(behind.state(), None))
  }

  test("a bucket is held while its parts arrive, are being compacted or wait for compaction") {
    val world = new Fixture
    val none  = world.parts.holds(world.state(), Set("c"))
    assert(none("c") && !none("b"))
    val waiting = world.parts.holds(world.state(world.inputs: _*), Set.empty)
    assert(waiting("b") && !waiting("c"))
    world.begun()
    val merging = world.parts.holds(world.state(), Set.empty)
    assert(merging("b") && !merging("c"))
  }

  /** Two parts of 40 bytes each, which are due. */
  private final class Fixture(targetBytes: Long = 80) {
    val inputs: Vector[FinishedPart] =
      Vector("1", "2").map(name => FinishedPart("b", name, sizeBytes = 40, records = 1, epoch = 0))

    var sizes: Map[String, Long] = inputs.map(part => part.path -> part.sizeBytes).toMap

    val runner = new ManualCompactionRunner

    /** Whether no batch job overwrites the path. */
    var free = true

    val parts = new SmallParts(
      Samples.mine,
      SmallParts.Choice(
        CompactionPolicy(smallerThanBytes = 50, targetBytes, afterEpochs = 10, minFiles = 2),
        PartNaming("part", ".txt"),
        isData = (_: Pending) => true
      ),
      runner,
      new Finished,
      () => free,
      new ManualClock(1000),
      Faults.none
    )

    def state(small: FinishedPart*): SinkState =
      SinkState(QueryEpoch("query-1", Some(1000)), Vector.empty, 0, Map.empty, small = small.toVector)

    /** With the merge of both parts under way. */
    def begun(): SinkState = begun(inputs: _*)

    def begun(small: FinishedPart*): SinkState = {
      val begun = state(small: _*)
      assert(parts.next(begun, _ => false) === Next(begun, None))
      assert(parts.isCompacting)
      begun
    }

    private final class Finished extends ReplacedFiles(NoFiles, "main") {
      override def sizeBytes(path: String): Option[Long]  = sizes.get(path)
      override def hide(seq: Long, path: String): Unit    = ReplacedFiles.none.hide(seq, path)
      override def restore(seq: Long, path: String): Unit = ReplacedFiles.none.restore(seq, path)

      override def taken(seq: Long, paths: Seq[String]): Set[String] = Set.empty

      override def keep(path: String, as: String): Unit = ReplacedFiles.none.keep(path, as)
      override def purge(seq: Long): Unit               = ReplacedFiles.none.purge(seq)
      override def hiddenFor(): Vector[Long]            = Vector.empty
    }
  }

  /** Merges end when a test says so. */
  private final class ManualCompactionRunner extends CompactionRunner {
    private var ended = Option.empty[Either[Throwable, CompactedPart]]

    var started = Vector.empty[CompactionTask]

    def end(sizeBytes: Long = 80): Unit = ended = Some(Right(CompactedPart(Closed("merged"), sizeBytes)))
    def fail(): Unit                    = ended = Some(Left(new java.io.IOException("an executor died")))

    override def start(merge: CompactionTask): RunningCompaction = {
      started :+= merge
      ended = None
      new RunningCompaction {
        override def result: Option[Either[Throwable, CompactedPart]] = ended
        override def await(): Unit                                    = ()
      }
    }
  }
}
