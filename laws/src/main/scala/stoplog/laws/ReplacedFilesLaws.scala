// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.part.FinishedPart
import stoplog.storage.{Moves, ReplacedFiles}

/** The laws of replaced parts: finished parts are hidden, restored or purged, repeatedly and by any process.
  */
abstract class ReplacedFilesLaws extends LawSuite {

  law("a hidden file is invisible, and does not count as unfinished") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    storage.plant("part-2.txt", utf8("two"))
    storage.replacedFiles().hide(7, "b/part-1.txt")
    assert(storage.visible() === Set("part-2.txt"))
    storage.replacedFiles().hide(8, "part-2.txt")
    assert(storage.visible() === Set.empty)
    assert(storage.partStore().staged() === Vector.empty)
    assert(storage.spoolFiles().staged() === Vector.empty)
  }

  law("any process restores a hidden file unchanged") { storage =>
    storage.plant("b/c=1/part-1.txt", utf8("one"))
    storage.replacedFiles().hide(7, "b/c=1/part-1.txt")
    Copied(storage).replacedFiles().restore(7, "b/c=1/part-1.txt")
    assert(storage.visible() === Set("b/c=1/part-1.txt"))
    assert(text(storage, "b/c=1/part-1.txt") === "one")
  }

  law("each operation may be repeated") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    (1 to 2).foreach(_ => storage.replacedFiles().hide(7, "b/part-1.txt"))
    (1 to 2).foreach(_ => storage.replacedFiles().restore(7, "b/part-1.txt"))
    assert(text(storage, "b/part-1.txt") === "one")
    (1 to 2).foreach(_ => storage.replacedFiles().hide(7, "b/part-1.txt"))
    (1 to 2).foreach(_ => storage.replacedFiles().purge(7))
    storage.replacedFiles().restore(7, "b/part-1.txt")
    assert(storage.visible() === Set.empty)
  }

  law("a part that readers removed before it was hidden is reported, if hiding is atomic") { storage =>
    Seq("b/part-1.txt", "b/part-2.txt", "b/part-3.txt").foreach(storage.plant(_, utf8("rows")))
    val paths                     = Seq("b/part-0.txt", "b/part-1.txt", "b/part-2.txt")
    def taken(): Set[String]      = Copied(storage).replacedFiles().taken(7, paths)
    def known(are: String*): Unit = {
      val atOnce = storage.files().capabilities.moves == Moves.Atomically
      assert(taken() === (if (atOnce) are.map(name => s"b/part-$name.txt").toSet else Set.empty))
      ()
    }
    paths.foreach(storage.replacedFiles().hide(7, _))
    known("0")
    storage.replacedFiles().restore(7, "b/part-1.txt")
    storage.replacedFiles().hide(8, "b/part-3.txt")
    known("0", "1")
  }

  law("a file that readers have removed is no error") { storage =>
    storage.replacedFiles().hide(7, "b/part-1.txt")
    storage.replacedFiles().restore(7, "b/part-1.txt")
    storage.replacedFiles().purge(7)
    assert(storage.visible() === Set.empty)
  }

  law("only files that were hidden for the record are deleted") { storage =>
    Seq("b/part-1.txt", "b/part-2.txt", "b/part-3.txt").foreach(storage.plant(_, utf8("rows")))
    storage.replacedFiles().hide(7, "b/part-1.txt")
    storage.replacedFiles().hide(77, "b/part-2.txt")
    storage.replacedFiles().purge(7)
    storage.replacedFiles().restore(77, "b/part-2.txt")
    assert(storage.visible() === Set("b/part-2.txt", "b/part-3.txt"))
  }

  law("hidden files are listed by their records") { storage =>
    assert(storage.replacedFiles().hiddenFor() === Vector.empty)
    Seq("b/part-1.txt", "b/part-2.txt", "c/part-3.txt").foreach(storage.plant(_, utf8("rows")))
    storage.replacedFiles().hide(7, "b/part-1.txt")
    storage.replacedFiles().hide(7, "b/part-2.txt")
    storage.replacedFiles().hide(12, "c/part-3.txt")
    assert(Copied(storage).replacedFiles().hiddenFor().sorted === Vector(7L, 12L))
    storage.replacedFiles().purge(7)
    assert(storage.replacedFiles().hiddenFor() === Vector(12L))
  }

  law(
    "all that is aside for a record comes back at once where moves are atomic, and else stays: it may be a " +
      "late copy"
  ) { storage =>
    val paths = Seq("b/c=1/part-1.txt", "b/part-2.txt", "part-3.txt", "_rejected/b/part-2.txt")
    paths.foreach(storage.plant(_, utf8("rows")))
    paths.foreach(storage.replacedFiles().hide(7, _))
    storage.plant("part-3.txt", utf8("another"))
    storage.plant("b/part-4.txt", utf8("rows"))
    storage.replacedFiles().hide(77, "b/part-4.txt")
    (1 to 2).foreach(_ => Copied(storage).replacedFiles().restoreLate(7))
    if (storage.files().capabilities.moves == Moves.Atomically) {
      assert(storage.visible() === Set("b/c=1/part-1.txt", "b/part-2.txt", "part-3.txt"))
      assert(text(storage, "_rejected/b/part-2.txt") === "rows")
      storage.files().delete(Seq("part-3.txt"))
      storage.replacedFiles().restoreLate(7)
      assert(text(storage, "part-3.txt") === "rows")
      assert(storage.replacedFiles().hiddenFor() === Vector(77L), "and no directory is left")
    } else {
      assert(storage.visible() === Set("part-3.txt"))
      assert(text(storage, "part-3.txt") === "another")
      assert(storage.replacedFiles().hiddenFor().sorted === Vector(7L, 77L))
    }
  }

  law("a finished part is kept under a second, hidden name, independent of the first") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    (1 to 2).foreach(_ =>
      storage.replacedFiles().keep("b/part-1.txt", "_stoplog/main/aside/now/b/part-1.txt")
    )
    assert(storage.visible() === Set("b/part-1.txt"))
    storage.replacedFiles().hide(7, "b/part-1.txt")
    storage.replacedFiles().purge(7)
    assert(text(storage, "_stoplog/main/aside/now/b/part-1.txt") === "one")
    assert(storage.partStore().staged() === Vector.empty)
  }

  law("no restored file replaces another file (I6)") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    storage.replacedFiles().hide(7, "b/part-1.txt")
    storage.plant("b/part-1.txt", utf8("another"))
    storage.replacedFiles().restore(7, "b/part-1.txt")
    assert(text(storage, "b/part-1.txt") === "another")
  }

  law("a file of another length than in the record stays visible") { storage =>
    Seq("b/part-1.txt", "b/part-2.txt", "c/part-3.txt").foreach(storage.plant(_, utf8("rows")))
    val named = Vector(
      FinishedPart("b", "part-1.txt", 4, records = 0, epoch = -1),
      FinishedPart("b", "part-2.txt", 5, records = 0, epoch = -1),
      FinishedPart("c", "part-3.txt", 3, records = 0, epoch = -1),
      FinishedPart("c", "part-4.txt", 4, records = 0, epoch = -1)
    )
    for (replaced <- Seq(storage.replacedFiles(), ReplacedFiles.ofOverwrites(storage.files(), "replace"))) {
      replaced.hide(7, named)
      assert(storage.visible() === Set("b/part-2.txt", "c/part-3.txt"))
      storage.plant("b/part-1.txt", utf8("rows"))
    }
  }

  law("a file created after a file of its name was hidden stays visible, if hiding is atomic") { storage =>
    for (_ <- 1 to 2) {
      storage.plant("b/part-1.txt", utf8("one"))
      storage.replacedFiles().hide(7, "b/part-1.txt")
    }
    val atOnce = storage.files().capabilities.moves == Moves.Atomically
    assert(storage.visible() === (if (atOnce) Set("b/part-1.txt") else Set.empty))
  }

  law("concurrent calls hide one file once") { storage =>
    val names = (1 to 8).map(n => s"b/part-$n.txt")
    names.foreach(storage.plant(_, utf8("rows")))
    together(threads = 4)(_ => names.foreach(storage.replacedFiles().hide(7, _)))
    assert(storage.visible() === Set.empty)
    names.foreach(storage.replacedFiles().restore(7, _))
    assert(storage.visible() === names.toSet)
  }

  law("a neighbour under the same path is unchanged") { storage =>
    storage.plant("b/part-1.txt", utf8("rows"))
    storage.replacedFiles().hide(7, "b/part-1.txt")
    storage.neighbour().replacedFiles().purge(7)
    storage.neighbour().replacedFiles().restore(7, "b/part-1.txt")
    assert(storage.visible() === Set.empty)
    storage.replacedFiles().restore(7, "b/part-1.txt")
    assert(storage.visible() === Set("b/part-1.txt"))
  }

  law("two files with one name in two directories are hidden and restored") { storage =>
    storage.plant("b/part-1.json", utf8("rows"))
    storage.plant("_rejected/b/part-1.json", utf8("rejected rows"))
    val paths = Seq("b/part-1.json", "_rejected/b/part-1.json")
    paths.foreach(storage.replacedFiles().hide(7, _))
    paths.foreach(storage.replacedFiles().hide(7, _))
    assert(storage.visible() === Set.empty)
    assert(storage.replacedFiles().sizeBytes("_rejected/b/part-1.json") === None)
    paths.foreach(storage.replacedFiles().restore(7, _))
    assert(text(storage, "b/part-1.json") === "rows")
    assert(text(storage, "_rejected/b/part-1.json") === "rejected rows")
    paths.foreach(storage.replacedFiles().hide(8, _))
    storage.replacedFiles().purge(8)
    paths.foreach(storage.replacedFiles().restore(8, _))
    assert(storage.visible() === Set.empty)
  }

}
