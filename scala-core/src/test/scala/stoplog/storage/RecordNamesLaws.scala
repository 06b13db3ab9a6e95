// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import stoplog.laws.LawSuite
import stoplog.storage.PutOutcome.{Created, Taken}

/** Names of records: those of now, and those of a log that an earlier version began. */
abstract class RecordNamesLaws extends LawSuite {

  law("no pattern for files of data finds a record, its mark or its note") { storage =>
    assert(storage.logFiles().putIfAbsent(0, utf8("now")) === Created)
    assert(text(storage, log(0, "commit")) === "now")
  }

  law("a log that began under the former names goes on under them, and no number is given twice") { storage =>
    storage.plant(log(7, "json"), utf8("seven"))
    storage.plant(log(8, "json"), utf8("eight"))
    val fresh = storage.logFiles()
    assert(fresh.putIfAbsent(8, utf8("again")) === Taken) // also before it has listed anything
    assert(fresh.read(8).map(new String(_)) === Some("eight"))
    assert(storage.logFiles().putIfAbsent(9, utf8("nine")) === Created)
    assert(text(storage, log(9, "json")) === "nine")
    val listed = storage.logFiles()
    assert(listed.list() === Vector(7L, 8L, 9L))
    assert(listed.read(8).map(new String(_)) === Some("eight"))
    assert(listed.newerThan(8) === Some(9L))
    assert(listed.describe(8).endsWith(".json"))
    assert(listed.putIfAbsent(9, utf8("again")) === Taken)
    assert(listed.putIfAbsent(10, utf8("ten")) === Created)
    assert(text(storage, log(10, "json")) === "ten")
    listed.delete(Seq(7))
    storage.logFiles().delete(Seq(8))
    assert(storage.logFiles().list() === Vector(9L, 10L))
  }

  law("of a driver of an earlier version and one of now exactly one creates the next record") { storage =>
    storage.plant(log(0, "json"), utf8("zero"))
    val now = storage.logFiles()
    assert(now.list() === Vector(0L))
    storage.plant(log(1, "json"), utf8("theirs"))
    assert(now.putIfAbsent(1, utf8("ours")) === Taken)
    assert(storage.logFiles().putIfAbsent(1, utf8("ours")) === Taken)
    assert(now.read(1).map(new String(_)) === Some("theirs"))
  }

  law("a log with both kinds of names is one log") { storage =>
    storage.plant(log(0, "json"), utf8("zero"))
    storage.plant(log(1, "commit"), utf8("one"))
    for (store <- Seq(storage.logFiles(), storage.logFiles())) {
      assert(store.read(1).map(new String(_)) === Some("one"))
      assert(store.putIfAbsent(1, utf8("again")) === Taken)
      assert(store.list() === Vector(0L, 1L))
      assert(store.read(0).map(new String(_)) === Some("zero"))
      assert(store.putIfAbsent(0, utf8("again")) === Taken)
    }
    assert(storage.logFiles().putIfAbsent(2, utf8("two")) === Created)
    assert(text(storage, log(2, "commit")) === "two")
  }

  law("what an earlier version set aside comes back") { storage =>
    storage.plant("_stoplog/main/replaced/7/b/part-1.txt", utf8("rows"))
    storage.replacedFiles().restore(7, "b/part-1.txt")
    assert(text(storage, "b/part-1.txt") === "rows")
    storage.replacedFiles().hide(8, "b/part-1.txt")
    assert(text(storage, "_stoplog/main/replaced/8/b/part-1.txt.aside") === "rows")
  }

  private def log(seq: Long, kind: String): String = f"_stoplog/main/log/$seq%020d.$kind"
}
