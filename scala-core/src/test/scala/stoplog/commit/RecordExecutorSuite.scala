// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.error.{Errors, RowErrors, StoplogException}
import stoplog.log._
import stoplog.part.FinishedPart
import stoplog.sink.{CommitOutcome, Prepared, Staged, TwoPhaseCommitter}
import stoplog.spark.LogCapture

class RecordExecutorSuite extends AnyFunSuite {

  test("the parts of a record become visible before the record is marked") {
    val world  = new RecordExecutorWorld
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.onPublish = _ => assert(!world.records.isPublished(4))
    world.publish(record)
    assert(world.parts.finished === Map("b/p" -> "row\n", "b/q" -> "row\n"))
    assert(world.records.isPublished(4))
  }

  test("a record stays unmarked until a later run deletes the replaced parts") {
    val finished = new UnreliableFinished
    val world    = new RecordExecutorWorld(finished = finished)
    val merged   = world.record(world.closed("m")).copy(replace = Vector(FinishedPart("b", "p", 4, 1, 0)))
    intercept[IllegalStateException](world.publish(merged))
    assert(!world.records.isPublished(4))
    finished.isUp = true
    world.republish(merged)
    assert(finished.forgotten === Set(4L))
    assert(world.records.isPublished(4))
  }

  test("a process that is overtaken by the next replacement leaves no marker of its own record") {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world     = new RecordExecutorWorld(finished = finished)
    val marker    = Marker("b", 1, MarkerForm.Json, "main", "overwrite", 0, None, Totals(1, 1, 4))
    val replacing = world
      .record(world.closed("p"))
      .copy(replace = Vector(FinishedPart("b", "old", 4, 1, 0)), follow = FollowUp(None, Vector(marker)))
    world.parts.onPublish = _ => {
      world.parts.onPublish = _ => ()
      world.republish(replacing) // by another job, which then hides the marker and replaces the part
      assert(world.notes.texts.keySet === Set("b/_SUCCESS"))
      world.notes.delete(Seq("b/_SUCCESS"))
    }
    assert(!world.publish(replacing))
    assert(world.records.isPublished(4) && world.notes.texts.isEmpty)
  }

  test("a record stays unmarked if its marker fails, and a later run repeats the marker") {
    var made  = 0
    val world = new RecordExecutorWorld(marked = () => {
      made += 1
      if (made == 1) throw new IllegalStateException("the process died")
    })
    val marker = Marker("b", 1, MarkerForm.Empty, "main", "idle", 0, None, Totals(1, 1, 4))
    val marked = world.record(world.closed("p")).copy(follow = FollowUp(None, Vector(marker)))
    intercept[IllegalStateException](world.publish(marked))
    assert(!world.records.isPublished(4))
    world.republish(marked)
    assert(made === 2)
    assert(world.records.isPublished(4))
  }

  test("parts recorded as visible are never checked again, even if the record stays unmarked") {
    var isUp  = false
    val world =
      new RecordExecutorWorld(marked =
        () => if (!isUp) throw new IllegalStateException("the storage is down")
      )
    val marker = Marker("b", 1, MarkerForm.Empty, "main", "idle", 0, None, Totals(1, 1, 4))
    val marked =
      world.record(world.closed("p"), world.closed("q")).copy(follow = FollowUp(None, Vector(marker)))
    intercept[IllegalStateException](world.publish(marked))
    Seq("b/p", "b/q").foreach(world.parts.take)
    world.parts.forgetCalls()
    intercept[IllegalStateException](world.republish(marked))
    isUp = true
    world.republish(marked)
    assert(world.parts.calls.isEmpty && world.parts.finished.isEmpty)
    assert(world.records.isPublished(4))
  }

  test("if a part cannot be published, the other parts are not checked again") {
    val world  = new RecordExecutorWorld
    val record = world.record(world.closed("p"), world.closed("q"), world.closed("r"))
    world.parts.onPublish = path => if (path == "b/r") throw Errors.nameTaken(path, "it is")
    assert(condition(world.publish(record)) === "STOPLOG_NAME_TAKEN")
    Seq("b/p", "b/q").foreach(world.parts.take)
    assert(condition(world.republish(record)) === "STOPLOG_NAME_TAKEN")
    world.parts.onPublish = _ => ()
    world.republish(record)
    assert(world.parts.finished === Map("b/r" -> "row\n"))
    assert(world.records.isPublished(4))
  }

