// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap, UUID}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.{Faults, Step}
import stoplog.format.SparkSessionForTests
import stoplog.sink.{CommitOutcome, Prepared}

class ChunkSenderSuite extends AnyFunSuite with SparkSessionForTests {
  private val schema = new StructType().add("line", StringType)

  // Paths are read as the session's Hadoop reads them.
  override protected def beforeAll(): Unit = {
    spark
    ()
  }

  private final class Fixture(more: (String, String)*) {
    private val name          = UUID.randomUUID().toString
    val inbox: InMemoryTarget = InMemoryTarget.named(name)
    private val chunks        = worldOf(more.toMap)
    def place: LogPlace       = chunks.place
    def kept: Int             = chunks.kept

    def prepared(lines: String*): Prepared = chunks.prepared(rows(lines))

    def sentByExecutors(lines: String*): CommitOutcome = chunks.sentByExecutors(rows(lines))

    private def rows(lines: Seq[String]) = lines.map(line => InternalRow(UTF8String.fromString(line)))

    def send(prepared: Prepared, faults: Faults = Faults.none): CommitOutcome = chunks.send(prepared, faults)

    def discard(prepared: Prepared): Unit = chunks.discard(prepared)

    private def worldOf(more: Map[String, String]) =
      new ChunkWorld(Map("sender" -> classOf[InboxSender].getName, "inbox" -> name) ++ more, schema)
  }

  private def dying(step: Step): Faults = ChunkWorld.dying(step)

  test("a chunk is sent once and recorded") {
    val world = new Fixture
    val chunk = world.prepared("a", "b")
    assert(world.send(chunk) === CommitOutcome.Committed)
    assert(world.send(chunk) === CommitOutcome.AlreadyCommitted)
    assert(world.inbox.rows === Seq("a", "b"))
  }

  for (committer <- Seq("files", classOf[InboxCommitters].getName))
    test(s"executors write and send rows without a session: committer $committer") {
      val world = new Fixture("committer" -> committer)
      assert(world.sentByExecutors("a", "b") === CommitOutcome.Committed)
      assert(world.inbox.rows === Seq("a", "b"))
    }

  test("a death before the first row or after the note duplicates no rows") {
    for (step <- Seq(WriteAheadStep.BeforeSend, WriteAheadStep.AfterNote)) {
      val world = new Fixture
      val chunk = world.prepared("a", "b")
      intercept[Exception](world.send(chunk, dying(step)))
      world.send(chunk)
      assert(world.inbox.rows === Seq("a", "b"), step)
    }
  }

  test("a death between the last row and the note repeats the chunk under its name") {
    val world = new Fixture
    val chunk = world.prepared("a", "b")
    intercept[Exception](world.send(chunk, dying(WriteAheadStep.AfterSend)))
    assert(world.send(chunk) === CommitOutcome.Committed)
    assert(world.inbox.rows === Seq("a", "b", "a", "b"))
    assert(world.inbox.chunks === Set(chunk.name))
  }

  test("a target that remembers chunks receives no chunk twice") {
    val world = new Fixture("remembers" -> "yes")
    val chunk = world.prepared("a", "b")
    intercept[Exception](world.send(chunk, dying(WriteAheadStep.AfterSend)))
    assert(world.send(chunk) === CommitOutcome.AlreadyCommitted)
    assert(world.send(chunk) === CommitOutcome.AlreadyCommitted)
    assert(world.inbox.rows === Seq("a", "b"))
  }

  test("a failed target is reported with the chunk, and the rows stay") {
    val world = new Fixture
    val chunk = world.prepared("a", "b")
    world.inbox.failsAfter = Some(1)
    val error = intercept[Exception with SparkThrowable](world.send(chunk))
    assert(error.getCondition === "STOPLOG_REQUEST_FAILED")
    for (said <- Seq(chunk.name, "epoch 7", "the inbox is full")) assert(error.getMessage.contains(said))
    assert(world.kept === 1)
    assert(world.send(chunk) === CommitOutcome.Committed)
  }

  test("a chunk is unsent if the target returns false, and the rows stay") {
    val world = new Fixture("answers" -> "false")
    val chunk = world.prepared("a", "b")
    val error = intercept[Exception with SparkThrowable](world.send(chunk))
    assert(error.getCondition === "STOPLOG_REQUEST_FAILED")
    assert(error.getMessage.contains("reported that some rows were not sent"))
    assert(world.kept === 1)
  }

  test("a chunk's time is the start of its micro-batch, from the log") {
    val token = ChunkToken.parse(new Fixture().prepared("a").token)
    assert(token.startedAtMillis === Some(1700000000123L))
    assert(token.epoch === Some(7L))
  }

  test("an unsent chunk with a missing file is lost") {
    val world = new Fixture
    val chunk = world.prepared("a")
    world.discard(chunk)
    assert(world.send(chunk) === CommitOutcome.Lost)
  }

  // A task pauses after the file is open. Meanwhile, another process sends the chunk, the driver deletes the
  // file, and the next epoch forgets the note.
  for (
    (moment, late) <- Seq(
      "before the committer reads the notes" -> ("committer" -> classOf[LateCommitters].getName),
      "inside the target's transaction"      -> ("sender"    -> classOf[LateNotingSender].getName)
    )
  ) test(s"an abandoned task that pauses $moment sends no chunk with a forgotten note") {
    val world = new Fixture(late)
    val chunk = world.prepared("a", "b")
    Meanwhile.happens = () => {
      assert(world.send(chunk) === CommitOutcome.Committed)
      world.discard(chunk)
    }
    assert(world.send(chunk) !== CommitOutcome.Committed)
    assert(world.inbox.rows === Seq("a", "b"))
  }

  test("only notes of earlier epochs are forgotten") {
    val world     = new Fixture
    val committer = new FileCommitters().open(java.util.Map.of(), world.place)
    val chunks    = Seq(3L, 9L, 10L).map(epoch => Chunk("main", "query", s"c$epoch", Some(epoch), 0, 1))
    chunks.foreach(committer.commit)
    chunks.foreach(committer.commit)
    committer.forgetBefore("another query", Long.MaxValue)
    committer.forgetBefore("query", 10)
    assert(chunks.map(committer.isCommitted) === Seq(false, false, true))
  }
}

/** Runs once while a task pauses. */
object Meanwhile {
  @volatile var happens: () => Unit = () => ()

  def run(): Unit = {
    val once = happens
    happens = () => ()
    once()
  }
}

/** Forgets each note at once. */
final class LateCommitters extends CheckpointCommitters {
  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter =
    new CheckpointCommitter {
      override def isCommitted(chunk: Chunk): Boolean = {
        Meanwhile.run()
        false
      }
      override def commit(chunk: Chunk): Unit                     = ()
      override def forgetBefore(query: String, epoch: Long): Unit = ()
    }
}

/** Forgets each note at once. */
final class LateNotingSender extends InboxSender {
  override def open(options: JMap[String, String], schema: StructType): RowTarget = {
    val inbox = super.open(options, schema)
    new NotingTarget {
      override def has(chunk: Chunk): ArrivalStatus = ArrivalStatus.Missing

      override def send(chunk: Chunk, rows: ChunkRows): Boolean = {
        Meanwhile.run()
        inbox.send(chunk, rows)
      }

      override def close(): Unit = inbox.close()
    }
  }
}
