// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.error.Errors
import stoplog.commit.complete.{MarkedBucket, MemoryNotes}
import stoplog.fault.Faults
import stoplog.log._
import stoplog.part.{FinishedPart, Pending}
import stoplog.store.{FinishedStore, NewPart}

class PublisherSuite extends AnyFunSuite {

  private final class World(
      onLost: LostPart = LostPart.Fail,
      tries: Int = 1,
      listener: MarkedBucket => Unit = _ => (),
      finished: FinishedStore = FinishedStore.untouched
  ) {
    val parts     = new MemoryParts
    val records   = new MemoryRecords
    val pauses    = new java.util.concurrent.ConcurrentLinkedQueue[Long]()
    val publisher = new Publisher(
      parts,
      new CommitLog(records),
      identity,
      onLost,
      SinkDriver.Tools(
        Clock.system,
        Faults.none,
        Turn.semaphore(),
        Parallel.sequential,
        Retry.jittered(tries, baseMillis = 10, pauses.add(_))
      ),
      MemoryNotes.unasked.copy(listener = listener),
      finished
    )

    def closed(name: String, content: String = "row\n"): Pending = {
      val output = parts.create(NewPart("b", name, mine))
      output.write(content.getBytes, 0, content.length)
      done(name, token = output.finish().token, sizeBytes = content.length.toLong)
    }

    def record(publish: Pending*): LogRecord =
      LogRecord(
        4,
        RecordKind.Epoch(9),
        mine,
        0,
        publish.toVector,
        SinkState("q", Some(9), Vector.empty, 0, Map.empty)
      )
  }

  test("what the record names becomes visible, and then the record is marked") {
    val world  = new World
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.onPublish = _ => assert(!world.records.isPublished(4))
    world.publisher.publish(record)
    assert(world.parts.finished === Map("b/p" -> "row\n", "b/q" -> "row\n"))
    assert(world.records.isPublished(4))
  }

  test("a record whose replaced parts could not be deleted stays unmarked, and a later run deletes them") {
    val finished = new UnreliableFinished
    val world    = new World(finished = finished)
    val merged   = world.record(world.closed("m")).copy(replace = Vector(FinishedPart("b", "p", 4, 1, 0)))
    intercept[IllegalStateException](world.publisher.publish(merged))
    assert(!world.records.isPublished(4))
    finished.isUp = true
    world.publisher.republish(merged)
    assert(finished.forgotten === Set(4L))
    assert(world.records.isPublished(4))
  }

  test("a record whose listener failed stays unmarked, and a later run tells the listener again") {
    var told  = Vector.empty[String]
    val world = new World(listener = bucket => {
      told :+= bucket.bucket
      if (told.size == 1) throw new IllegalStateException("the process died")
    })
    val marker = Marker("b", 1, MarkerForm.Empty, "main", "idle", 0, None, Totals(1, 1, 4), Totals(0, 0, 0))
    val marked = world.record(world.closed("p")).copy(follow = FollowUp(None, Vector(marker)))
    intercept[IllegalStateException](world.publisher.publish(marked))
    assert(!world.records.isPublished(4))
    world.publisher.republish(marked)
    assert(told === Vector("b", "b"))
    assert(world.records.isPublished(4))
  }

  test("publishing again changes nothing; a marked record is not even looked at") {
    val world  = new World
    val record = world.record(world.closed("p"))
    world.publisher.publish(record)
    world.publisher.publish(record)
    world.parts.forgetCalls()
    world.publisher.republish(record)
    assert(world.parts.calls.isEmpty)
    assert(world.parts.finished === Map("b/p" -> "row\n"))
  }

  test("a record that is not marked is published again where it stopped") {
    val world  = new World
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.onPublish = path => if (path == "b/q") throw new IllegalStateException("the process died")
    intercept[IllegalStateException](world.publisher.publish(record))
    assert(!world.records.isPublished(4))
    world.parts.onPublish = _ => ()
    world.publisher.republish(record)
    assert(world.parts.finished.keySet === Set("b/p", "b/q"))
  }

  test("a lost part is an error that names both places and the epoch, and the record stays unmarked") {
    val world  = new World
    val record = world.record(world.closed("p"))
    world.parts.lose(record.publish.head.handle.token)
    val lost = intercept[Exception](world.publisher.publish(record))
    assert(condition(throw lost) === "STOPLOG_PART_LOST")
    assert(Seq("/data/out/b/p", "t1", "9").forall(lost.getMessage.contains))
    assert(!world.records.isPublished(4))
  }

  test("a lost part is skipped on request, and the others are published") {
    val world  = new World(LostPart.Skip)
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.lose(record.publish.head.handle.token)
    world.publisher.publish(record)
    assert(world.parts.finished.keySet === Set("b/q"))
    assert(world.records.isPublished(4))
  }

  test("a part without bytes is not shown") {
    val world = new World
    world.publisher.publish(world.record(world.closed("empty", content = "")))
    assert(world.parts.finished.isEmpty)
    assert(world.records.isPublished(4))
  }

  test("a storage that fails is tried again, after growing pauses, as often as was asked for") {
    val world  = new World(tries = 3)
    var failed = 0
    world.parts.onPublish = path => {
      failed += 1
      if (failed < 3) throw Errors.storeWrite(path, "503", new IOException("503"))
    }
    world.publisher.publish(world.record(world.closed("p")))
    assert(world.parts.finished.keySet === Set("b/p"))
    val pauses = world.pauses.toArray(new Array[java.lang.Long](0)).map(_.longValue)
    assert(pauses.length === 2)
    assert(pauses(0) >= 1 && pauses(0) <= 10 && pauses(1) >= 1 && pauses(1) <= 20)
  }

  test("the last failure is thrown, and what is not the storage's fault at once") {
    val world = new World(tries = 3)
    var tried = 0
    world.parts.onPublish = path => {
      tried += 1; throw Errors.storeWrite(path, "503", new IOException("503"))
    }
    assert(condition(world.publisher.publish(world.record(world.closed("p")))) === "STOPLOG_STORE_WRITE")
    assert(tried === 3)
    world.parts.onPublish = path => { tried += 1; throw Errors.nameTaken(path, "it is") }
    assert(condition(world.publisher.publish(world.record(world.closed("q")))) === "STOPLOG_NAME_TAKEN")
    assert(tried === 4)
  }

  /** Deletes nothing until it is up. */
  private final class UnreliableFinished extends FinishedStore {
    var isUp                 = false
    var forgotten: Set[Long] = Set.empty

    override def sizeBytes(path: String): Option[Long]   = None
    override def setAside(seq: Long, path: String): Unit = ()
    override def putBack(seq: Long, path: String): Unit  = ()
    override def keep(path: String, as: String): Unit    = ()
    override def setAsideFor(): Vector[Long]             = Vector.empty
    override def forget(seq: Long): Unit                 =
      if (isUp) forgotten += seq else throw new IllegalStateException("the storage does not answer")
  }
}
