// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log._
import stoplog.part.{FinishedPart, Pending}
import stoplog.storage.{NewPart, NoFiles, ReplacedFiles}

class SettlingSuite extends AnyFunSuite {

  private final class World(
      onLost: LostPart = LostPart.Fail,
      tries: Int = 1,
      listener: MarkedBucket => Unit = _ => (),
      finished: ReplacedFiles = ReplacedFiles.none
  ) {
    val parts    = new MemoryParts
    val records  = new MemoryRecords
    val pauses   = new java.util.concurrent.ConcurrentLinkedQueue[Long]()
    val log      = new CommitLog(records)
    val settling = new Settling(
      SinkStores.of(log, parts, replaced = finished),
      identity,
      onLost,
      MemoryNotes.unasked.copy(listener = listener),
      DriverTools(
        Clock.system,
        Faults.none,
        DriverLock.semaphore(),
        Parallel.sequential,
        StorageRetry.jittered(tries, baseMillis = 10, pauses.add(_))
      )
    )

    def publish(record: LogRecord): Boolean   = settling.carryOut(record, visible = Set.empty)
    def republish(record: LogRecord): Boolean = settling.carryOutAgain(record)

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
    world.publish(record)
    assert(world.parts.finished === Map("b/p" -> "row\n", "b/q" -> "row\n"))
    assert(world.records.isPublished(4))
  }

  test("a record whose replaced parts could not be deleted stays unmarked, and a later run deletes them") {
    val finished = new UnreliableFinished
    val world    = new World(finished = finished)
    val merged   = world.record(world.closed("m")).copy(replace = Vector(FinishedPart("b", "p", 4, 1, 0)))
    intercept[IllegalStateException](world.publish(merged))
    assert(!world.records.isPublished(4))
    finished.isUp = true
    world.republish(merged)
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
    intercept[IllegalStateException](world.publish(marked))
    assert(!world.records.isPublished(4))
    world.republish(marked)
    assert(told === Vector("b", "b"))
    assert(world.records.isPublished(4))
  }

