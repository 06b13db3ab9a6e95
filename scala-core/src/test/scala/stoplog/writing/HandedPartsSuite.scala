// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.commit.Samples.{mine, open, other}
import stoplog.part.{Open, Publish, Resume, RunId}
import stoplog.plan.{Attempt, TaskPlan}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** P-49: a task's rights to the open parts of its plan. */
class HandedPartsSuite extends AnyFunSuite {
  private val clock = new ManualClock(0)

  test("a part of this run, and a part that others may reach, are not looked for") {
    val store = new Fencing
    val parts = handed(store, Attempt.First, part(1), part(2, owner = None))
    assert(parts.next("1").map(_.owner) === Some(Some(mine)))
    assert(parts.next("2").map(_.owner) === Some(None))
    assert(store.looks.isEmpty)
  }

  test("a part of an earlier run belongs to this run if the store has seen that its writers are gone") {
    val store = new Fencing(_ => FenceOutcome.Owned)
    assert(handed(store, Attempt.First, part(1, Some(other))).next("1").map(_.owner) === Some(Some(mine)))
  }

  test("a part of an earlier run has no owner if its writers may be alive") {
    val store = new Fencing(_ => FenceOutcome.Doubtful)
    assert(handed(store, Attempt.First, part(1, Some(other))).next("1").map(_.owner) === Some(None))
  }

  test("a repeated attempt owns no part, and looks for no writers") {
    val store = new Fencing
    val parts = handed(store, Attempt.Repeated, part(1), part(2, Some(other)))
    assert(parts.next("1").map(_.owner) === Some(None))
    assert(parts.next("2").map(_.owner) === Some(None))
    assert(store.looks.isEmpty)
  }

  test("the parts of a bucket follow in order, each once") {
    val store = new Fencing
    val parts = handed(store, Attempt.First, open("a", "b"), open("c", "b"))
    assert(Seq.fill(3)(parts.next("b").map(_.name)) === Seq(Some("a"), Some("c"), None))
    assert(parts.next("none") === None)
  }

  test("the first look is for one part, and each later look for sixteen, each once, and only when needed") {
    val store = new Fencing
    val parts = handed(store, Attempt.First, (0 until 100).map(part(_, Some(other))): _*)
    assert(store.looks.isEmpty)
    parts.next("50")
    parts.next("0")
    assert(store.looks === Seq(Seq(50), 0 to 15))
    (1 to 15).foreach(n => assert(parts.next(s"$n").map(_.owner) === Some(Some(mine))))
    assert(store.looks.size === 2)
    parts.next("16")
    assert(store.looks(2) === (16 to 31))
  }

  test("a store that waits for dead writers gets four times as many parts with each look, up to 1,024") {
    val store = new Fencing(_ => { clock.advance(20); FenceOutcome.Owned })
    val parts = handed(store, Attempt.First, (0 until 4000).map(part(_, Some(other))): _*)
    (0 until 4000).foreach(n => parts.next(s"$n"))
    assert(store.looks.map(_.size) === Seq(1, 16, 64, 256, 1024, 1024, 1024, 591))
  }

  test("a failed look is repeated with the next request") {
    var fails = true
    val store = new Fencing(_ => if (fails) throw new IllegalStateException("outage") else FenceOutcome.Owned)
    val parts = handed(store, Attempt.First, part(1, Some(other)), part(2, Some(other)))
    intercept[IllegalStateException](parts.next("1"))
    fails = false
    assert(parts.next("2").map(_.owner) === Some(Some(mine)))
  }

  private def handed(store: PartStore, attempt: Attempt, parts: Open*): HandedParts =
    new HandedParts(TaskPlan(mine, 1, 0, attempt, parts.toVector, firstPart = 0, stride = 1), store, clock)

  private def part(number: Int, owner: Option[RunId] = Some(mine)): Open =
    open(s"part-$number", bucket = s"$number", owner = owner)

  /** A store that can only fence. */
  private final class Fencing(outcome: Open => FenceOutcome = _ => FenceOutcome.Owned) extends PartStore {
    private val seen = mutable.ArrayBuffer.empty[Seq[Int]]

    /** The numbers of the parts of each call. */
    def looks: Seq[Seq[Int]] = seen.toSeq

    override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = {
      seen += open.map(_.bucket.toInt)
      open.map(outcome)
    }

    override def create(part: NewPart): PartOutput                                            = unused
    override def resume(open: Resume, validBytes: Long): PartOutput                           = unused
    override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput          = unused
    override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = unused
    override def staged(): Vector[Staged]                                                     = unused
    override def discard(token: String): Unit                                                 = unused

    private def unused: Nothing = throw new UnsupportedOperationException
  }
}
