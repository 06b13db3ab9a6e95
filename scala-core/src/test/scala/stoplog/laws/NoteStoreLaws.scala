// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.storage.PutOutcome.{Created, Taken}

/** What markers and manifests rest on. */
abstract class NoteStoreLaws extends LawSuite {

  law("a file is created once, in any directory, and never changed") { storage =>
    for (path <- Seq("_SUCCESS", "b/_SUCCESS", "a b/c=1%/ä/_SUCCESS", "_stoplog/main/manifests/1.manifest")) {
      assert(storage.noteStore().read(path).isEmpty)
      assert(storage.noteStore().putIfAbsent(path, utf8("first")) === Created, path)
      assert(storage.noteStore().putIfAbsent(path, utf8("second")) === Taken, path)
      assert(storage.noteStore().read(path).map(new String(_)) === Some("first"), path)
    }
  }

  law("a file may be empty") { storage =>
    assert(storage.noteStore().putIfAbsent("b/_SUCCESS", utf8("")) === Created)
    assert(storage.noteStore().putIfAbsent("b/_SUCCESS", utf8("")) === Taken)
    assert(storage.noteStore().read("b/_SUCCESS").map(_.length) === Some(0))
  }

  law("of many that put at once exactly one creates the file") { storage =>
    for (round <- 0 to 9) {
      val outcomes = together(4) { thread =>
        thread -> storage.noteStore().putIfAbsent(s"b/_SUCCESS.$round", utf8(s"by $thread"))
      }
      val winners = outcomes.collect { case (thread, Created) => thread }
      assert(winners.size === 1)
      assert(
        storage.noteStore().read(s"b/_SUCCESS.$round").map(new String(_)) === Some(s"by ${winners.head}")
      )
    }
  }

  law("the files of one directory are listed by the beginning of their names, with their times") { storage =>
    val store = storage.noteStore()
    assert(store.list("b", "_SUCCESS").isEmpty)
    Seq("_SUCCESS", "b/_SUCCESS", "b/_SUCCESS.2", "b/c/_SUCCESS", "b/other").foreach(
      store.putIfAbsent(_, utf8("x"))
    )
    assert(store.list("b", "_SUCCESS").map(_.path).toSet === Set("b/_SUCCESS", "b/_SUCCESS.2"))
    assert(store.list("", "_SUCCESS").map(_.name) === Vector("_SUCCESS"))
    assert(store.list("b", "_SUCCESS").forall(_.modifiedMillis.forall(_ > 0)))
  }

  law("removing what is there, and what is not") { storage =>
    val store = storage.noteStore()
    store.putIfAbsent("b/_SUCCESS", utf8("x"))
    store.delete(Seq("b/_SUCCESS", "b/_SUCCESS.2"))
    assert(store.read("b/_SUCCESS").isEmpty)
    assert(store.putIfAbsent("b/_SUCCESS", utf8("y")) === Created)
  }

  law("markers and manifests are no data to a reader") { storage =>
    storage.noteStore().putIfAbsent("b/_SUCCESS", utf8("x"))
    storage.noteStore().putIfAbsent("_stoplog/main/manifests/1.manifest", utf8("x"))
    assert(storage.visible().isEmpty)
  }
  law("a path that leads out of the place is refused by name") { storage =>
    val store = storage.noteStore()
    for (path <- PathLaws.elsewhere) {
      assert(condition(store.putIfAbsent(path, utf8("x"))) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.read(path)) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.list(path, "_SUCCESS")) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.delete(Seq(path))) === "STOPLOG_PATH_ELSEWHERE", path)
    }
  }
}
