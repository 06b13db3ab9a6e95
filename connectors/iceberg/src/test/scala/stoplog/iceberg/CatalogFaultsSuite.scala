// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.util.concurrent.{Callable, Executors}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{TableMetadata, TableOperations}
import org.apache.iceberg.exceptions.{CommitFailedException, CommitStateUnknownException}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._
import stoplog.format.SparkSessionForTests
import stoplog.iceberg.CatalogFaultsSuite._

/** Catalogs that lose responses, and several writers at the same time. */
class CatalogFaultsSuite extends AnyFunSuite with SparkSessionForTests {

  for (
    (kind, create) <- Seq[(String, () => TableFixture)](
      ("hadoop", () => TableFixture.hadoop),
      ("jdbc", () => TableFixture.jdbc)
    )
  ) {

    for (
      (what, fault, position) <- Seq(
        ("a commit with a lost answer is in the table once", Fault.LostAnswer, 1L -> 0),
        ("repeats a lost commit", Fault.LostCommit, 0L                            -> 0)
      )
    )
      test(s"$kind: $what") {
        val world = begun(create())
        val file  = world.written(numbers(1))
        val lossy = world.targetBy(new FaultyOperations(_, fault))
        assert(lossy.deliver(Vector(world.added(1, file))).isInstanceOf[Delivery.Unknown])
        assert(world.position(lossy) === Some(position))
        world.delivered(world.target(), world.added(1, file))
        assert(world.ids === Seq(0L, 1L))
      }

    test(
      s"$kind: a successful commit reported as a conflict is in the table once"
    ) {
      val world = begun(create())
      world.delivered(
        world.targetBy(new FaultyOperations(_, Fault.FalseConflict)),
        world.added(1, world.written(numbers(1)))
      )
      assert(world.ids === Seq(0L, 1L))
      assert(world.table.snapshots.asScala.size === 2)
    }

    test(s"$kind: a late commit of another driver and the repeated commit are in the table once") {
      val world = begun(create())
      val file  = world.written(numbers(1))
      var late  = Option.empty[() => Unit]
      val slow  = world.targetBy(new FaultyOperations(_, Fault.Late(commit => late = Some(commit))))
      assert(slow.deliver(Vector(world.added(1, file))).isInstanceOf[Delivery.Unknown])
      world.delivered(world.target(), world.added(1, file))
      intercept[CommitFailedException](late.get.apply())
      assert(world.ids === Seq(0L, 1L))
    }

    test(s"$kind: two drivers deliver the same announcements once, next to another writer") {
      val world = begun(create())
      world.table
        .updateProperties()
        .set("commit.retry.num-retries", "100")
        .set("commit.retry.min-wait-ms", "1")
        .commit()
      val files   = (1 to 8).map(i => world.added(i.toLong, world.written(numbers(i))))
      val pool    = Executors.newFixedThreadPool(3)
      val drivers = Seq(1, 3).map(size => driver(world, files, size))
      val other   = new Callable[Unit] {
        override def call(): Unit =
          (1 to 10).foreach(i => world.table.updateProperties().set(s"other-$i", "x").commit())
      }
      try pool.invokeAll((drivers :+ other).asJava).asScala.foreach(_.get())
      finally pool.shutdownNow()
      assert(world.ids === (0L to 8L))
      assert((1 to 10).forall(i => world.table.properties.containsKey(s"other-$i")))
    }
  }

  test("properties of former batch jobs are removed") {
    val world  = begun(TableFixture.hadoop)
    val target = world.target()
    for (day <- Seq(1L, 20L, 40L)) {
      val job  = LogId(s"batch-$day", "6ba7b811-9dad-11d1-80b4-00c04fd430c8")
      val file = Change.Added("", Vector(world.written(numbers(day.toInt))))
      world.delivered(target, world.announced(0, file, log = job).copy(decidedAtMillis = day * 86400000L))
    }
    val jobs = world.table.properties.asScala.keys
      .filter(_.startsWith("stoplog.position.batch-"))
      .map(_.split('.')(2))
      .toSet
    assert(jobs === Set("batch-20", "batch-40"))
    assert(world.position(target) === Some(0L -> 0))
  }

  private def numbers(id: Int) = spark.range(id.toLong, id + 1L).toDF()

  private def begun(world: TableFixture): TableFixture = {
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

private object CatalogFaultsSuite {

  sealed trait Fault
  object Fault {
    case object LostAnswer                            extends Fault
    case object LostCommit                            extends Fault
    case object FalseConflict                         extends Fault
    final case class Late(hold: (() => Unit) => Unit) extends Fault
  }

  /** Operations with a fault in the first commit. */
  final class FaultyOperations(table: TableOperations, fault: Fault) extends ForwardingOperations(table) {
    private val commits = new AtomicInteger

    override def commit(base: TableMetadata, metadata: TableMetadata): Unit =
      if (commits.getAndIncrement() > 0) table.commit(base, metadata)
      else
        fault match {
          case Fault.LostAnswer =>
            table.commit(base, metadata)
            throw new CommitStateUnknownException(new IllegalStateException("no answer"))
          case Fault.LostCommit =>
            throw new CommitStateUnknownException(new IllegalStateException("no answer"))
          case Fault.FalseConflict =>
            table.commit(base, metadata)
            throw new CommitFailedException("conflict")
          case Fault.Late(hold) =>
            hold(() => table.commit(base, metadata))
            throw new CommitStateUnknownException(new IllegalStateException("no answer"))
        }
  }
}
