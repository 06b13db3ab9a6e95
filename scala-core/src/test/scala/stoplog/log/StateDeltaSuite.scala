// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples
import stoplog.part.{FinishedPart, LastWriter, Open, PartRows}

class StateDeltaSuite extends AnyFunSuite {
  private val random  = new Random(7)
  private val records = new RandomRecords(seed = 7)

  /** A state with entries of their own names. */
  private def state(): SinkState = {
    val any = Vector.fill(1 + random.nextInt(8))(records.next().state)
    any.head.copy(
      open = distinct(any.flatMap(_.open))(_.finishedPath),
      live = distinct(any.flatMap(_.live))(_.bucket),
      small = distinct(any.flatMap(_.small))(_.path)
    )
  }

  private def distinct[A](entries: Vector[A])(key: A => String): Vector[A] =
    entries.distinctBy(key)

  /** What an epoch may make of a state. */
  private def after(before: SinkState): SinkState = {
    val fresh                                  = state()
    def some[A](entries: Vector[A]): Vector[A] = entries.filter(_ => random.nextInt(3) > 0)
    fresh.copy(
      open = random.shuffle(
        distinct(some(before.open).map(touched) ++ fresh.open)(_.finishedPath)
      ),
      live = distinct(some(before.live) ++ fresh.live)(_.bucket),
      small = distinct(some(before.small) ++ fresh.small)(_.path),
      settings = if (random.nextBoolean()) before.settings else fresh.settings
    )
  }

  private def touched(part: Open): Open = random.nextInt(3) match {
    case 0 => part
    case 1 => part.copy() // equal, and another object
    case _ =>
      Samples
        .withRows(part)(_.copy(count = part.records / 2))
        .copy(writer = part.writer.copy(slot = part.slot + 1))
  }

  private def inOneOrder(state: SinkState): SinkState =
    state.copy(open = state.open.sortBy(_.finishedPath), live = state.live.sortBy(_.bucket))

  test("a delta turns the earlier state into the later state, also after encoding") {
    for (_ <- 1 to 250) {
      val before = state()
      val record = records.next().copy(seq = 17, state = after(before))
      val delta  = StateDelta.between(before, record.state).get
      assert(StateDelta.applied(before, Seq(delta)).map(inOneOrder) === Right(inOneOrder(record.state)))
      val encoded = RecordCodec.encodeDelta(record, Base(3, "0123abcd"), delta)
      RecordCodec.read(encoded.bytes, Published.Prepared) match {
        case Right(read: StoredRecord.Delta) =>
          assert(read.checksum === encoded.checksum && read.base === Base(3, "0123abcd"))
          val whole = read.on(before).map(found => found.copy(state = inOneOrder(found.state)))
          assert(whole === Right(record.copy(state = inOneOrder(record.state))))
        case other => fail(s"$other")
      }
    }
  }

  test("applying several deltas at once equals applying each in turn") {
    for (_ <- 1 to 200) {
      val states = Vector.iterate(state(), 5)(after)
      val deltas =
        states.zip(states.tail).map { case (before, later) => StateDelta.between(before, later).get }
      val single =
        deltas.foldLeft(states.head)((before, delta) => StateDelta.applied(before, Seq(delta)).toOption.get)
      assert(StateDelta.applied(states.head, deltas) === Right(single))
      assert(inOneOrder(single) === inOneOrder(states.last))
      assert(StateDelta.applied(states.head, Nil) === Right(states.head))
    }
  }

  test("a delta contains only the changed entries") {
    val before = state().copy(open = parts(1000))
    val later  =
      before.copy(open =
        before.open.map(part => if (part.slot == 17) Samples.withRows(part)(_.copy(count = 5)) else part)
      )
    val delta = StateDelta.between(before, later).get
    assert(delta.lists.open === StateDelta.ListDelta(Vector(later.open(17)), Vector.empty))
    assert(delta.settings === None && delta.lists.size === 1)
  }

  test("an equal copy of an entry is not a difference") {
    val before = state().copy(open = parts(3))
    val delta  = StateDelta.between(before, before.copy(open = before.open.map(_.copy()))).get
    assert(delta.lists.size === 0)
  }

  test("reordered small parts need a whole state") {
    val before = state().copy(small = Vector.tabulate(3)(n => FinishedPart("b", s"p$n", 1, 1, n.toLong)))
    def next(small: FinishedPart*) = StateDelta.between(before, before.copy(small = small.toVector))
    val added                      = FinishedPart("b", "p9", 1, 1, 9)
    assert(next(before.small: _*).exists(_.lists.size == 0))
    assert(next(before.small(0), before.small(2), added).exists(_.lists.small.gone == Vector("b/p1")))
    assert(next(before.small(1), before.small(0), before.small(2)) === None)
    assert(next(added, before.small(0)) === None)
  }

  test("two open parts of the same name need a whole state") {
    val twice = parts(1).head
    val state = this.state()
    assert(
      StateDelta.between(
        state.copy(open = Vector.empty),
        state.copy(open = Vector(twice, twice.copy(writer = twice.writer.copy(slot = 5))))
      ) === None
    )
  }

  test("a delta of another state is rejected") {
    val before = state().copy(open = parts(3))
    val delta  = StateDelta.between(before, before.copy(open = before.open.tail)).get
    assert(
      StateDelta
        .applied(before.copy(open = Vector.empty), Seq(delta))
        .left
        .exists(_.contains("the base does not contain"))
    )
  }

  private def parts(count: Int): Vector[Open] =
    Vector.tabulate(count)(n =>
      Open(
        "b",
        s"p$n",
        stoplog.part.Resume(s"_stoplog/main/open/p$n"),
        1,
        PartRows(1, 0, 0),
        LastWriter(n, None)
      )
    )
}
