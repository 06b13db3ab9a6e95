// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log._
import stoplog.part.{FinishedPart, Pending}
import stoplog.rolling.RollReason

/** How the record of a merge is carried out, beside readers who take what they see, and other processes. */
class ReplacementExecutionSuite extends AnyFunSuite {

  test("a compaction whose part is lost is cancelled permanently, and its inputs are restored") {
    val finished = new UnreliableFinished
    val world    = new RecordExecutorWorld(finished = finished)
    val lost     = merge(world, "p", "q")
    world.parts.lose(lost.publish.head.handle.token)
    world.publish(lost)
    assert(finished.broughtBack === Vector("b/p", "b/q") && finished.forgotten.isEmpty)
    assert(world.log.isCalledOff(lost) && world.records.isPublished(4))
    assert(!world.republish(lost))
    assert(finished.broughtBack === Vector("b/p", "b/q"))
  }

  test("an overwrite or rewind whose part is lost is cancelled, and its files are restored") {
    val replace = Vector(FinishedPart("b", "p", 4, 1, 0), FinishedPart("b", "q", 4, 1, 0))
    for (
      (kind, names) <- Seq(RecordKind.Epoch(9) -> "m", RecordKind.Compact -> "m", RecordKind.Compact -> "mn")
    ) {
      val finished = new UnreliableFinished
      val world    = new RecordExecutorWorld(finished = finished)
      val publish  = names.map(name => world.closed(name.toString).copy(reason = RollReason.Custom("rewind")))
      val record   = world.record(publish: _*).copy(kind = kind, replace = replace)
      finished.taken = Set("b/p")
      world.parts.lose(record.publish.head.handle.token)
      world.publish(record)
      assert(world.log.isCalledOff(record) && world.parts.finished.isEmpty)
      assert(finished.broughtBack === Vector("b/p", "b/q"))
    }
  }

  test("a late process restores the files that it hid, unless the compacted part was visible") {
    val replace = Vector(FinishedPart("b", "p", 4, 1, 0))
    def brought(kind: RecordKind)(meanwhile: (RecordExecutorWorld, LogRecord) => Any): Vector[String] = {
      val finished = new UnreliableFinished
      finished.isUp = true
      val world  = new RecordExecutorWorld(finished = finished)
      val record = world.record(merged(world)).copy(kind = kind, replace = replace)
      world.parts.lose(record.publish.head.handle.token)
      meanwhile(world, record)
      assert(!world.publish(record))
      assert(finished.broughtBack.isEmpty)
      finished.broughtBackLate
    }
    val marked: (RecordExecutorWorld, LogRecord) => Any = (world, _) => world.records.markPublished(4)
    assert(brought(RecordKind.Compact)(marked) === Vector("b/p"))
    assert(brought(RecordKind.Epoch(9))(marked) === Vector("b/p"))
    assert(
      brought(RecordKind.Compact)((world, merge) =>
        world.records.putIfAbsent(5, RecordCodec.encode(merge.copy(seq = 5)))
      ) === Vector("b/p")
    )
    assert(brought(RecordKind.Compact)((world, merge) => world.log.noteVisible(merge, Set("b/m"))).isEmpty)
  }

  test("a late process restores the marker that it hid after others had carried the overwrite out") {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world  = new RecordExecutorWorld(finished = finished)
    val record =
      world.record(world.closed("m")).copy(replace = Vector(FinishedPart("b", "_SUCCESS", 0, 0, -1)))
    finished.onHide = () => {
      finished.onHide = () => ()
      world.republish(record)
    }
    assert(world.carriedOut(record) === Settled.Shown(alone = false))
    assert(finished.broughtBackLate === Vector("b/_SUCCESS"))
  }

  test("a process that only shows the parts of an overwrite restores the marker that it hid late") {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world  = new RecordExecutorWorld(finished = finished)
    val record =
      world.record(world.closed("m")).copy(replace = Vector(FinishedPart("b", "_SUCCESS", 0, 0, -1)))
    world.records.putIfAbsent(4, RecordCodec.encode(record))
    finished.onHide = () => {
      finished.onHide = () => ()
      world.republish(record)
    }
    world.settling.makeVisible(record)
    assert(finished.broughtBackLate === Vector("b/_SUCCESS"))
  }

  /** Carries out an overwrite on a store of uploads. Returns the result, and how often files were hidden.
    *
    * @param before what other processes have done
    */
  private def lateOverwrite(before: RecordExecutorWorld => Unit): (Settled, Int) = {
    val finished = new UnreliableFinished(hidesAtOnce = false)
    finished.isUp = true
    var hidden = 0
    finished.onHide = () => hidden += 1
    val world  = new RecordExecutorWorld(finished = finished)
    val record = world.record(world.closed("m")).copy(replace = Vector(FinishedPart("b", "p", 4, 1, 0)))
    before(world)
    (world.carriedOut(record), hidden)
  }

  test("a late process hides nothing after others have carried the overwrite out, on a store of uploads") {
    val (settled, hidden) = lateOverwrite(_.records.markPublished(4): Unit)
    assert(settled === Settled.Shown(alone = false))
    assert(hidden === 0)
  }

