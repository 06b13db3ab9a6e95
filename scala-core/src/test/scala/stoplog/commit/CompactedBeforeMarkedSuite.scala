// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Finish.PublishOpen
import stoplog.log.{MarkerForm, SinkState, Totals}
import stoplog.part.Pending
import stoplog.rolling.{OnCheckpointRollingPolicy, RollReason}
import stoplog.thread.Parallel

/** A marker counts the files that will stay: what is small in its bucket is merged first, and never afterwards. */
class CompactedBeforeMarkedSuite extends AnyFunSuite {
  private val minute = 60 * 1000L

  /** Merges the two oldest parts of a bucket that is closing, in as many steps as a test wants. */
  private final class Compacting extends Compaction {
    var parts: Map[String, Int] = Map.empty.withDefaultValue(0)
    var asked: Set[String]      = Set.empty

    override def noting(state: SinkState, publish: Vector[Pending]): SinkState = {
      publish.foreach(part => parts += part.bucket -> (parts(part.bucket) + 1))
      state
    }
    override def next(state: SinkState, closing: String => Boolean): Compaction.Next = {
      asked = parts.keySet.filter(closing)
      Compaction.Next(state, None)
    }
    override def holds(state: SinkState, publishing: Set[String]): String => Boolean =
      bucket => publishing(bucket) || parts(bucket) > 1
    override def isCompacting: Boolean = false
    override def await(): Unit         = ()
  }

  private final class Fixture {
    val world   = new DriverWorld(OnCheckpointRollingPolicy())
    val notes   = new MemoryNotes(world.clock)
    val merging = new Compacting
    val rule    = CompleteRule.ByIdleness(10 * minute)

    val followUps = FollowUps("main", rule, MarkerForm.Json, Manifests.Off, notes)
    val driver    = world.driver(followUps = followUps, compaction = merging)

    def markers: Set[String] = notes.texts.keySet
  }

  test("a due bucket is compacted first and marked afterwards") {
    val fixture = new Fixture
    import fixture._
    world.epoch(driver, 0, "a")
    world.epoch(driver, 1, "a", "b")
    world.clock.advance(20 * minute)
    driver.tick()
    assert(merging.asked === Set("a", "b"))
    assert(markers === Set("b/_SUCCESS"), "b has but one part")
    merging.parts += "a" -> 1
    driver.tick()
    assert(markers === Set("a/_SUCCESS", "b/_SUCCESS"))
  }

  test("at the end, all parts are closed before their buckets are marked") {
    val fixture = new Fixture
    import fixture._
    world.epoch(driver, 0, "a")
    world.clock.advance(20 * minute)
    driver.end(PublishOpen)
    assert(markers === Set("a/_SUCCESS"))
    assert(!world.newest.publish.exists(_.reason == RollReason.End))
  }

  test("a compaction reduces its bucket's count, and small parts of marked buckets are kept") {
    val fixture = new Fixture
    import fixture._
    world.epoch(driver, 0, "a", "b")
    val state      = world.newest.state
    val completing = new BucketTracker(followUps, Parallel.sequential, StorageRetry.never)
    val input      = stoplog.part.FinishedPart("a", "part-1.txt", 8, 1, 0, 0, None)
    val replacing  = completing.replacing(state, Vector(input), world.clock.millis())
    assert(replacing.state.live.find(_.bucket == "a").map(_.added) === Some(Totals(0, 0, 3)))
    val small = state.copy(small = Vector(input, input.copy(bucket = "marked")))
    assert(completing.compactable(small).small === Vector(input))
  }
}
