// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

/** Finished parts that give way to another: out of sight, back again, or gone, however often and by whomever. */
abstract class FinishedStoreLaws extends LawSuite {

  law("how long a file is, and that there is none") { storage =>
    storage.plant("b/part-1.txt", utf8("rows"))
    assert(storage.finishedStore().sizeBytes("b/part-1.txt") === Some(4L))
    assert(storage.finishedStore().sizeBytes("b/part-2.txt") === None)
    assert(storage.finishedStore().sizeBytes("c/part-1.txt") === None)
  }

  law("what is set aside is out of sight, and not taken for unfinished") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    storage.plant("part-2.txt", utf8("two"))
    storage.finishedStore().hide(7, "b/part-1.txt")
    assert(storage.visible() === Set("part-2.txt"))
    storage.finishedStore().hide(8, "part-2.txt")
    assert(storage.visible() === Set.empty)
    assert(storage.partStore().staged() === Vector.empty)
    assert(storage.sideStore().staged() === Vector.empty)
  }

  law("it comes back as it was, by any process") { storage =>
    storage.plant("b/c=1/part-1.txt", utf8("one"))
    storage.finishedStore().hide(7, "b/c=1/part-1.txt")
    Copied(storage).finishedStore().restore(7, "b/c=1/part-1.txt")
    assert(storage.visible() === Set("b/c=1/part-1.txt"))
    assert(text(storage, "b/c=1/part-1.txt") === "one")
  }

  law("everything may be done again") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    (1 to 2).foreach(_ => storage.finishedStore().hide(7, "b/part-1.txt"))
    (1 to 2).foreach(_ => storage.finishedStore().restore(7, "b/part-1.txt"))
    assert(text(storage, "b/part-1.txt") === "one")
    (1 to 2).foreach(_ => storage.finishedStore().hide(7, "b/part-1.txt"))
    (1 to 2).foreach(_ => storage.finishedStore().purge(7))
    storage.finishedStore().restore(7, "b/part-1.txt")
    assert(storage.visible() === Set.empty)
  }

  law("what readers have taken away is no error") { storage =>
    storage.finishedStore().hide(7, "b/part-1.txt")
    storage.finishedStore().restore(7, "b/part-1.txt")
    storage.finishedStore().purge(7)
    assert(storage.visible() === Set.empty)
  }

  law("only what was set aside for the record is deleted") { storage =>
    Seq("b/part-1.txt", "b/part-2.txt", "b/part-3.txt").foreach(storage.plant(_, utf8("rows")))
    storage.finishedStore().hide(7, "b/part-1.txt")
    storage.finishedStore().hide(77, "b/part-2.txt")
    storage.finishedStore().purge(7)
    storage.finishedStore().restore(77, "b/part-2.txt")
    assert(storage.visible() === Set("b/part-2.txt", "b/part-3.txt"))
  }

  law("what is aside can be listed by its records, so that nothing is forgotten") { storage =>
    assert(storage.finishedStore().hiddenFor() === Vector.empty)
    Seq("b/part-1.txt", "b/part-2.txt", "c/part-3.txt").foreach(storage.plant(_, utf8("rows")))
    storage.finishedStore().hide(7, "b/part-1.txt")
    storage.finishedStore().hide(7, "b/part-2.txt")
    storage.finishedStore().hide(12, "c/part-3.txt")
    assert(Copied(storage).finishedStore().hiddenFor().sorted === Vector(7L, 12L))
    storage.finishedStore().purge(7)
    assert(storage.finishedStore().hiddenFor() === Vector(12L))
  }

  law("a finished part is kept under a second name, out of sight, whatever becomes of the first") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    (1 to 2).foreach(_ =>
      storage.finishedStore().keep("b/part-1.txt", "_stoplog/main/aside/now/b/part-1.txt")
    )
    assert(storage.visible() === Set("b/part-1.txt"))
    storage.finishedStore().hide(7, "b/part-1.txt")
    storage.finishedStore().purge(7)
    assert(text(storage, "_stoplog/main/aside/now/b/part-1.txt") === "one")
    assert(storage.partStore().staged() === Vector.empty)
  }

  law("nothing comes back over another file (I6)") { storage =>
    storage.plant("b/part-1.txt", utf8("one"))
    storage.finishedStore().hide(7, "b/part-1.txt")
    storage.plant("b/part-1.txt", utf8("another"))
    assert(condition(storage.finishedStore().restore(7, "b/part-1.txt")) === "STOPLOG_NAME_TAKEN")
    assert(text(storage, "b/part-1.txt") === "another")
  }

  law("several at once take one file aside once") { storage =>
    val names = (1 to 8).map(n => s"b/part-$n.txt")
    names.foreach(storage.plant(_, utf8("rows")))
    together(threads = 4)(_ => names.foreach(storage.finishedStore().hide(7, _)))
    assert(storage.visible() === Set.empty)
    names.foreach(storage.finishedStore().restore(7, _))
    assert(storage.visible() === names.toSet)
  }

  law("a neighbour under the same path is not touched") { storage =>
    storage.plant("b/part-1.txt", utf8("rows"))
    storage.finishedStore().hide(7, "b/part-1.txt")
    storage.neighbour().finishedStore().purge(7)
    storage.neighbour().finishedStore().restore(7, "b/part-1.txt")
    assert(storage.visible() === Set.empty)
    storage.finishedStore().restore(7, "b/part-1.txt")
    assert(storage.visible() === Set("b/part-1.txt"))
  }

  law("two files of one name in two directories go aside and come back") { storage =>
    storage.plant("b/part-1.json", utf8("rows"))
    storage.plant("_rejected/b/part-1.json", utf8("rejected rows"))
    val paths = Seq("b/part-1.json", "_rejected/b/part-1.json")
    paths.foreach(storage.finishedStore().hide(7, _))
    paths.foreach(storage.finishedStore().hide(7, _))
    assert(storage.visible() === Set.empty)
    assert(storage.finishedStore().sizeBytes("_rejected/b/part-1.json") === None)
    paths.foreach(storage.finishedStore().restore(7, _))
    assert(text(storage, "b/part-1.json") === "rows")
    assert(text(storage, "_rejected/b/part-1.json") === "rejected rows")
    paths.foreach(storage.finishedStore().hide(8, _))
    storage.finishedStore().purge(8)
    paths.foreach(storage.finishedStore().restore(8, _))
    assert(storage.visible() === Set.empty)
  }

  law("a path that leads out of the place is refused by name") { storage =>
    val store = storage.finishedStore()
    for (path <- PathLaws.elsewhere) {
      assert(condition(store.sizeBytes(path)) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.hide(7, path)) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.restore(7, path)) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.keep(path, "_stoplog/main/aside/a")) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.keep("b/part-1.txt", path)) === "STOPLOG_PATH_ELSEWHERE", path)
    }
  }
}
