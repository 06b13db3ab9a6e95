// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit._
import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.part.{LastWriter, Open, PartNaming, PartRows, Resume, SpoolFile, Spooled}
import stoplog.plan.{Attempt, TaskPlan, TaskResult}
import stoplog.rolling.{RollReason, RollingPolicy}
import stoplog.thread.Parallel

class TaskWriterSuite extends AnyFunSuite {
  private val clock = new ManualClock(1000)
  private var parts = new MemoryParts

  private def task(
      checkBucket: String => Unit = _ => (),
      policy: RollingPolicy = Rolls.never,
      handed: Vector[Open] = Vector.empty,
      attempt: Attempt = Attempt.First,
      maxOpenParts: Int = 100,
      format: PartFormat[String] = Lines,
      slot: Int = 0,
      slots: Int = 1,
      mayStart: () => Unit = () => (),
      parallel: Parallel = Parallel.sequential
  ): TaskWriter[String] = {
    val plan = TaskPlan(mine, 5, slot, attempt, handed, firstPart = 10L + slot, stride = slots)
    new TaskWriter(
      plan,
      parts,
      new SpoolWriter(new MemorySpoolFiles, Faults.none),
      format,
      TaskWriter.Rules(policy, PartNaming("part", ".txt"), maxOpenParts, checkBucket, mayStart),
      TaskWriter.Tools(clock, Faults.none, parallel)
    )
  }

  private def name(number: Int): String = s"part-111111111111-$number.txt"

  /** An open part with this content, as an earlier epoch left it. */
  private def left(content: String, name: String, bucket: String = "b"): Open = {
    val output = parts.create(stoplog.storage.NewPart(bucket, name, mine))
    output.write(content.getBytes, 0, content.length)
    val handle = output.persist()
    withRows(open(name, bucket, token = handle.token, validBytes = content.length.toLong))(_.copy(count = 2))
  }

  private def written(name: String)(body: => Unit): Unit = test(name) {
    parts = new MemoryParts
    body
  }

  written("a part that cannot be finished is closed with the others") {
    val writer = task(maxOpenParts = 1, format = EndlessMembers)
    writer.write("a", "one")
    assertThrows[IOException](writer.write("b", "two"))
    writer.close()
    assert(parts.calls.last === "close t1")
  }

  written("nothing is asked of the store before the first row, nor for no rows at all") {
    val idle = task(handed = Vector(left("#\nold\n", "p")))
    parts.forgetCalls()
    assert(idle.commit() === TaskResult(0, Attempt.First, Vector.empty, Vector.empty, 10))
    assert(parts.calls.isEmpty)
  }

  written("a part was last written to when it was opened, if the clock was set back since") {
    val writer = task()
    writer.write("b", "one")
    clock.step(-7)
    writer.write("b", "two")
    clock.advance(7)
    val part = writer.commit().open.head
    assert((part.openedAtMillis, part.lastWrittenAtMillis) === ((1000L, 1000L)))
  }

  written("rows of a new bucket begin a part, which is left open and says all that the next epoch needs") {
    val writer = task(slot = 1, slots = 3)
    writer.write("b", "one")
    clock.advance(7)
    writer.write("b", "two")
    val now    = clock.millis()
    val result = writer.commit()
    assert(result.closed.isEmpty)
    val expected = Open("b", name(11), Resume("t1"), 10, PartRows(2, now - 7, now), LastWriter(1, Some(mine)))
    assert(result.open === Vector(expected))
    assert(result.nextPart === 14)
    assert(parts.content("t1") === "#\none\ntwo\n")
    assert(writer.counts === TaskWriter.Counts(partsOpened = 1, partsClosed = 0, bytesWritten = 10))
  }

  written("a part that only got rows beside it is its run's own as long as nobody else may write to it") {
    for ((attempt, owner) <- Seq(Attempt.First -> Some(mine), Attempt.Repeated -> None)) {
      val before = left("#\none\n", "p").copy(spooled = Spooled("1", Vector(SpoolFile("s", 1, 0)), 1))
      val writer = task(handed = Vector(before), attempt = attempt, format = BesideLines)
      writer.write("b", "two")
      val part = writer.commit().open.head
      assert(part.handle === before.handle)
      assert(part.owner === owner, attempt)
    }
  }

