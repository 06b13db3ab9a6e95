// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.util.concurrent.atomic.AtomicBoolean

import stoplog.storage.PutOutcome.{Created, Taken}

/** The one promise on which the whole protocol rests, and the small ones around it. */
abstract class RecordStoreLaws extends LawSuite {

  law("an empty log") { storage =>
    val store = storage.recordStore()
    assert(store.list().isEmpty)
    assert(store.read(0).isEmpty)
    assert(!store.isPublished(0))
  }

  law("a record is created once, and never changed") { storage =>
    assert(storage.recordStore().putIfAbsent(0, utf8("first")) === Created)
    assert(storage.recordStore().putIfAbsent(0, utf8("second")) === Taken)
    assert(storage.recordStore().putIfAbsent(0, utf8("first")) === Taken)
    assert(storage.recordStore().read(0).map(new String(_)) === Some("first"))
  }

  law("of many that put at once exactly one is told that it created the record, and it is its record") {
    storage =>
      for (seq <- 0L to 30L) {
        val outcomes =
          together(8)(thread => thread -> storage.recordStore().putIfAbsent(seq, utf8(s"by $thread")))
        val winners = outcomes.collect { case (thread, Created) => thread }
        assert(winners.size === 1, s"record $seq")
        assert(storage.recordStore().read(seq).map(new String(_)) === Some(s"by ${winners.head}"))
      }
      assert(storage.recordStore().list() === (0L to 30L).toVector)
  }

  law("of two processes exactly one creates the record") { storage =>
    val there = Elsewhere.start(PutElsewhere(storage, 200))
    val here  = (0L until 200L).count(seq => storage.recordStore().putIfAbsent(seq, utf8("here")) == Created)
    try assert(here + there.answer.toInt === 200)
    finally there.kill()
  }

  law("whoever sees a record sees all of it") { storage =>
    val large = new Array[Byte](1 << 20)
    new java.util.Random(1).nextBytes(large)
    val done = new AtomicBoolean(false)
    together(4) {
      case 0 =>
        try (0L until 20L).foreach(storage.recordStore().putIfAbsent(_, large))
        finally done.set(true)
      case _ =>
        val store = storage.recordStore()
        while (!done.get())
          store.list().foreach(seq => assert(store.read(seq).exists(java.util.Arrays.equals(_, large))))
    }
  }

  law("records are listed in the order of their numbers") { storage =>
    val store   = storage.recordStore()
    val numbers = Seq(10L, 9L, 0L, 100L, 99L, 1000000000000L, 2L)
    numbers.foreach(store.putIfAbsent(_, utf8("x")))
    assert(store.list() === numbers.sorted.toVector)
  }

  law("deleting removes the record and its mark, and nothing else, and may be repeated") { storage =>
    val store = storage.recordStore()
    (0L to 2L).foreach { seq =>
      store.putIfAbsent(seq, utf8(s"$seq"))
      store.markPublished(seq)
    }
    store.delete(1)
    store.delete(1)
    store.delete(17)
    assert(store.list() === Vector(0L, 2L))
    assert(store.read(1).isEmpty)
    assert(Seq(0L, 1L, 2L).map(store.isPublished) === Seq(true, false, true))
    assert(store.putIfAbsent(1, utf8("again")) === Created)
    assert(!store.isPublished(1))
  }

  law("a mark is seen by everybody, and who makes it a second time is told so") { storage =>
    storage.recordStore().putIfAbsent(0, utf8("x"))
    assert(!storage.recordStore().isPublished(0))
    assert(storage.recordStore().markPublished(0) === Created)
    assert(storage.recordStore().markPublished(0) === Taken)
    assert(storage.recordStore().isPublished(0))
    assert(!storage.recordStore().isPublished(1))
    assert(storage.recordStore().list() === Vector(0L))
  }

  law("a note of visible parts is written once, and goes with its record") { storage =>
    storage.recordStore().putIfAbsent(7, utf8("x"))
    assert(storage.recordStore().visible(7, 0) === None)
    assert(storage.recordStore().noteVisible(7, 0, Set("b/p", "b/q")) === Created)
    assert(storage.recordStore().noteVisible(7, 0, Set("b/p")) === Taken)
    assert(storage.recordStore().noteVisible(7, 1, Set("b/r")) === Created)
    assert(storage.recordStore().visible(7, 0) === Some(Set("b/p", "b/q")))
    assert(storage.recordStore().visible(7, 1) === Some(Set("b/r")))
    assert(storage.recordStore().visible(8, 0) === None)
    assert(storage.visible().isEmpty)
    val store = storage.recordStore()
    assert(store.list() === Vector(7L))
    store.delete(7)
    assert(Seq(0, 1).flatMap(store.visible(7, _)).isEmpty)
  }

  law("records of another sink id are another log") { storage =>
    storage.neighbour().recordStore().putIfAbsent(0, utf8("theirs"))
    assert(storage.recordStore().list().isEmpty)
    assert(storage.recordStore().putIfAbsent(0, utf8("ours")) === Created)
  }

  law("nothing of the log is visible to a reader, and it says where it is") { storage =>
    storage.recordStore().putIfAbsent(3, utf8("x"))
    storage.recordStore().markPublished(3)
    assert(storage.visible().isEmpty)
    assert(storage.recordStore().describe(3).contains("3"))
  }
}

private final case class PutElsewhere(storage: StorageUnderTest, count: Long) extends Elsewhere.Task {
  override def run(): String = {
    val store = storage.recordStore()
    (0L until count).count(seq => store.putIfAbsent(seq, "there".getBytes) == Created).toString
  }
}
