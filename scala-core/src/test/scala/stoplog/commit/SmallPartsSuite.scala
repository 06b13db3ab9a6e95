// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Compaction.{Next, Replaced}
import stoplog.fault.Faults
import stoplog.log.SinkState
import stoplog.part.{Closed, FinishedPart, PartNaming, Pending}
import stoplog.rolling.RollReason
import stoplog.storage.{NoFiles, ReplacedFiles}

/** Which parts are merged, and what becomes of a merge whose inputs are no longer what they were. */
class SmallPartsSuite extends AnyFunSuite {

  test("small parts are noted for a merge, those of a merge and of a former content are not") {
    val world   = new World
    val reasons = Seq(RollReason.Size, SinkSettings.ContentChanged, Compaction.Reason)
    val publish = reasons.map(reason => Samples.done(reason.word).copy(reason = reason))
    val large   = Samples.done("large", sizeBytes = 50)
    val noted   = world.parts.noting(world.state(), publish.toVector :+ large)
    assert(noted.small.map(_.name) === Vector("size"))
  }

  test("a merge takes the place of its inputs") {
    val world = new World
    val begun = world.begun()
    world.merger.end()
    val Next(state, replacement) = world.parts.next(begun, _ => false)
    val Replaced(merged, inputs) = replacement.get
    assert(inputs === world.inputs)
    assert((merged.sizeBytes, merged.records, merged.reason) === ((80L, 2L, Compaction.Reason)))
    assert(state.small === Vector.empty)
  }

  test("a merge of parts that readers have taken in the meantime replaces nothing, and the rest stays small") {
    for (now <- Seq(None, Some(39L))) {
      val world = new World
      val begun = world.begun()
      world.merger.end()
      world.sizes = world.sizes.removed("b/1") ++ now.map("b/1" -> _)
      assert(world.parts.next(begun, _ => false) === Next(begun.copy(small = world.inputs.drop(1)), None))
    }
  }

  test("a merge of parts that the log no longer names as small replaces nothing") {
    val world = new World
    world.begun()
    world.merger.end()
    val without = world.state(world.inputs.last)
    assert(world.parts.next(without, _ => false) === Next(without, None))
  }

  /** Two parts of 40 bytes each, which are due. */
  private final class World {
    val inputs: Vector[FinishedPart] =
      Vector("1", "2").map(name => FinishedPart("b", name, sizeBytes = 40, records = 1, epoch = 0))

    var sizes: Map[String, Long] = inputs.map(part => part.path -> part.sizeBytes).toMap

    val merger = new ManualMerger

    val parts = new SmallParts(
      Samples.mine,
      CompactionPolicy(smallerThanBytes = 50, targetBytes = 80, afterEpochs = 10, minFiles = 2),
      PartNaming("part", ".txt"),
      isData = (_: Pending) => true,
      merger,
      new Finished,
      new ManualClock(1000),
      Faults.none
    )

    def state(small: FinishedPart*): SinkState =
      SinkState("query-1", Some(1), Vector.empty, 0, Map.empty, small = small.toVector)

    /** With the merge of both parts under way. */
    def begun(): SinkState = {
      val begun = state(inputs: _*)
      assert(parts.next(begun, _ => false) === Next(begun, None))
      assert(parts.isMerging)
      begun
    }

    private final class Finished extends ReplacedFiles(NoFiles, "main") {
      override def sizeBytes(path: String): Option[Long]   = sizes.get(path)
      override def hide(seq: Long, path: String): Unit = ReplacedFiles.none.hide(seq, path)
      override def restore(seq: Long, path: String): Unit  = ReplacedFiles.none.restore(seq, path)
      override def keep(path: String, as: String): Unit    = ReplacedFiles.none.keep(path, as)
      override def purge(seq: Long): Unit                 = ReplacedFiles.none.purge(seq)
      override def hiddenFor(): Vector[Long]             = Vector.empty
    }
  }

  /** Merges end when a test says so. */
  private final class ManualMerger extends Merger {
    private var ended = Option.empty[Merged]

    def end(): Unit = ended = Some(Merged(Closed("merged"), sizeBytes = 80))

    override def start(merge: Merge): Merging = new Merging {
      override def result: Option[Either[Throwable, Merged]] = ended.map(Right(_))
      override def await(): Unit                             = ()
    }
  }
}