  test("a failing publisher keeps the parts that another process recorded as visible") {
    val world  = new RecordExecutorWorld
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.onPublish = path =>
      if (path == "b/q") {
        world.records.noteVisible(4, 0, Set("b/p", "b/q"))
        throw Errors.nameTaken(path, "it is")
      }
    assert(condition(world.publish(record)) === "STOPLOG_NAME_TAKEN")
    assert(world.log.visible(record) === Set("b/p", "b/q"))
    world.parts.forgetCalls()
    world.republish(record)
    assert(world.parts.calls.isEmpty)
  }

  test("of two concurrent visibility notes, the later keeps the entries of the earlier") {
    val world   = new RecordExecutorWorld
    val record  = world.record(world.closed("p"), world.closed("q"), world.closed("r"))
    val sleeper = Set("b/p")
    world.records.beforeNote = { _ =>
      world.records.beforeNote = _ => ()
      world.log.noteVisible(record, Set("b/p", "b/q"))
    }
    world.parts.onPublish = path => if (path != "b/p") throw Errors.nameTaken(path, "it is")
    assert(condition(world.publish(record)) === "STOPLOG_NAME_TAKEN")
    assert(world.log.visible(record) === sleeper + "b/q")
    world.log.noteVisible(record, Set("b/q", "b/r"))
    assert(world.log.visible(record) === Set("b/p", "b/q", "b/r"))
  }

  test("publishing returns whether the process published all parts without another publisher") {
    val alone = new RecordExecutorWorld
    assert(alone.publish(alone.record(alone.closed("p"), alone.closed("q"))))
    val second = new RecordExecutorWorld
    val shared = second.record(second.closed("p"), second.closed("q"))
    second.parts.publish(shared.publish.head.handle, 4, "b/p")
    assert(!second.publish(shared))
    val late = new RecordExecutorWorld
    late.parts.onPublished = { _ => late.records.markPublished(4); () }
    assert(!late.publish(late.record(late.closed("p"))))
  }

  test("a missing part is not lost if its record is marked or its visibility recorded") {
    val marked = new RecordExecutorWorld
    val record = marked.record(marked.closed("p"))
    marked.parts.lose(record.publish.head.handle.token)
    marked.records.markPublished(4)
    assert(!marked.publish(record))
    val noted = new RecordExecutorWorld
    val other = noted.record(noted.closed("p"), noted.closed("q"))
    noted.parts.lose(other.publish.head.handle.token)
    noted.log.noteVisible(other, Set("b/p"))
    assert(!noted.publish(other))
    assert(noted.parts.finished.keySet === Set("b/q"))
    val elsewhere = new RecordExecutorWorld
    val lost      = elsewhere.record(elsewhere.closed("p"), elsewhere.closed("q"))
    elsewhere.parts.lose(lost.publish.head.handle.token)
    elsewhere.log.noteVisible(lost, Set("b/q"))
    assert(condition(elsewhere.publish(lost)) === "STOPLOG_PART_LOST")
  }

  test("publishing again changes nothing, and a marked record causes no calls") {
    val world  = new RecordExecutorWorld
    val record = world.record(world.closed("p"))
    world.publish(record)
    world.publish(record)
    world.parts.forgetCalls()
    world.republish(record)
    assert(world.parts.calls.isEmpty)
    assert(world.parts.finished === Map("b/p" -> "row\n"))
  }

  test("publishing an unmarked record resumes after the published parts") {
    val world  = new RecordExecutorWorld
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.onPublish = path => if (path == "b/q") throw new IllegalStateException("the process died")
    intercept[IllegalStateException](world.publish(record))
    assert(!world.records.isPublished(4))
    world.parts.onPublish = _ => ()
    world.republish(record)
    assert(world.parts.finished.keySet === Set("b/p", "b/q"))
  }

  test("a lost part fails with both locations and the epoch, and the record stays unmarked") {
    val world  = new RecordExecutorWorld
    val record = world.record(world.closed("p"))
    world.parts.lose(record.publish.head.handle.token)
    val lost = intercept[Exception](world.publish(record))
    assert(condition(throw lost) === "STOPLOG_PART_LOST")
    assert(Seq("/data/out/b/p", "t1", "9").forall(lost.getMessage.contains))
    assert(!world.records.isPublished(4))
  }