  written("all parts of a task are made durable at once, each once") {
    var atOnce = Seq.empty[Int]
    val writer = task(
      policy = Rolls(onEpochEnd = part => Option.when(part.bucket == "a")(RollReason.Checkpoint)).policy,
      parallel = new Parallel {
        override def map[A, B](items: Seq[A])(action: A => B): Seq[B] = {
          atOnce :+= items.size
          Parallel.sequential.map(items)(action)
        }
        override def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B] = map(items)(action)
        override def uninterrupted[A](action: => A): A                                 = action
      }
    )
    Seq("a", "b", "c").foreach(writer.write(_, "row"))
    val result = writer.commit()
    assert(atOnce === Seq(3))
    assert(result.closed.map(_.bucket) === Vector("a") && result.open.map(_.bucket) === Vector("b", "c"))
    assert(
      parts.calls.count(_.startsWith("persist")) === 2 && parts.calls.count(_.startsWith("finish")) === 1
    )
    assert(writer.counts === TaskWriter.Counts(partsOpened = 3, partsClosed = 1, bytesWritten = 18))
  }

  written("names of one task are as far apart as there are tasks") {
    val writer = task(slot = 2, slots = 4)
    Seq("a", "b", "c").foreach(writer.write(_, "row"))
    assert(writer.commit().open.map(_.name) === Vector(12, 16, 20).map(name))
  }

  written(
    "a handed part is gone on with in place by the first attempt of the run that owns it, without a new header"
  ) {
    val writer = task(handed = Vector(left("#\nold\n", "p")))
    writer.write("b", "new")
    val result = writer.commit()
    assert(parts.calls.contains("resume t1 at 6"))
    assert(parts.content("t1") === "#\nold\nnew\n")
    assert(result.open.map(part => (part.name, part.records, part.validBytes)) === Vector(("p", 3L, 10L)))
    assert(result.open.head.openedAtMillis === 0, "the age of a part counts from its first epoch")
  }

  written("an attempt with a part that others may reach writes to a copy, and reports the copy") {
    val handed = left("#\nold\n", "p")
    parts.othersAlive = true
    for (
      (attempt, owner) <- Seq(
        Attempt.Repeated -> Some(mine),
        Attempt.First    -> None,
        Attempt.First    -> Some(other)
      )
    ) {
      val writer = task(handed = Vector(handed.ownedBy(owner)), attempt = attempt)
      writer.write("b", "new")
      val result = writer.commit()
      assert(result.attempt === attempt)
      assert(parts.calls.contains("takeOver t1 at 6") && !parts.calls.exists(_.startsWith("resume")))
      assert(parts.content("t1") === "#\nold\n")
      assert(result.open.map(part => parts.content(part.handle.token)) === Vector("#\nold\nnew\n"))
      assert(result.open.map(part => (part.name, part.owner)) === Vector(("p", Some(mine))))
    }
  }

  written("the policy closes a part before the row that would be too many") {
    val writer = task(policy = Rolls.atRecords(2))
    (1 to 5).foreach(n => writer.write("b", s"$n"))
    val result = writer.commit()
    assert(
      result.closed.map(part => (part.name, part.records, part.reason)) ===
        Vector((name(10), 2L, RollReason.Records), (name(11), 2L, RollReason.Records))
    )
    assert(result.open.map(part => (part.name, part.records)) === Vector((name(12), 1L)))
    assert(result.closed.map(part => parts.content(part.handle.token)) === Vector("#\n1\n2\n", "#\n3\n4\n"))
  }

  written("size and age are the policy's to judge, with the part's true numbers") {
    val policy = Rolls(beforeRow =
      part =>
        if (part.sizeBytes >= 6) Some(RollReason.Size)
        else Option.when(clock.millis() - part.openedAtMillis >= 50)(RollReason.Age)
    ).policy
    val writer = task(policy = policy)
    Seq("1", "2", "3").foreach(writer.write("b", _))
    clock.advance(50)
    writer.write("b", "4")
    val result = writer.commit()
    assert(
      result.closed.map(part => (part.sizeBytes, part.reason)) === Vector(
        (6L, RollReason.Size),
        (4L, RollReason.Age)
      )
    )
  }

  written("a policy is never asked about a part without rows") {
    val policy = Rolls(beforeRow = part => { assert(part.records > 0); Some(RollReason.Records) }).policy
    val writer = task(policy = policy)
    (1 to 3).foreach(n => writer.write("b", s"$n"))
    assert(writer.commit().closed.map(_.records) === Vector(1L, 1L))
  }

  written("at the end of the epoch the policy is asked for the epoch, then for the clock") {
    val both = Rolls(onTime = (_, _) => Some(RollReason.Age), onEpochEnd = _ => Some(RollReason.Checkpoint))
    for ((policy, reason) <- Seq(both.policy -> RollReason.Checkpoint, Rolls.atAge(0) -> RollReason.Age)) {
      val writer = task(policy = policy)
      writer.write("b", "row")
      val result = writer.commit()
      assert(result.closed.map(_.reason) === Vector(reason))
      assert(result.open.isEmpty)
    }
  }

  written("several handed parts of one bucket are filled one after the other before a new one is begun") {
    val writer =
      task(policy = Rolls.atRecords(3), handed = Vector(left("#\na\nb\n", "p"), left("#\nc\nd\n", "q")))
    (1 to 3).foreach(n => writer.write("b", s"$n"))
    val result = writer.commit()
    assert(result.closed.map(part => (part.name, part.records)) === Vector(("p", 3L), ("q", 3L)))
    assert(result.open.map(part => (part.name, part.records)) === Vector((name(10), 1L)))
  }

  written("a part that was handed over full is closed without another row") {
    val writer = task(policy = Rolls.atRecords(2), handed = Vector(left("#\na\nb\n", "p")))
    writer.write("b", "new")
    val result = writer.commit()
    assert(result.closed.map(part => (part.name, part.sizeBytes, part.records)) === Vector(("p", 6L, 2L)))
    assert(result.open.map(_.records) === Vector(1L))
  }

  written("handed parts of other buckets are left alone") {
    val writer = task(handed = Vector(left("#\nold\n", "p", bucket = "quiet")))
    parts.forgetCalls()
    writer.write("b", "row")
    assert(writer.commit().open.map(_.bucket) === Vector("b"))
    assert(!parts.calls.exists(_.contains("t1")))
  }

  written("beyond maxOpenParts the part that was unused for longest is closed, with that reason") {
    val writer = task(maxOpenParts = 2)
    Seq("a", "b", "a", "a", "c", "a", "d").foreach(bucket => writer.write(bucket, s"row of $bucket"))
    val result = writer.commit()
    assert(
      result.closed.map(part => part.bucket -> part.reason) ===
        Vector("b" -> RollReason.OpenLimit, "c" -> RollReason.OpenLimit)
    )
    assert(result.open.map(_.bucket).toSet === Set("a", "d"))
    assert(result.open.map(_.records).sum === 5)
  }

  written("a single open part at a time is enough for any order of rows") {
    val writer = task(maxOpenParts = 1)
    Seq("a", "b", "a", "b").foreach(writer.write(_, "row"))
    val result = writer.commit()
    assert((result.closed ++ result.open).map(_.records).sum === 4)
    assert(result.open.size === 1)
    assert((result.closed ++ result.open).map(_.name).distinct.size === 4)
  }

  written("what a compressor held back counts when the epoch ends, and members end with the epoch") {
    val policy = Rolls(onEpochEnd = part => Option.when(part.sizeBytes >= 8)(RollReason.Size)).policy
    val writer = task(policy = policy, format = HeldBackLines)
    writer.write("b", "four")
    writer.write("c", "1")
    val result = writer.commit()
    assert(result.closed.map(part => (part.bucket, part.sizeBytes)) === Vector(("b", 9L)))
    assert(result.open.map(part => (part.bucket, part.validBytes)) === Vector(("c", 6L)))
    assert(parts.content("t1") === "<#\nfour\n>")
    val next = task(handed = result.open, format = HeldBackLines)
    next.write("c", "2")
    next.commit()
    assert(parts.content("t2") === "<#\n1\n><2\n>")
  }

  written(
    "the lease is taken before the first byte, once, with the question whether to start, and given back"
  ) {
    val asked  = new java.util.concurrent.atomic.AtomicInteger()
    val writer = task(mayStart = () => {
      assert(parts.leasesHeld === 1)
      assert(parts.calls === Seq("enter"))
      asked.incrementAndGet()
      ()
    })
    Seq("a", "b", "a").foreach(writer.write(_, "row"))
    assert(parts.leasesHeld === 1)
    writer.commit()
    assert(parts.leasesHeld === 0)
    assert(asked.get === 1)
    assert(parts.calls.count(_ == "enter") === 1)
  }

  written("a task of a fenced run opens nothing, and gives its lease back") {
    val writer = task(mayStart = () => throw stoplog.error.Errors.fenced("p", "main", 1, "r"))
    assert(condition(writer.write("b", "row")) === "STOPLOG_FENCED")
    assert(parts.calls === Seq("enter"))
    writer.close()
    assert(parts.leasesHeld === 0)
  }

  written("where late writers do no harm, a task looks only when it misses a part, to say who has taken it") {
    parts.forLateWriters = true
    val handed = Vector(left("one", name(1)))
    task(handed = handed, mayStart = () => fail("it looked")).write("b", "row")
    assert(parts.calls.count(_ == "enter") === 1)
    parts.lose(handed.head.handle.token)
    assert(condition(task(handed = handed).write("b", "row")) === "STOPLOG_PART_SHORT")
    assert(condition(task(handed = handed, mayStart = fenced).write("b", "row")) === "STOPLOG_FENCED")
  }

  written(
    "there, a task that misses its part at the end is told the same, and a look that fails hides nothing"
  ) {
    parts.forLateWriters = true
    def missing(mayStart: () => Unit): TaskWriter[String] = {
      val handed = left("one", name(1))
      val writer = task(handed = Vector(handed), mayStart = mayStart)
      writer.write("b", "row")
      parts.lose(handed.handle.token)
      writer
    }
    assert(condition(missing(fenced).commit()) === "STOPLOG_FENCED")
    assert(condition(missing(() => ()).commit()) === "STOPLOG_PART_SHORT")
    assert(condition(missing(() => throw new IOException("no answer")).commit()) === "STOPLOG_PART_SHORT")
  }

  private def fenced: () => Unit = () => throw stoplog.error.Errors.fenced("p", "main", 1, "r")

  written("a bucket that cannot be written to is refused before anything is opened or announced") {
    val writer =
      task(checkBucket = bucket => throw stoplog.error.Errors.bucketId(bucket, "it leaves the path"))
    assert(condition(writer.write("../x", "row")) === "STOPLOG_BUCKET_ID")
    assert(parts.calls.isEmpty)
  }

  written("counts are of this task alone, and bytes count once their part is closed or persisted") {
    val writer = task(policy = Rolls.atRecords(3), handed = Vector(left("#\na\nb\n", "p")))
    (1 to 4).foreach(n => writer.write("b", s"$n"))
    writer.commit()
    assert(
      writer.counts === TaskWriter.Counts(partsOpened = 1, partsClosed = 1, bytesWritten = 2 + 8)
    )
  }

  written("closing instead of committing closes every file, deletes nothing, and may be repeated") {
    val writer = task()
    Seq("a", "b").foreach(writer.write(_, "row"))
    writer.close()
    writer.close()
    assert(parts.calls.filter(_.startsWith("close")) === Seq("close t1", "close t2"))
    assert(!parts.calls.exists(_.startsWith("discard")))
    assert(parts.leasesHeld === 0)
    assert(parts.staged().size === 2)
  }

  written("closing after committing changes nothing") {
    val writer = task()
    writer.write("b", "row")
    writer.commit()
    parts.forgetCalls()
    writer.close()
    assert(parts.calls.isEmpty)
    assert(parts.leasesHeld === 0)
  }

  /** Takes no row that begins with a minus. */
  private object Picky extends RowPartFormat[String] {
    override def start(out: java.io.OutputStream): Unit               = Lines.start(out)
    override def encode(row: String, out: java.io.OutputStream): Unit = {
      if (row.startsWith("-")) throw new BadRow(new IllegalArgumentException(row))
      Lines.encode(row, out)
    }
    override def openMember(out: java.io.OutputStream): Option[Member] = None
  }

  written(
    "a part whose rows could all not be written is in no result, at whatever moment it would have closed"
  ) {
    val writer = task(format = Picky, maxOpenParts = 1)
    for (bucket <- Seq("a", "b", "c")) intercept[BadRow](writer.write(bucket, "-1"))
    writer.write("c", "2")
    val result = writer.commit()
    assert(result.closed.isEmpty)
    assert(result.open.map(part => part.bucket -> part.records) === Vector("c" -> 1L))
  }

  written("a part that gets nothing but rows that cannot be written stays as it was") {
    val before = left("#\nold\n", "p")
    val writer = task(format = Picky, handed = Vector(before))
    intercept[BadRow](writer.write("b", "-1"))
    val result = writer.commit()
    assert(result.open.map(part => part.validBytes -> part.records) === Vector(before.validBytes -> 2L))
  }
}
