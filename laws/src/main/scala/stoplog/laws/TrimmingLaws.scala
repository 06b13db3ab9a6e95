// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.part.{LastWriter, Open, PartRows, Resume, RunId}
import stoplog.storage.FenceOutcome
import stoplog.sink.CommitOutcome.{AlreadyCommitted, Committed, Lost}

/** A finished file contains exactly the committed bytes. */
abstract class CutLaws extends LawSuite {

  law("no byte after the recorded length reaches a finished file, and readers need no further information") {
    storage =>
      val store = storage.partStore()
      val open  = leftOpen(store, "good\n")
      storage.appendJunk(open, utf8("junk"))
      assert(store.publish(open, 5, "b/part-1.txt") === Committed)
      assert(new String(storage.stored("b/part-1.txt"), "utf8") === "good\n")
      assert(storage.validLength("b/part-1.txt") === None)
      assert(store.staged().isEmpty)
  }
}

/** The weaker promise without truncation: a valid-length file records the number of valid bytes of a finished
  * file.
  */
abstract class ValidLengthLaws extends LawSuite {

  law("a finished file that is too long has a file with its length, which no reader reads as data") {
    storage =>
      val store = storage.partStore()
      val open  = leftOpen(store, "good\n")
      storage.appendJunk(open, utf8("junk"))
      assert(store.publish(open, 5, "b/part-1.txt") === Committed)
      assert(new String(storage.stored("b/part-1.txt"), "utf8") === "good\njunk")
      assert(storage.validLength("b/part-1.txt") === Some(5))
      assert(storage.visible() === Set("b/part-1.txt"))
      assert(storage.partStore().publish(open, 5, "b/part-1.txt") === AlreadyCommitted)
      assert(store.staged().isEmpty)
  }

  law("a part that is too long for another run continues in a copy, which has no length file") { storage =>
    val store = storage.partStore()
    val long  = leftOpen(store, "good\n")
    storage.appendJunk(long, utf8("junk"))
    val open = Open("b", "part-1.txt", long, 5, PartRows(1, 0, 0), LastWriter(0, None))
    assert(storage.partStore().fence(RunId.random(), Vector(open)) === Vector(FenceOutcome.Doubtful))
    val copy = append(store.takeOver(long, 5, part()), "more\n").finish()
    assert(store.publish(copy, 10, "b/part-1.txt") === Committed)
    assert(new String(storage.stored("b/part-1.txt"), "utf8") === "good\nmore\n")
    assert(storage.validLength("b/part-1.txt") === None)
  }

  law("a finished file of the recorded length has no length file") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    assert(store.publish(open, 5, "b/part-1.txt") === Committed)
    assert(storage.validLength("b/part-1.txt") === None)
  }

  law("a file of another program gets no length file") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    storage.appendJunk(open, utf8("junk"))
    storage.plant("b/part-1.txt", utf8("mine"))
    assert(condition(store.publish(open, 5, "b/part-1.txt")) === "STOPLOG_NAME_TAKEN")
    assert(storage.validLength("b/part-1.txt") === None)
  }

  law("the length file stays if a reader removes the part before a second publication") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    storage.appendJunk(open, utf8("junk"))
    assert(store.publish(open, 5, "b/part-1.txt") === Committed)
    storage.lose(Resume("b/part-1.txt"))
    assert(Copied(storage).partStore().publish(open, 5, "b/part-1.txt") === Lost)
    assert(storage.validLength("b/part-1.txt") === Some(5))
  }
}