  test("a late process hides nothing on a store of uploads after its mark was deleted") {
    val (_, hidden) = lateOverwrite { world =>
      val newer = world.record().copy(seq = 5, run = Samples.other)
      world.records.putIfAbsent(5, RecordCodec.encode(newer)): Unit
    }
    assert(hidden === 0)
  }

  test("compaction inputs are not restored after the compacted part was visible") {
    val finished = new UnreliableFinished
    val world    = new RecordExecutorWorld(finished = finished)
    val merged   = merge(world, "p")
    intercept[IllegalStateException](world.publish(merged))
    world.parts.take("b/m")
    finished.isUp = true
    world.republish(merged)
    assert(finished.broughtBack.isEmpty && finished.forgotten === Set(4L))
  }

  test("a compacted part taken by a reader before a crash is not treated as lost") {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world  = new RecordExecutorWorld(finished = finished)
    val merged = merge(world, "p", "q")
    world.parts.onPublished = { path =>
      world.parts.take(path)
      throw new IllegalStateException("the process died")
    }
    intercept[IllegalStateException](world.publish(merged))
    world.parts.onPublished = _ => ()
    assert(world.log.visible(merged).isEmpty)
    world.republish(merged)
    assert(finished.broughtBack.isEmpty && world.parts.finished.isEmpty)
    assert(finished.forgotten === Set(4L) && world.records.isPublished(4))
  }

  test("a compaction is cancelled and its inputs restored if a reader takes an input early") {
    val finished = new UnreliableFinished
    val world    = new RecordExecutorWorld(finished = finished)
    val merged   = merge(world, "p", "q")
    finished.taken = Set("b/p")
    world.publish(merged)
    assert(world.parts.finished.isEmpty)
    assert(finished.broughtBack === Vector("b/p", "b/q") && finished.forgotten.isEmpty)
    assert(world.records.isPublished(4) && world.log.isCalledOff(merged))
  }

  test("a late process restores the files that it has hidden for a cancelled compaction") {
    val finished = new UnreliableFinished
    val world    = new RecordExecutorWorld(finished = finished)
    val merged   = merge(world, "p", "q")
    finished.taken = Set("b/p")
    world.records.markPublished(4)
    assert(!world.publish(merged))
    assert(finished.broughtBack.isEmpty && finished.broughtBackLate === Vector("b/p", "b/q"))
    assert(world.parts.finished.isEmpty)
  }

  test("inputs deleted after the replacement note do not cancel the compaction") {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world  = new RecordExecutorWorld(finished = finished)
    val merged = merge(world, "p", "q")
    finished.taken = Set("b/p", "b/q")
    world.log.noteReplacement(merged, ReplacementNote.Publishing)
    world.publish(merged)
    assert(world.parts.finished.keySet === Set("b/m") && finished.broughtBack.isEmpty)
    assert(!world.log.isCalledOff(merged))
  }

  test("a process that finds a newer record treats no part as lost and restores nothing") {
    val finished = new UnreliableFinished
    val world    = new RecordExecutorWorld(finished = finished)
    val merged   = merge(world, "p")
    finished.isUp = true
    world.parts.lose(merged.publish.head.handle.token)
    world.records.putIfAbsent(5, RecordCodec.encode(merged.copy(seq = 5)))
    assert(!world.publish(merged))
    assert(finished.broughtBack.isEmpty)
  }

  test("a process that sleeps after its record finds its overwrite carried out, also on a store of uploads") {
    val replace = Vector(FinishedPart("b", "p", 4, 1, 0))
    for (hidesAtOnce <- Seq(true, false)) {
      val finished = new UnreliableFinished(hidesAtOnce)
      finished.isUp = true
      val world  = new RecordExecutorWorld(finished = finished)
      val record = world.record(world.closed("m")).copy(replace = replace)
      if (hidesAtOnce) world.parts.lose(record.publish.head.handle.token)
      world.records.putIfAbsent(5, RecordCodec.encode(record.copy(seq = 5)))
      assert(world.carriedOut(record).isInstanceOf[Settled.Shown], s"hidesAtOnce = $hidesAtOnce")
    }
  }

  test("totals count the inputs of a cancelled compaction once, also after a second recovery") {
    val finished = new UnreliableFinished
    val world    = new RecordExecutorWorld(finished = finished)
    val planned  = merge(world, "p", "q")
    val live     = LiveBucket("b", 1, Totals(1, 2, 4), lastWrittenAtMillis = 0)
    val record   = planned.copy(state = planned.state.copy(live = Vector(live)))
    finished.taken = Set("b/p")
    world.publish(record)
    val inputs = Totals(2, 2, 8) // instead of one compacted file of 4 bytes and its rows
    val added  = live.added + inputs - Totals(1, planned.publish.head.records, 4)
    for (_ <- 1 to 2) {
      assert(world.ledger.recover().get.state.live.map(_.added) === Vector(added))
      world.records.unmark(Seq(record.seq))
    }
  }

  private def merged(world: RecordExecutorWorld): Pending = world.closed("m").copy(reason = Compaction.Reason)

  private def merge(world: RecordExecutorWorld, inputs: String*): LogRecord = world
    .record(merged(world))
    .copy(kind = RecordKind.Compact, replace = inputs.map(FinishedPart("b", _, 4, 1, 0)).toVector)
}
