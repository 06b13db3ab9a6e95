// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.{LiveBucket, MarkerForm, QueryEpoch, SinkState, Totals}
import stoplog.part.FinishedPart
import stoplog.storage.MarkerNames
import stoplog.thread.Parallel

/** What one record makes of the state of the record before it. */
class CompletionCountsSuite extends AnyFunSuite {
  private val now = 1000L

  private val ends = Map("old" -> 900L, "new" -> 2000L)

  private def completing(rule: CompleteRule, notes: MemoryNotes = new MemoryNotes): BucketTracker =
    new BucketTracker(
      FollowUps("main", rule, MarkerForm.Json, Manifests.Off, notes),
      Parallel.sequential,
      StorageRetry.never
    )

  private val byClock = CompleteRule.ByClock(0, ends.get)

  private val state = SinkState(QueryEpoch("query-1", Some(7)), Vector.empty, 0, Map.empty)

  private def live(bucket: String, version: Int = 0, files: Long = 1): LiveBucket =
    LiveBucket(bucket, version, Totals(files, 10 * files, 100 * files), 5)

  private def marker(version: Int): Array[Byte] =
    s"""{"version":$version,"sinkId":"main","files":1,"rows":1,"bytes":1}""".getBytes

  test("a run without a rule forgets the buckets for which an earlier run waited") {
    val next = completing(CompleteRule.Never)
      .next(state.copy(live = Vector(live("old"))), Vector.empty, Vector.empty, Compaction.Off, now)
    assert(next.state === state)
    assert(next.isEmpty && next.late === 0)
  }

  test("only buckets that are due are closing") {
    val closing = completing(byClock).closing(state.copy(live = Vector(live("old"), live("new"))), now)
    assert(closing("old") && !closing("new"))
    assert(!completing(CompleteRule.Never).closing(state.copy(live = Vector(live("old"))), now)("old"))
  }

  test("each compacted part is subtracted once from the counts of its bucket") {
    val inputs = Vector(FinishedPart("old", "p1", 100, 10, 1), FinishedPart("old", "p2", 50, 5, 2))
    val before = state.copy(live = Vector(live("old", files = 3), live("new")))
    val after  = completing(byClock).replacing(before, inputs, now)
    assert(after.state.live === Vector(live("old", files = 3).copy(added = Totals(1, 15, 150)), live("new")))
    assert(after.late === 0 && after.isEmpty)
  }

  test("a bucket with a marker is late if the state does not know the bucket") {
    val notes = new MemoryNotes
    notes.putIfAbsent("old/_SUCCESS", marker(1))
    def late(known: LiveBucket*)(bucket: String) = completing(byClock, notes)
      .next(
        state.copy(live = known.toVector),
        Vector(Samples.done("p", bucket)),
        Vector.empty,
        Compaction.Off,
        now
      )
      .late
    assert(late()("old") === 1)
    assert(late()("new") === 0)
    assert(late(live("old", version = 1))("old") === 0)
    assert(late(live("old", version = 1))("new") === 0)
  }

  test("the newest marker of a bucket determines its version") {
    val notes = new MemoryNotes
    for (version <- 1 to 3) notes.putIfAbsent(MarkerNames.path("new", version), marker(version))
    val next = completing(byClock, notes)
      .next(state, Vector(Samples.done("p", "new")), Vector.empty, Compaction.Off, now)
    assert(next.state.live.map(_.version) === Vector(3))
  }

  test("a bucket's last write is the last write of its newest part") {
    val parts = Vector(30L, 20L).map(at => Samples.open(s"p$at", "new", openedAtMillis = at))
    val next  = completing(byClock)
      .next(state.copy(open = parts), Vector.empty, Vector.empty, Compaction.Off, now)
    assert(next.state.live.map(_.lastWrittenAtMillis) === Vector(30L))
  }

  test("a bucket without files gets no marker and waits only while a part is open") {
    val none   = live("old", files = 0)
    val before = state.copy(live = Vector(none))
    val due    = completing(byClock).next(before, Vector.empty, Vector.empty, Compaction.Off, now)
    assert(due.complete === Set("old"))
    val (left, follow) = due.decided(Vector.empty, "manifest")
    assert(left.live.isEmpty && follow.markers.isEmpty)

    val waiting                 = state.copy(live = Vector(none.copy(bucket = "new")))
    def going(state: SinkState) = completing(byClock)
      .next(state, Vector.empty, Vector.empty, Compaction.Off, now)
      .decided(Vector.empty, "manifest")
      ._1
      .live
    assert(going(waiting).isEmpty)
    assert(going(waiting.copy(open = Vector(Samples.open("p", "new")))).map(_.bucket) === Vector("new"))
  }
}
