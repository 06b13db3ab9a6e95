// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

/** The cost of an epoch is the size of its own rows: the epoch appends to the file of the preceding epoch. */
abstract class InPlaceLaws extends LawSuite {

  law("a part that was closed regularly continues in its own file, any number of times") { storage =>
    var open = leftOpen(storage.partStore(), "0\n")
    for (epoch <- 1 to 3) {
      val next = append(storage.partStore().resume(open, epoch * 2L), s"$epoch\n").persist()
      assert(next.token === open.token)
      open = next
    }
    assert(storage.partStore().staged().map(_.token) === Vector(open.token))
  }
}

/** The weaker promise of stores with immutable files: a part is continued in a copy. With such a store, a
  * sink closes its parts at each epoch.
  */
abstract class CopyingLaws extends LawSuite {

  law("a part continues in a new file, and the old file is unchanged") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    val next  = append(store.resume(open, 5), "more\n").persist()
    assert(next.token !== open.token)
    assert(store.staged().map(_.token).toSet === Set(open.token, next.token))
    assert(new String(storage.stored(open.token), "utf8") === "good\n")
  }
}
