// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.util.concurrent.{Callable, Executors}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import io.delta.kernel.commit.{CommitFailedException, CommitMetadata, CommitResponse, Committer}
import io.delta.kernel.data.Row
import io.delta.kernel.engine.Engine
import io.delta.kernel.utils.CloseableIterator
import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._
import stoplog.delta.CommitFaultsSuite._
import stoplog.format.SparkSessionForTests

/** Storages that lose responses, and several writers at the same time. */
class CommitFaultsSuite extends AnyFunSuite with SparkSessionForTests {

  for (
    (what, fault, position) <- Seq(
      ("a commit with a lost answer is in the table once", Fault.LostAnswer, 1L -> 0),
      ("repeats a lost commit", Fault.LostCommit, 0L                            -> 0)
    )
  )
    test(what) {
      val world = begun()
      val file  = world.written(numbers(1))
      val lossy = world.targetBy(faulty(fault))
      assert(lossy.deliver(Vector(world.added(1, file))).isInstanceOf[Delivery.Unknown])
      assert(world.position(lossy) === Some(position))
      world.delivered(world.target(), world.added(1, file))
      assert(world.ids === Seq(0L, 1L))
      assert(world.actions("add").size === 2)
    }

  test("a successful commit reported as a conflict is in the table once") {
    val world = begun()
    world.delivered(
      world.targetBy(faulty(Fault.FalseConflict)),
      world.added(1, world.written(numbers(1)))
    )
    assert(world.actions("add").size === 2)
    assert(world.versions.size === 2)
  }

  test("a late commit of another driver and the repeated commit are in the table once") {
    val world = begun()
    val file  = world.written(numbers(1))
    var late  = Option.empty[() => Unit]
    val slow  = world.targetBy(faulty(Fault.Late(commit => late = Some(commit))))
    assert(slow.deliver(Vector(world.added(1, file))).isInstanceOf[Delivery.Unknown])
    world.delivered(world.target(), world.added(1, file))
    assert(intercept[CommitFailedException](late.get.apply()).isConflict)
    assert(world.actions("add").size === 2)
  }

  test("another driver delivers a part of the group between the reading and the commit") {
    val world = begun()
    val files = (1 to 3).map(i => world.added(i.toLong, world.written(numbers(i))))
    val slow = world.targetBy(faulty(Fault.Before(() => world.delivered(world.target(), files(0), files(1)))))
    world.delivered(slow, files: _*)
    assert(world.ids === (0L to 3L))
    assert(world.actions("add").size === 4)
  }

  test("two drivers deliver the same announcements once, next to another writer") {
    val world   = begun()
    val files   = (1 to 8).map(i => world.added(i.toLong, world.written(numbers(i))))
    val pool    = Executors.newFixedThreadPool(3)
    val drivers = Seq(1, 3).map(size => driver(world, files, size))
    val job     = LogId("batch-1", "6ba7b811-9dad-11d1-80b4-00c04fd430c8")
    val others  = (1 to 4).map(i =>
      world.announced(i.toLong, Change.Added("", Vector(world.written(numbers(100 + i)))), log = job)
    )
    try pool.invokeAll((drivers :+ driver(world, others, 1)).asJava).asScala.foreach(_.get())
    finally pool.shutdownNow()
    assert(world.ids === (0L to 8L) ++ (101L to 104L))
    assert(world.actions("add").size === 13)
  }

  test("two drivers create the table once") {
    val world = new TableFixture(spark)
    val file  = world.added(0, world.written(numbers(0)))
    val slow  = world.targetBy(faulty(Fault.Before(() => world.delivered(world.target(), file))))
    world.delivered(slow, file)
    assert(world.actions("add").size === 1)
    assert(world.actions("metaData").size === 1)
  }

  private def numbers(id: Int) = spark.range(id.toLong, id + 1L).toDF()

  private def begun(): TableFixture = {
    val world = new TableFixture(spark)
    world.delivered(world.target(), world.added(0, world.written(numbers(0))))
    world
  }

  /** Delivers in groups until the last announcement is in the table, as the announcer does. */
  private def driver(world: TableFixture, all: Seq[Announcement], size: Int): Callable[Unit] = () => {
    val target = world.target()
    all.grouped(size).foreach { group =>
      while (target.deliver(group.toVector) != Delivery.Delivered) ()
    }
  }
}

private object CommitFaultsSuite {

  sealed trait Fault
  object Fault {
    case object LostAnswer                            extends Fault
    case object LostCommit                            extends Fault
    case object FalseConflict                         extends Fault
    final case class Late(hold: (() => Unit) => Unit) extends Fault
    final case class Before(other: () => Unit)        extends Fault
  }

  /** A fault in the first commit of a target. */
  def faulty(fault: Fault): Committer => Committer = {
    val commits = new AtomicInteger
    new FaultyCommitter(_, fault, commits)
  }

  private final class FaultyCommitter(real: Committer, fault: Fault, commits: AtomicInteger)
      extends Committer {

    override def commit(
        engine: Engine,
        rows: CloseableIterator[Row],
        metadata: CommitMetadata
    ): CommitResponse = {
      def commit()                    = real.commit(engine, rows, metadata)
      def failed(isConflict: Boolean) = new CommitFailedException(true, isConflict, "no answer")
      if (commits.getAndIncrement() > 0) commit()
      else
        fault match {
          case Fault.LostAnswer =>
            commit(): Unit
            throw failed(isConflict = false)
          case Fault.LostCommit    => throw failed(isConflict = false)
          case Fault.FalseConflict =>
            commit(): Unit
            throw failed(isConflict = true)
          case Fault.Late(hold) =>
            hold(() => commit(): Unit)
            throw failed(isConflict = false)
          case Fault.Before(other) =>
            other()
            commit()
        }
    }
  }
}