  test("a lost part is skipped on request, and the others are published") {
    val world  = new RecordExecutorWorld(LostPart.Skip)
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.lose(record.publish.head.handle.token)
    assert(world.log.outcome(4) === RecordOutcome.Done)
    world.publish(record)
    assert(world.parts.finished.keySet === Set("b/q"))
    assert(world.records.isPublished(4))
    assert(world.log.outcome(4) === RecordOutcome.Skipped(Set("b/p")))
  }

  test("the warning about skipped parts names the option of the sink") {
    val losing = new TwoPhaseCommitter {
      override def commit(prepared: Prepared): CommitOutcome = CommitOutcome.Lost
      override def staged(): Vector[Staged]                  = Vector.empty
      override def abort(token: String): Unit                = ()

      override private[stoplog] def lost(gone: Seq[Prepared], committed: Int): Option[StoplogException] =
        Some(RowErrors.rowsLost("micro-batch 9", "2 rows are gone", "Check the topic", "onLostTransaction"))
    }
    val ofTopic = new RecordExecutorWorld(LostPart.Skip, target = Some(losing))
    val warned  = LogCapture.of(ofTopic.publish(ofTopic.record(ofTopic.closed("p"))))
    assert(warned === Seq("Continuing without the lost parts, because onLostTransaction is skip"))
    val ofFiles = new RecordExecutorWorld(LostPart.Skip)
    val record  = ofFiles.record(ofFiles.closed("p"))
    ofFiles.parts.lose(record.publish.head.handle.token)
    val said = LogCapture.of(ofFiles.publish(record))
    assert(said === Seq("Continuing without the lost parts, because onLostPart is skip"))
  }

  test("a lost part that is skipped is in no manifest, and no marker or later total counts the part") {
    val world  = new RecordExecutorWorld(LostPart.Skip)
    val lost   = world.closed("p")
    val totals = Totals(2, 2, 8)
    val marker = Marker("b", 1, MarkerForm.Json, "main", "idle", 0, None, totals)
    val record = world
      .record(lost, world.closed("q"))
      .copy(follow = FollowUp(Some(Manifest("list", None)), Vector(marker)))
    world.parts.lose(lost.handle.token)
    val settled = world.carriedOut(record)
    val texts   = world.notes.texts
    assert(!texts("list").contains("b/p") && texts("list").contains("b/q"))
    val one = """"files":1,"rows":1,"bytes":4"""
    assert(texts("b/_SUCCESS").contains(s"""$one,"added":{$one}"""))
    val open  = LiveBucket("b", 0, totals, 0)
    val state = record.state.copy(live = Vector(open), small = Vector(FinishedPart("b", "p", 4, 1, 9)))
    val next  = settled.after(record, state)
    assert(next.live === Vector(open.copy(added = Totals(1, 1, 4))) && next.small === Vector.empty)
    val restarted = record.copy(state = state)
    assert(world.settling.carryOutAgain(restarted).after(restarted, state) === next)
  }

  test("a part without bytes is not published") {
    val world = new RecordExecutorWorld
    world.publish(world.record(world.closed("empty", content = "")))
    assert(world.parts.finished.isEmpty)
    assert(world.records.isPublished(4))
  }

  test("a failing storage is retried with growing pauses up to the configured number of tries") {
    val world  = new RecordExecutorWorld(tries = 3)
    var failed = 0
    world.parts.onPublish = path => {
      failed += 1
      if (failed < 3) throw Errors.storeWrite(path, "503", new IOException("503"))
    }
    world.publish(world.record(world.closed("p")))
    assert(world.parts.finished.keySet === Set("b/p"))
    val pauses = world.pauses.toArray(new Array[java.lang.Long](0)).map(_.longValue)
    assert(pauses.length === 2)
    assert(pauses(0) >= 1 && pauses(0) <= 10 && pauses(1) >= 1 && pauses(1) <= 20)
  }

  test("the last storage failure is thrown, and other failures are thrown at once") {
    val world = new RecordExecutorWorld(tries = 3)
    var tried = 0
    world.parts.onPublish = path => {
      tried += 1; throw Errors.storeWrite(path, "503", new IOException("503"))
    }
    assert(condition(world.publish(world.record(world.closed("p")))) === "STOPLOG_STORE_WRITE")
    assert(tried === 3)
    world.parts.onPublish = path => { tried += 1; throw Errors.nameTaken(path, "it is") }
    assert(condition(world.publish(world.record(world.closed("q")))) === "STOPLOG_NAME_TAKEN")
    assert(tried === 4)
  }
}
