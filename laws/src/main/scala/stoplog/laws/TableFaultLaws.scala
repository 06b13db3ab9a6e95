// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.nio.file.Files
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._

/** The laws of targets with a table on systems that lose responses, and with several writers. */
private[stoplog] abstract class TableFaultLaws[T <: TableUnderTest] extends AnyFunSuite {

  protected def newTable(): T

  /** Asserts that the exception reports a conflict of the commit. */
  protected def assertConflict(e: Throwable): Unit

  /** Prepares another writer, and returns its commits, which run at the same time as the drivers. */
  protected def otherWriter(table: T): () => Unit

  /** Asserts that the table has the commits of [[otherWriter]]. */
  protected def assertOthers(table: T): Unit

  for (
    (name, fault, position) <- Seq(
      ("a commit with a lost answer is in the table once", CommitFault.LostAnswer, 1L -> 0),
      ("repeats a lost commit", CommitFault.LostCommit, 0L                            -> 0)
    )
  )
    test(name) {
      val table = filled()
      val file  = table.written(1 to 1)
      val lossy = table.faultyTarget(fault)
      assert(lossy.deliver(Vector(table.added(1, file))).isInstanceOf[Delivery.Unknown])
      assert(table.position(lossy) === Some(position))
      table.delivered(table.target(), table.added(1, file))
      assert(table.ids === Seq(0L, 1L))
      assert(table.commits === 2)
    }

  test("a successful commit reported as a conflict is in the table once") {
    val table = filled()
    table.delivered(table.faultyTarget(CommitFault.FalseConflict), table.added(1, table.written(1 to 1)))
    assert(table.ids === Seq(0L, 1L))
    assert(table.commits === 2)
  }

  test("a late commit of another driver and the repeated commit are in the table once") {
    val table = filled()
    val file  = table.written(1 to 1)
    var late  = Option.empty[() => Unit]
    val slow  = table.faultyTarget(CommitFault.Late(commit => late = Some(commit)))
    assert(slow.deliver(Vector(table.added(1, file))).isInstanceOf[Delivery.Unknown])
    table.delivered(table.target(), table.added(1, file))
    assertConflict(intercept[Exception](late.get.apply()))
    assert(table.ids === Seq(0L, 1L))
    assert(table.commits === 2)
  }

  test("another driver delivers a part of the group between the reading and the commit") {
    val table = filled()
    val files = (1 to 3).map(i => table.added(i.toLong, table.written(i to i)))
    val slow  =
      table.faultyTarget(
        CommitFault.Before(() => table.delivered(table.target(), files(0), files(1)))
      )
    table.delivered(slow, files: _*)
    assert(table.ids === (0L to 3L))
  }

  test("another log removes an absent file between the reading and the commit") {
    val table         = filled()
    val (first, next) = (table.written(1 to 1), table.written(2 to 2))
    Seq(first, next).foreach(file => Files.delete(table.sink.resolve(file.path)))
    table.delivered(table.target(), table.added(1, first))
    val replaced = Change.Replaced("", Vector(table.written(7 to 7)), Vector(first.path))
    val other = table.announced(0, replaced, log = LogId("replace", "0e2a7c1c-0000-4000-8000-000000000000"))
    val slow  = table.faultyTarget(CommitFault.Before(() => table.delivered(table.target(), other)))
    table.delivered(slow, table.added(2, next))
    assert(table.ids === Seq(0L, 7L))
    assert(table.absent === Seq(next.path))
  }

  for (isListing <- Seq(true, false))
    test(
      s"a snapshot and a log of a listed file commit at the same moment, the snapshot ${if (isListing) "first"
        else "last"}"
    ) {
      val table         = filled()
      val file          = table.written(1 to 1)
      val listing       = table.announced(4, Change.Snapshot("", Vector(file.copy(rows = None))))
      val added         = table.announced(0, Change.Added("", Vector(file)), log = LogId("batch-1", "a"))
      val (first, last) = if (isListing) (listing, added) else (added, listing)
      val slow          = table.faultyTarget(CommitFault.Before(() => table.delivered(table.target(), first)))
      table.delivered(slow, last)
      assert(table.ids === Seq(0L, 1L))
    }

  test("two drivers deliver the same announcements once, next to another writer") {
    val table   = filled()
    val files   = (1 to 8).map(i => table.added(i.toLong, table.written(i to i)))
    val pool    = Executors.newFixedThreadPool(3)
    val drivers = Seq(1, 3).map(size => () => deliverAll(table, files, size))
    val writers = (drivers :+ otherWriter(table)).map(work => (() => work()): Callable[Unit])
    try pool.invokeAll(writers.asJava).asScala.foreach(_.get())
    finally pool.shutdownNow()
    assert(table.ids.take(files.size + 1) === (0L to 8L))
    assertOthers(table)
  }

  protected final def filled(): T = {
    val table = newTable()
    table.delivered(table.target(), table.added(0, table.written(0 to 0)))
    table
  }

  /** Delivers in groups until the last announcement is in the table, as the announcer does. */
  protected final def deliverAll(table: T, all: Seq[Announcement], size: Int): Unit = {
    val target = table.target()
    all.grouped(size).foreach { group =>
      while (target.deliver(group.toVector) != Delivery.Delivered) ()
    }
  }
}
