// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.UUID
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests
import stoplog.sink.{CommitOutcome, Prepared}

/** What is asked of a sender and a committer that work together: each row once, whoever dies. */
abstract class SendingLaws extends AnyFunSuite with SparkSessionForTests {
  import SendingLaws._

  /** A new table of `id` and `word`, without rows. */
  protected def newTarget(): Target

  /** Whether a task that was given up is kept out for good, and not only has no effect. */
  protected def keepsLateTasksOut: Boolean

  private val schema = new StructType().add("id", LongType).add("word", StringType)

  private final class Fixture {
    spark
    private val own    = UUID.randomUUID().toString
    val target: Target = newTarget()

    /** Chunks are named after their query, and no two in the world have one name. */
    def query(name: String): String = s"$own-$name"

    val chunks: ChunkWorld = new ChunkWorld(target.options, schema)

    def prepared(ids: Range, name: String = "query", epoch: Long = 7, partition: Int = 0): Prepared =
      chunks.prepared(
        ids.map(id => InternalRow(id.toLong, UTF8String.fromString(s"w$id"))),
        query(name),
        epoch,
        partition
      )

    def assertEachOnce(ids: Range): Unit = {
      assert(target.rows().sorted === ids.map(id => id.toLong -> s"w$id"))
      ()
    }
  }

  test("a chunk is sent once and recorded") {
    val world = new Fixture
    val chunk = world.prepared(0 until 20)
    assert(world.chunks.send(chunk) === CommitOutcome.Committed)
    assert(world.chunks.send(chunk) === CommitOutcome.AlreadyCommitted)
    assert(world.chunks.committer().isCommitted(world.chunks.chunkOf(chunk)))
    world.assertEachOnce(0 until 20)
  }

  test("executors write and send rows without a session") {
    val world = new Fixture
    val rows  = (0 until 5).map(id => InternalRow(id.toLong, UTF8String.fromString(s"w$id")))
    assert(world.chunks.sentByExecutors(rows) === CommitOutcome.Committed)
    world.assertEachOnce(0 until 5)
  }

  for (step <- WriteAheadStep.all) test(s"a death at ${step.name} duplicates no rows: ${step.after}") {
    val world = new Fixture
    val chunk = world.prepared(0 until 20)
    intercept[Exception](world.chunks.send(chunk, ChunkWorld.dying(step)))
    world.chunks.send(chunk)
    assert(world.chunks.send(chunk) === CommitOutcome.AlreadyCommitted)
    world.assertEachOnce(0 until 20)
  }

  test("concurrent sends of several chunks of an epoch write each row once") {
    val world  = new Fixture
    val chunks = (0 until 4).map(n => world.prepared(n * 50 until (n + 1) * 50, partition = n))
    world.chunks.start()
    val threads = Executors.newFixedThreadPool(8)
    val sends   =
      (chunks ++ chunks).map(chunk => (() => Try(world.chunks.send(chunk))): Callable[Try[CommitOutcome]])
    try threads.invokeAll(sends.asJava).asScala.foreach(_.get())
    finally threads.shutdown()
    // Who was in the way of another may have failed; Spark tries a task again.
    chunks.foreach(world.chunks.send(_))
    world.assertEachOnce(0 until 200)
  }

  test("an unsent chunk with a missing file is lost") {
    val world = new Fixture
    val sent  = world.prepared(0 until 5)
    val lost  = world.prepared(5 until 10, partition = 1)
    world.chunks.send(sent)
    Seq(sent, lost).foreach(world.chunks.discard)
    assert(world.chunks.send(sent) === CommitOutcome.AlreadyCommitted)
    assert(world.chunks.send(lost) === CommitOutcome.Lost)
  }

  test("queries that share a place for notes forget only their own notes") {
    val world     = new Fixture
    val one       = (0 until 3).map(epoch => world.prepared(epoch until epoch + 1, "one", epoch.toLong))
    val other     = world.prepared(3 until 4, "other", epoch = 0)
    val committer = { world.chunks.start(); world.chunks.committer() }
    (one :+ other).foreach(world.chunks.send(_))
    for (_ <- 1 to 2) committer.forgetBefore(world.query("one"), 2)
    assert(committer.isCommitted(world.chunks.chunkOf(one.last)))
    assert(committer.isCommitted(world.chunks.chunkOf(other)))
    assert(committer.isCommitted(world.chunks.chunkOf(one.head)) === keepsLateTasksOut)
    committer.close()
  }

  test("a late task whose note has been forgotten changes nothing") {
    val world = new Fixture
    val late  = world.prepared(0 until 5, epoch = 7)
    world.chunks.send(late)
    val committer = world.chunks.committer()
    committer.forgetBefore(world.query("query"), 8)
    committer.close()
    world.chunks.send(late)
    world.assertEachOnce(0 until 5)
  }
}

object SendingLaws {

  /** @param options of the write
    * @param rows    that are in the table
    */
  final class Target(val options: Map[String, String], val rows: () => Seq[(Long, String)])
}
