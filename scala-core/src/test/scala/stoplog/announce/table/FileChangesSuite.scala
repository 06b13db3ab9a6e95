// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{AnnouncedFile, Announcement, AnnouncementId, Change, LogId}

class FileChangesSuite extends AnyFunSuite {
  private val stream         = LogId("events", "7e57")
  private val jobs           = LogId("replace", "0b5e")
  private val NothingDeleted = DeletedRows[String](_ => false, identity, compactor = "")

  private def announced(sequence: Long, change: Change, log: LogId = stream): Announcement =
    Announcement(
      AnnouncementId(log, sequence, 0),
      "/data/events",
      "events",
      change,
      decidedAtMillis = sequence
    )

  private def files(paths: String*) = paths.map(AnnouncedFile(_, Some(1), 4)).toVector

  private def added(sequence: Long, paths: String*): Announcement =
    announced(sequence, Change.Added("", files(paths: _*)))

  private def replaced(sequence: Long, path: String, former: String*): Announcement =
    announced(sequence, Change.Replaced("", files(path), former.toVector))

  /** Returns the added and the removed files of each kind of change in one commit. */
  private def commit(table: Set[String], listedMillis: Option[Long] = None)(
      announcements: Announcement*
  ): Map[FileGroup.Kind, (Vector[String], Vector[String])] = {
    val changes = KnownLog(None, listedMillis, restart = "Start again").changes(announcements.toVector)
    FileGroup
      .of(changes, table.map(path => path -> path).toMap, absent = Set.empty, NothingDeleted)
      .filterNot(_.isEmpty)
      .map(group => group.kind -> (group.added.map(_.file.path) -> group.removed))
      .toMap
  }

  private def refused(table: Set[String])(announcements: Announcement*): String =
    intercept[Refusal](commit(table)(announcements: _*)).reason

  test(
    "a replaced file that a snapshot has listed leaves the table, also if it is announced in the same call"
  ) {
    val call = Seq(added(5, "a"), replaced(6, "c", "a"))
    assert(
      commit(Set("a"), Some(5))(call: _*) === Map(FileGroup.Kind.Rewrite -> (Vector("c") -> Vector("a")))
    )
    assert(
      commit(Set.empty, Some(5))(call: _*) === Map(FileGroup.Kind.Overwrite -> (Vector("c") -> Vector()))
    )
    assert(commit(Set.empty)(call: _*) === Map(FileGroup.Kind.Append -> (Vector("c") -> Vector())))
  }

  test(
    "a removed file that a snapshot has listed leaves the table, also if it is announced in the same call"
  ) {
    val call = Seq(added(5, "a", "b"), announced(6, Change.Removed("", Vector("a"))))
    assert(
      commit(Set("a", "b"), Some(5))(call: _*) ===
        Map(FileGroup.Kind.Overwrite -> (Vector() -> Vector("a")))
    )
    assert(commit(Set.empty, Some(5))(call: _*) === Map(FileGroup.Kind.Append -> (Vector("b") -> Vector())))
  }

  test("the compaction of a compacted file is one rewrite, or is refused if other writers have the rows") {
    val call = Seq(replaced(5, "c", "a", "b"), replaced(6, "d", "c", "e"))
    assert(
      commit(Set("a", "b", "e"))(call: _*) ===
        Map(FileGroup.Kind.Rewrite -> (Vector("d") -> Vector("a", "b", "e")))
    )
    assert(commit(Set.empty)(call: _*) === Map.empty)
    assert(refused(Set("e"))(call: _*).contains("2 of 3 removed files are not in the table"))
  }

  test(
    "the removal of a compacted file removes the former files, or is refused if other writers have the rows"
  ) {
    val removals = Seq(
      announced(6, Change.Removed("", Vector("c"))),
      announced(0, Change.Replaced("", files("d"), Vector("c")), jobs)
    )
    for (removal <- removals) {
      val call = Seq(replaced(5, "c", "a", "b"), removal)
      assert(commit(Set("a", "b"))(call: _*).values.flatMap(_._2).toSet === Set("a", "b"))
      assert(refused(Set.empty)(call: _*).contains("2 of 2 removed files are not in the table"))
    }
  }

  test("a compaction of files of the table and of the same call has new rows, and needs the former files") {
    val call = Seq(added(5, "g"), replaced(6, "c", "a", "g"))
    assert(commit(Set("a"))(call: _*) === Map(FileGroup.Kind.Overwrite -> (Vector("c") -> Vector("a"))))
    assert(refused(Set.empty)(call: _*).contains("1 of 1 removed files are not in the table"))
    val next = call :+ replaced(7, "d", "c", "b")
    assert(
      commit(Set("a", "b"))(next: _*) === Map(FileGroup.Kind.Overwrite -> (Vector("d") -> Vector("a", "b")))
    )
    assert(refused(Set("b"))(next: _*).contains("1 of 2 removed files are not in the table"))
  }

  test("a compaction of one of several compacted files needs the former files of all") {
    val compacted = announced(5, Change.Replaced("", files("c", "d"), Vector("a", "b")))
    val call      = Seq(compacted, replaced(6, "f", "c", "e"))
    assert(
      commit(Set("a", "b", "e"))(call: _*) ===
        Map(FileGroup.Kind.Rewrite -> (Vector("d", "f") -> Vector("a", "b", "e")))
    )
    assert(commit(Set.empty)(call: _*) === Map.empty)
    assert(refused(Set("e"))(call: _*).contains("2 of 3 removed files are not in the table"))
  }

  test("an overwrite of one of several compacted files is no rewrite, and needs the former files") {
    val compacted = announced(5, Change.Replaced("", files("c", "d"), Vector("a", "b")))
    val call      = Seq(compacted, announced(0, Change.Replaced("", files("e"), Vector("c")), jobs))
    assert(
      commit(Set("a", "b"))(call: _*) === Map(
        FileGroup.Kind.Append    -> (Vector("e") -> Vector()),
        FileGroup.Kind.Overwrite -> (Vector("d") -> Vector("a", "b"))
      )
    )
    assert(refused(Set.empty)(call: _*).contains("2 of 2 removed files are not in the table"))
  }
}
