// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.storage.PutOutcome.{Created, Taken}

/** The laws of a log with its records, marks and notes, based on [[FileStoreLaws]]. */
abstract class LogFilesLaws extends LawSuite {

  law("an empty log") { storage =>
    val store = storage.logFiles()
    assert(store.list().isEmpty)
    assert(store.read(0).isEmpty)
    assert(!store.isPublished(0))
  }

  law("a record is created once, and never changed") { storage =>
    assert(storage.logFiles().putIfAbsent(0, utf8("first")) === Created)
    assert(storage.logFiles().putIfAbsent(0, utf8("second")) === Taken)
    assert(storage.logFiles().putIfAbsent(0, utf8("first")) === Taken)
    assert(storage.logFiles().read(0).map(new String(_)) === Some("first"))
  }

  law("records are listed in the order of their numbers") { storage =>
    val store   = storage.logFiles()
    val numbers = Seq(10L, 9L, 0L, 100L, 99L, 1000000000000L, 2L)
    numbers.foreach(store.putIfAbsent(_, utf8("x")))
    assert(store.list() === numbers.sorted.toVector)
  }

  law("deleting removes the record and its mark, and nothing else, and may be repeated") { storage =>
    val store = storage.logFiles()
    (0L to 2L).foreach { seq =>
      store.putIfAbsent(seq, utf8(s"$seq"))
      store.markPublished(seq)
    }
    store.delete(Seq(1))
    store.delete(Seq(1))
    store.delete(Seq(17))
    store.delete(Seq.empty)
    assert(store.list() === Vector(0L, 2L))
    assert(store.read(1).isEmpty)
    assert(Seq(0L, 1L, 2L).map(store.isPublished) === Seq(true, false, true))
    assert(store.putIfAbsent(1, utf8("again")) === Created)
    assert(!store.isPublished(1))
  }

  law("each process sees a mark, and a second creation reports the existing mark") { storage =>
    storage.logFiles().putIfAbsent(0, utf8("x"))
    assert(!storage.logFiles().isPublished(0))
    assert(storage.logFiles().markPublished(0) === Created)
    assert(storage.logFiles().markPublished(0) === Taken)
    assert(storage.logFiles().isPublished(0))
    assert(!storage.logFiles().isPublished(1))
    assert(storage.logFiles().list() === Vector(0L))
  }

  law("marks are removed without their records, and notes stay") { storage =>
    val store = storage.logFiles()
    (0L to 2L).foreach { seq =>
      store.putIfAbsent(seq, utf8(s"$seq"))
      store.noteVisible(seq, 0, Set("b/p"))
      store.markPublished(seq)
    }
    store.unmark(Seq(0, 1))
    store.unmark(Seq(0, 17))
    store.unmark(Seq.empty)
    assert(Seq(0L, 1L, 2L).map(store.isPublished) === Seq(false, false, true))
    assert(store.list() === Vector(0L, 1L, 2L))
    assert(store.visible(0, 0) === Some(Set("b/p")))
    assert(store.markPublished(0) === Created)
  }

  law("records are removed together, and the others stay") { storage =>
    val store = storage.logFiles()
    (0L to 5L).foreach { seq =>
      store.putIfAbsent(seq, utf8(s"$seq"))
      store.markPublished(seq)
    }
    store.delete(0L to 3L)
    assert(store.list() === Vector(4L, 5L))
    assert((0L to 5L).map(store.isPublished) === Seq(false, false, false, false, true, true))
  }

  law("a note of visible parts is written once, and goes with its record") { storage =>
    storage.logFiles().putIfAbsent(7, utf8("x"))
    assert(storage.logFiles().visible(7, 0) === None)
    assert(storage.logFiles().noteVisible(7, 0, Set("b/p", "b/q")) === Created)
    assert(storage.logFiles().noteVisible(7, 0, Set("b/p")) === Taken)
    assert(storage.logFiles().noteVisible(7, 1, Set("b/r")) === Created)
    assert(storage.logFiles().visible(7, 0) === Some(Set("b/p", "b/q")))
    assert(storage.logFiles().visible(7, 1) === Some(Set("b/r")))
    assert(storage.logFiles().visible(8, 0) === None)
    assert(storage.visible().isEmpty)
    val store = storage.logFiles()
    assert(store.list() === Vector(7L))
    store.delete(Seq(7))
    assert(Seq(0, 1).flatMap(store.visible(7, _)).isEmpty)
  }

  law("records of another sink id are another log") { storage =>
    storage.neighbour().logFiles().putIfAbsent(0, utf8("theirs"))
    assert(storage.logFiles().list().isEmpty)
    assert(storage.logFiles().putIfAbsent(0, utf8("ours")) === Created)
  }

  law("no file of the log is visible to a reader, and the log names its location") { storage =>
    storage.logFiles().putIfAbsent(3, utf8("x"))
    storage.logFiles().markPublished(3)
    assert(storage.visible().isEmpty)
    assert(storage.logFiles().describe(3).contains("3"))
  }
}
