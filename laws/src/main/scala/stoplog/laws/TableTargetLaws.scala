// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.IOException
import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._

/** The laws of targets with a table: the effect of announcements on the files of the table. */
private[stoplog] abstract class TableTargetLaws extends AnyFunSuite {

  protected def newTable(): TableUnderTest

  test("ignores announcements up to the position") {
    val table  = newTable()
    val target = table.target()
    val files  = (0 to 2).map(i => table.written(i to i))
    table.delivered(target, table.added(0, files(0)), table.added(1, files(1)))
    table.delivered(target, table.added(0, files(0)), table.added(1, files(1)))
    table.delivered(target, table.added(1, files(1)), table.added(2, files(2)))
    assert(table.ids === Seq(0L, 1L, 2L))
    assert(table.commits === 2)
  }

  test("does not read files added and replaced in the same call") {
    val table  = newTable()
    val target = table.target()
    val small  = table.written(0 to 0)
    val large  = table.written(0 to 1)
    Files.delete(table.sink.resolve(small.path))
    table.delivered(
      target,
      table.added(0, small),
      table.announced(1, Change.Replaced("", Vector(large), Vector(small.path)))
    )
    assert(table.ids === Seq(0L, 1L))
  }

  test("leaves out files removed before their announcement") {
    val table = newTable()
    table.delivered(table.target(), table.added(0, table.written(0 to 0)))
    val (gone, kept) = (table.written(1 to 1), table.written(2 to 2))
    Files.delete(table.sink.resolve(gone.path))
    val target = table.target()
    table.delivered(target, table.added(1, gone))
    assert(table.position(target) === Some(1L -> 0))
    assert(table.absent === Seq(gone.path))
    table.delivered(table.target(), table.added(2, kept))
    assert(table.ids === Seq(0L, 2L))
    val large = table.written(1 to 2)
    val next  = table.announced(3, Change.Replaced("", Vector(large), Vector(gone.path, kept.path)))
    table.delivered(table.target(), next)
    assert(table.ids === Seq(0L, 1L, 2L))
    assert(table.absent === Nil)
  }

  test("an overwrite replaces a file that did not exist any more when its own log was delivered") {
    val table     = newTable()
    val target    = table.target()
    val replacing = LogId("replace", "0e2a7c1c-0000-4000-8000-000000000000")
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val (gone, other) = (table.written(1 to 1), table.written(7 to 7))
    val overwritten   =
      table.announced(0, Change.Replaced("", Vector(other), Vector(gone.path)), log = replacing)
    assert(table.refused(target, overwritten).contains("wait in another log of the path"))
    Files.delete(table.sink.resolve(gone.path))
    table.delivered(target, table.added(1, gone))
    table.delivered(target, overwritten)
    assert(table.ids === Seq(0L, 7L))
    assert(table.absent === Nil)
  }

  test("files that are missing together with their log do not look like removed files") {
    val table  = newTable()
    val target = table.target()
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val file   = table.written(1 to 1)
    val parked = Seq(table.records, table.sink.resolve(file.path)).map(path => path -> table.parked(path))
    assert(intercept[IOException](target.deliver(Vector(table.added(1, file)))).getMessage.contains("mount"))
    assert(table.position(target) === Some(0L -> 0))
    parked.foreach { case (path, at) => Files.move(at, path) }
    table.delivered(target, table.added(1, file))
    assert(table.ids === Seq(0L, 1L))
  }

  test("waits for a file that a replacement has hidden, which may become visible again") {
    val table  = newTable()
    val target = table.target()
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val file   = table.written(1 to 1)
    val hidden = table.hidden(file)
    assert(intercept[IOException](target.deliver(Vector(table.added(1, file)))).getMessage.contains("hidden"))
    assert((table.position(target), table.absent) === ((Some(0L -> 0), Nil)))
    Files.move(hidden, table.sink.resolve(file.path))
    table.delivered(target, table.added(1, file))
    assert((table.ids, table.absent) === ((Seq(0L, 1L), Nil)))
    val gone   = table.written(2 to 2)
    val purged = table.hidden(gone)
    assert(intercept[IOException](target.deliver(Vector(table.added(2, gone)))).getMessage.contains("hidden"))
    Files.delete(purged)
    table.delivered(target, table.added(2, gone))
    assert((table.ids, table.absent) === ((Seq(0L, 1L), Seq(gone.path))))
  }

  test("a missing table waits for its first file, which a replacement has hidden") {
    val table          = newTable()
    val target         = table.target()
    val (first, later) = (table.written(0 to 0), table.written(1 to 1))
    val hidden         = table.hidden(first)
    val added          = Seq(table.added(0, first), table.added(1, later))
    assert(intercept[IOException](target.deliver(added.toVector)).getMessage.contains("hidden"))
    assert(table.position(target) === None)
    Files.move(hidden, table.sink.resolve(first.path))
    table.delivered(target, added: _*)
    assert(table.ids === Seq(0L, 1L))
  }

  test("a missing table gets the columns of the first file that exists") {
    val table        = newTable()
    val target       = table.target()
    val (gone, kept) = (table.written(0 to 0), table.written(1 to 1))
    Files.delete(table.sink.resolve(gone.path))
    assert(table.refused(target, table.added(0, gone)).contains("no announced file exists any more"))
    table.delivered(target, table.added(0, gone), table.added(1, kept))
    assert(table.ids === Seq(1L))
  }

  /** The formats of the files that the table accepts. */
  protected def formats: Seq[String] = Seq("parquet")

  private val damages = Seq[(String, Array[Byte] => Array[Byte])](
    "empty"              -> (_ => Array.empty),
    "truncated"          -> (bytes => bytes.take(bytes.length / 2)),
    "without magic"      -> (bytes => bytes.dropRight(4) ++ "text".getBytes),
    "damaged at its end" -> { bytes =>
      val from = bytes.length / 2
      bytes.take(from) ++ Array.fill[Byte](bytes.length - from - 8)(-1) ++ bytes.takeRight(8)
    }
  )

  for ((what, damage) <- damages)
    test(s"refuses a file by its path that is $what, and accepts the other files") {
      for (format <- formats) {
        val table        = newTable()
        val target       = table.target()
        def file(i: Int) =
          table.written(table.frame(i to i), format = format)
        val first  = file(0)
        val broken = table.overwritten(file(1))(damage)
        val later  = file(2)
        assert(table.refusal(target, table.added(0, broken)).files === Set(broken.path))
        table.delivered(target, table.added(0, first))
        for (announced <- Seq(Change.Added("", _), Change.Snapshot("", _))) {
          val refusal = table.refusal(target, table.announced(1, announced(Vector(broken, later))))
          assert(refusal.files === Set(broken.path), refusal.reason)
          assert(refusal.reason.contains(broken.path) && refusal.reason.contains("Restore"), refusal.reason)
          assert(table.position(target) === Some(0L -> 0))
        }
        table.delivered(target, table.announced(1, Change.Added("", Vector(later))))
        table.delivered(target, table.announced(2, Change.Added("", Vector.empty)))
        assert(table.position(target) === Some(2L -> 0))
        assert(table.files === Set(first.path, later.path))
      }
    }

  test("the removal of a skipped file has no effect") {
    val table  = newTable()
    val target = table.target()
    val files  = (0 to 2).map(i => table.written(i to i))
    val broken = table.overwritten(table.written(5 to 5))(_ => Array.empty)
    table.delivered(target, table.added(0, files(0)))
    assert(table.refusal(target, table.added(1, broken, files(1))).files === Set(broken.path))
    table.delivered(target, table.added(1, files(1))) // as the announcer repeats the call
    assert(table.absent === Seq(broken.path))
    val removed = Change.Removed("", Vector(broken.path, files(0).path))
    table.delivered(table.target(), table.added(2, files(2)), table.announced(3, removed))
    assert((table.absent, table.files) === ((Nil, Set(files(1).path, files(2).path))))
  }

  test("the removal of a file of a skipped announcement has no effect") {
    val table   = newTable()
    val target  = table.target()
    val files   = (0 to 2).map(i => table.written(i to i))
    val skipped = (5 to 6).map(i => table.written(table.frame(i to i), format = "json"))
    table.delivered(target, table.added(0, files(0)))
    assert(table.refusal(target, table.added(1, files(1)), table.added(2, skipped(0))).files === Set.empty)
    table.delivered(target, table.added(1, files(1)))
    skipped.zipWithIndex.foreach { case (file, i) => table.refused(target, table.added(2L + i, file)) }
    val removed = skipped.map(file => Change.Removed("", Vector(file.path)))
    table.delivered(target, table.added(4, files(2)), table.announced(5, removed(0)))
    assert(table.absent === Seq(skipped(1).path))
    table.delivered(table.target(), table.announced(6, removed(1)))
    assert((table.absent, table.files) === ((Nil, files.map(_.path).toSet)))
  }

  test("refuses an overwrite of the files of a skipped overwrite, whose former rows the table keeps") {
    val table     = newTable()
    val target    = table.target()
    val replacing = LogId("replace", "0e2a7c1c-0000-4000-8000-000000000000")
    val files     = (0 to 4).map(i => table.written(i to i))

    def overwrite(sequence: Long, added: Int, former: String) =
      table.announced(sequence, Change.Replaced("", Vector(files(added)), Vector(former)), log = replacing)
    def refuse(target: AnnouncementTarget, change: Announcement, former: String) =
      assert(table.refused(target, change).contains(s"not in the table, such as $former"))

    table.delivered(target, table.added(0, files(0)), table.added(1, files(1)))
    refuse(target, overwrite(0, 2, "rewritten.parquet"), "rewritten.parquet")
    refuse(target, overwrite(1, 3, files(2).path), files(2).path)
    table.delivered(target, overwrite(2, 4, files(1).path)) // passes the skipped overwrites
    assert(table.absent === Nil)
    val removed = table.announced(3, Change.Removed("", Vector(files(3).path)), log = replacing)
    refuse(table.target(), removed, files(3).path)
    assert(table.ids === Seq(0L, 4L))
  }

  test("repeats a file that the storage does not return, and does not take the file for removed") {
    val table  = newTable()
    val target = table.target()
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val file    = table.written(1 to 1)
    val content = table.parked(table.sink.resolve(file.path))
    Files.createDirectory(table.sink.resolve(file.path)) // cannot be opened, even by the superuser
    val failure = intercept[IOException](target.deliver(Vector(table.added(1, file))))
    assert(failure.getMessage.contains(file.path))
    assert(table.absent === Nil)
    Files.delete(table.sink.resolve(file.path))
    Files.move(content, table.sink.resolve(file.path))
    table.delivered(target, table.added(1, file))
    assert(table.ids === Seq(0L, 1L))
  }

  test("rejects the removal of files absent from the table") {
    val table  = newTable()
    val target = table.target()
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val reason = table.refused(target, table.announced(1, Change.Removed("", Vector("old.parquet"))))
    assert(reason.contains("1 of 1 removed files are not in the table, such as old.parquet"))
    assert(table.ids === Seq(0L))
  }

  test("ignores a compaction of files absent from the table") {
    val table  = newTable()
    val target = table.target()
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val large = table.written(5 to 8)
    table.delivered(
      target,
      table.announced(1, Change.Replaced("", Vector(large), Vector("a.parquet", "b.parquet")))
    )
    assert(table.ids === Seq(0L))
  }

  test("refuses a compaction of an absent file and of a file of the same call") {
    val table  = newTable()
    val target = table.target()
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val (small, large) = (table.written(1 to 1), table.written(1 to 4))
    val compacted      = Change.Replaced("", Vector(large), Vector("a.parquet", small.path))
    val reason         = table.refused(target, table.added(1, small), table.announced(2, compacted))
    assert(reason.contains("1 of 1 removed files are not in the table, such as a.parquet"))
    assert(table.ids === Seq(0L))
  }

  test("a snapshot adds the files absent from the table, and may list files of later records") {
    val table  = newTable()
    val target = table.target()
    val files  = (0 to 2).map(i => table.written(i to i))
    table.delivered(target, table.added(0, files(1)))
    table.delivered(target, table.announced(4, Change.Snapshot("", files.map(_.copy(rows = None)).toVector)))
    table.delivered(
      target,
      table.added(5, files(2)),
      table.announced(6, Change.Removed("", Vector("unlisted.parquet")))
    )
    assert(table.ids === Seq(0L, 1L, 2L))
    val later =
      table.announced(7, Change.Removed("", Vector("unlisted.parquet"))).copy(decidedAtMillis = 86400000L)
    assert(table.refused(target, later).contains("not in the table"))
  }

  test("a snapshot may list files of every log of the path") {
    val table  = newTable()
    val target = table.target()
    val files  = (0 to 2).map(i => table.written(i to i))
    table.delivered(target, table.announced(4, Change.Snapshot("", files.map(_.copy(rows = None)).toVector)))
    val ofJob = table.announced(0, Change.Added("", Vector(files(1))), log = LogId("batch-1", "a"))
    table.delivered(target, ofJob)
    val listed =
      table.announced(
        0,
        Change.Replaced("", Vector(files(2)), Vector("old.parquet")),
        log = LogId("replace", "b")
      )
    table.delivered(target, listed)
    assert(table.ids === Seq(0L, 1L, 2L))
    table.delivered(table.target(), table.added(5, table.written(3 to 3)))
    assert(table.ids === (0L to 3L))
  }

  test("rejects a gap with the next step, and ignores a gap of delivered records") {
    val table  = newTable()
    val target = table.target()
    val gap    = table.refused(target, table.announced(9, Change.Gap(3, 9)))
    assert(gap.contains("records 3 to 9") && gap.contains("start = snapshot"))
    table.delivered(target, table.added(5, table.written(0 to 0)))
    table.delivered(target, table.announced(5, Change.Gap(5, 5), number = 1))
    assert(table.refused(target, table.announced(6, Change.Gap(5, 6))).contains("records 5 to 6"))
  }

  test("rejects the successor of a deleted log") {
    val table  = newTable()
    val target = table.target()
    table.delivered(target, table.added(0, table.written(0 to 0)))
    val added = Change.Added("", Vector(table.written(1 to 1)))
    val again = table.announced(0, added, log = TableUnderTest.Log.copy(identity = "x"))
    assert(table.refused(target, again).contains("the log was deleted since"))
    assert(table.ids === Seq(0L))
  }

  test("a table that was restored to an older version has no position, and receives no later files") {
    val table   = newTable()
    val running = table.target()
    (0 to 1).foreach(i => table.delivered(running, table.added(i.toLong, table.written(i to i))))
    table.restore()
    assert(table.ids === Seq(0L))
    val next = table.added(2, table.written(2 to 2))
    for (target <- Seq(running, table.target())) {
      assert(intercept[IllegalStateException](target.deliver(Vector(next))).getMessage.contains("restored"))
      assert(table.position(target) === None)
    }
    assert(table.ids === Seq(0L))
  }

  test("returns the files, and the removals of the sink and of other writers") {
    val table  = newTable()
    val target = table.target()
    assert(target.content(table.sink.toString).isEmpty)
    val files = (0 to 4).map(i => table.written(i to i))
    table.delivered(target, table.added(0, files.take(4): _*))
    table.delivered(target, table.announced(1, Change.Removed("", Vector(files(0).path))))
    table.delivered(
      target,
      table.announced(2, Change.Replaced("", Vector(files(4)), Vector(files(3).path)))
    )
    table.removeByOther(files(1).path)
    val found = table.content
    assert(found.files.sorted === Vector(files(2).path, files(4).path).sorted)
    assert(found.removed === Set(files(0).path, files(3).path))
    assert(found.removedByOthers.keySet === Set(files(1).path))
    assert(
      found.removedByOthers.values.head.matches("(snapshot|version) \\d+ \\(\\w+\\)"),
      found.removedByOthers
    )
    assert((found.elsewhere, found.sinceMillis, found.isListed) === ((0, None, false)))
    table.delivered(target, table.announced(3, Change.Snapshot("", Vector(files(2)))))
    assert(table.content.isListed)
  }

  test("later files alone do not become a new table after the table was dropped") {
    for (deliveries <- 1 to 2) {
      val table  = newTable()
      val target = table.target()
      (0 until deliveries).foreach(i => table.delivered(target, table.added(i.toLong, table.written(i to i))))
      table.drop()
      val next   = table.added(5, table.written(5 to 5))
      val reason = intercept[IllegalStateException](target.deliver(Vector(next))).getMessage
      assert(
        reason.contains(s"/${deliveries - 1}/0, and now has none") && reason.contains("Restore the table")
      )
      assert(table.position(target) === None)
    }
  }
}