  test("what was visible is never looked for again, though a listener kept the record from being marked") {
    var isUp   = false
    val world  = new World(listener = _ => if (!isUp) throw new IllegalStateException("the catalog is down"))
    val marker = Marker("b", 1, MarkerForm.Empty, "main", "idle", 0, None, Totals(1, 1, 4), Totals(0, 0, 0))
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

  test("where one of several parts cannot be published, the others are not looked for again") {
    val world  = new World
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

  test("a publisher that fails keeps what another one has noted as visible meanwhile") {
    val world  = new World
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

  test(
    "of two that note at once what is visible, the later one takes nothing away from what the other has noted"
  ) {
    val world   = new World
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

  test("who publishes all of a record by itself was alone; who finds a part visible, or the mark, was not") {
    val alone = new World
    assert(alone.publish(alone.record(alone.closed("p"), alone.closed("q"))))
    val second = new World
    val shared = second.record(second.closed("p"), second.closed("q"))
    second.parts.publish(shared.publish.head.handle, 4, "b/p")
    assert(!second.publish(shared))
    val late = new World
    late.parts.onPublished = { _ => late.records.markPublished(4); () }
    assert(!late.publish(late.record(late.closed("p"))))
  }

  test("a part that is gone is not lost where others have marked its record, or have noted it as visible") {
    val marked = new World
    val record = marked.record(marked.closed("p"))
    marked.parts.lose(record.publish.head.handle.token)
    marked.records.markPublished(4)
    assert(!marked.publish(record))
    val noted = new World
    val other = noted.record(noted.closed("p"), noted.closed("q"))
    noted.parts.lose(other.publish.head.handle.token)
    noted.log.noteVisible(other, Set("b/p"))
    assert(!noted.publish(other))
    assert(noted.parts.finished.keySet === Set("b/q"))
    val elsewhere = new World
    val lost      = elsewhere.record(elsewhere.closed("p"), elsewhere.closed("q"))
    elsewhere.parts.lose(lost.publish.head.handle.token)
    elsewhere.log.noteVisible(lost, Set("b/q"))
    assert(condition(elsewhere.publish(lost)) === "STOPLOG_PART_LOST")
  }

  test("a merge whose part is lost brings its inputs back, and no other record brings anything back") {
    val replace = Vector(FinishedPart("b", "p", 4, 1, 0), FinishedPart("b", "q", 4, 1, 0))
    def brought(kind: RecordKind, names: String*): Vector[String] = {
      val finished = new UnreliableFinished
      val world    = new World(finished = finished)
      val record   = world.record(names.map(world.closed(_)): _*).copy(kind = kind, replace = replace)
      world.parts.lose(record.publish.head.handle.token)
      assert(condition(world.publish(record)) === "STOPLOG_PART_LOST")
      assert(finished.broughtBackLate.isEmpty)
      finished.broughtBack
    }
    assert(brought(RecordKind.Compact, "m") === Vector("b/p", "b/q"))
    assert(brought(RecordKind.Epoch(9), "m").isEmpty)
    assert(brought(RecordKind.Compact, "m", "n").isEmpty)
  }

  test(
    "who sets the inputs of a merge aside after its end brings them back; before it, or of another record, nobody does"
  ) {
    val replace = Vector(FinishedPart("b", "p", 4, 1, 0))
    def brought(kind: RecordKind)(meanwhile: (World, LogRecord) => Any): Vector[String] = {
      val finished = new UnreliableFinished
      finished.isUp = true
      val world  = new World(finished = finished)
      val record = world.record(world.closed("m")).copy(kind = kind, replace = replace)
      world.parts.lose(record.publish.head.handle.token)
      meanwhile(world, record)
      assert(!world.publish(record))
      assert(finished.broughtBack.isEmpty)
      finished.broughtBackLate
    }
    val marked: (World, LogRecord) => Any = (world, _) => world.records.markPublished(4)
    assert(brought(RecordKind.Compact)(marked) === Vector("b/p"))
    assert(brought(RecordKind.Epoch(9))(marked).isEmpty)
    assert(
      brought(RecordKind.Compact)((world, merge) =>
        world.records.putIfAbsent(5, RecordCodec.encode(merge.copy(seq = 5)))
      ) === Vector("b/p")
    )
    assert(brought(RecordKind.Compact)((world, merge) => world.log.noteVisible(merge, Set("b/m"))).isEmpty)
  }

  test("parts that a merge has replaced do not come back once the merged part was visible") {
    val finished = new UnreliableFinished
    val world    = new World(finished = finished)
    val merged   = world
      .record(world.closed("m"))
      .copy(
        kind = RecordKind.Compact,
        replace = Vector(FinishedPart("b", "p", 4, 1, 0))
      )
    intercept[IllegalStateException](world.publish(merged))
    world.parts.take("b/m")
    finished.isUp = true
    world.republish(merged)
    assert(finished.broughtBack.isEmpty && finished.forgotten === Set(4L))
  }

  test("a merged part that a reader takes before the driver dies is not lost: no input comes back") {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world  = new World(finished = finished)
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

  test(
    "a merged part that is lost before its publication is lost at every start, until the user goes on without it"
  ) {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world  = new World(finished = finished)
    val merged = merge(world, "p", "q")
    world.parts.lose(merged.publish.head.handle.token)
    assert(condition(world.publish(merged)) === "STOPLOG_PART_LOST")
    assert(condition(world.republish(merged)) === "STOPLOG_PART_LOST")
    assert(finished.forgotten.isEmpty && !world.records.isPublished(4))
  }

  test(
    "a merge is called off when a reader took an input before it went out of sight: the others come back"
  ) {
    val finished = new UnreliableFinished
    val world    = new World(finished = finished)
    val merged   = merge(world, "p", "q")
    finished.taken = Set("b/p")
    world.publish(merged)
    assert(world.parts.finished.isEmpty)
    assert(finished.broughtBack === Vector("b/p", "b/q") && finished.forgotten.isEmpty)
    assert(world.records.isPublished(4))
  }

  test("a process that comes late to a merge that was called off brings back what it has set aside") {
    val finished = new UnreliableFinished
    val world    = new World(finished = finished)
    val merged   = merge(world, "p", "q")
    finished.taken = Set("b/p")
    world.records.markPublished(4)
    assert(!world.publish(merged))
    assert(finished.broughtBack.isEmpty && finished.broughtBackLate === Vector("b/p", "b/q"))
    assert(world.parts.finished.isEmpty)
  }

  test("inputs that are deleted after the merged part was noted do not call the merge off") {
    val finished = new UnreliableFinished
    finished.isUp = true
    val world  = new World(finished = finished)
    val merged = merge(world, "p", "q")
    finished.taken = Set("b/p", "b/q")
    world.log.noteMerge(merged, MergeNote.Begun)
    world.publish(merged)
    assert(world.parts.finished.keySet === Set("b/m") && finished.broughtBack.isEmpty)
  }

  test("whoever finds a newer record takes no part for lost, and brings nothing back") {
    val finished = new UnreliableFinished
    val world    = new World(finished = finished)
    val merged   = world
      .record(world.closed("m"))
      .copy(
        kind = RecordKind.Compact,
        replace = Vector(FinishedPart("b", "p", 4, 1, 0))
      )
    finished.isUp = true
    world.parts.lose(merged.publish.head.handle.token)
    world.records.putIfAbsent(5, RecordCodec.encode(merged.copy(seq = 5)))
    assert(!world.publish(merged))
    assert(finished.broughtBack.isEmpty)
  }

  test("publishing again changes nothing; a marked record is not even looked at") {
    val world  = new World
    val record = world.record(world.closed("p"))
    world.publish(record)
    world.publish(record)
    world.parts.forgetCalls()
    world.republish(record)
    assert(world.parts.calls.isEmpty)
    assert(world.parts.finished === Map("b/p" -> "row\n"))
  }

  test("a record that is not marked is published again where it stopped") {
    val world  = new World
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.onPublish = path => if (path == "b/q") throw new IllegalStateException("the process died")
    intercept[IllegalStateException](world.publish(record))
    assert(!world.records.isPublished(4))
    world.parts.onPublish = _ => ()
    world.republish(record)
    assert(world.parts.finished.keySet === Set("b/p", "b/q"))
  }

  test("a lost part is an error that names both places and the epoch, and the record stays unmarked") {
    val world  = new World
    val record = world.record(world.closed("p"))
    world.parts.lose(record.publish.head.handle.token)
    val lost = intercept[Exception](world.publish(record))
    assert(condition(throw lost) === "STOPLOG_PART_LOST")
    assert(Seq("/data/out/b/p", "t1", "9").forall(lost.getMessage.contains))
    assert(!world.records.isPublished(4))
  }

  test("a lost part is skipped on request, and the others are published") {
    val world  = new World(LostPart.Skip)
    val record = world.record(world.closed("p"), world.closed("q"))
    world.parts.lose(record.publish.head.handle.token)
    world.publish(record)
    assert(world.parts.finished.keySet === Set("b/q"))
    assert(world.records.isPublished(4))
  }

  test("a part without bytes is not shown") {
    val world = new World
    world.publish(world.record(world.closed("empty", content = "")))
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
    world.publish(world.record(world.closed("p")))
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
    assert(condition(world.publish(world.record(world.closed("p")))) === "STOPLOG_STORE_WRITE")
    assert(tried === 3)
    world.parts.onPublish = path => { tried += 1; throw Errors.nameTaken(path, "it is") }
    assert(condition(world.publish(world.record(world.closed("q")))) === "STOPLOG_NAME_TAKEN")
    assert(tried === 4)
  }

  private def merge(world: World, inputs: String*): LogRecord = world
    .record(world.closed("m"))
    .copy(kind = RecordKind.Compact, replace = inputs.map(FinishedPart("b", _, 4, 1, 0)).toVector)

  /** Deletes nothing until it is up. */
  private final class UnreliableFinished extends ReplacedFiles(NoFiles, "main") {
    var isUp                 = false
    var forgotten: Set[Long] = Set.empty
    var broughtBack          = Vector.empty[String]
    var broughtBackLate      = Vector.empty[String]

    override def sizeBytes(path: String): Option[Long] = None
    override def hide(seq: Long, path: String): Unit   = ()

    /** By a reader, before they could be hidden. */
    var taken: Set[String] = Set.empty

    override def hidden(seq: Long, paths: Seq[String]): Set[String] = paths.toSet -- taken

    override def restore(seq: Long, path: String): Unit = broughtBack :+= path
    override def keep(path: String, as: String): Unit   = ()

    override def restoreLate(seq: Long, path: String): Unit = broughtBackLate :+= path

    override def hiddenFor(): Vector[Long] = Vector.empty
    override def purge(seq: Long): Unit    =
      if (isUp) forgotten += seq else throw new IllegalStateException("the storage does not answer")
  }
}
