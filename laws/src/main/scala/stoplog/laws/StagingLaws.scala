// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.sink.CommitOutcome.{Committed, Lost}

/** The laws of unfinished parts: recovery lists unfinished parts, and readers do not see them. */
abstract class StagingLaws extends LawSuite {

  law("an unused directory has no staged part") { storage =>
    assert(storage.partStore().staged().isEmpty)
  }

  law("each unfinished part is listed under its token: open, closed, or taken over") { storage =>
    val store  = storage.partStore()
    val open   = leftOpen(store, "good\n", part("a", "part-1.txt"))
    val closed = append(store.create(part("a/b", "part-2.txt")), "x").finish()
    val taken  = store.takeOver(open, 5, part("a", "part-1.txt")).persist()
    val tokens = store.staged().map(_.token)
    assert(tokens.distinct === tokens)
    assert(Set(open.token, closed.token, taken.token).subsetOf(tokens.toSet))
    assert(tokens.size === 3)
  }

  law("a part is staged until it is published or discarded, in every process") { storage =>
    val store = storage.partStore()
    val one   = append(store.create(part("a", "part-1.txt")), "rows\n").finish()
    val other = append(store.create(part("a", "part-2.txt")), "rows\n").finish()
    assert(Seq(one, other).forall(handle => Copied(storage).partStore().isStaged(handle.token)))
    assert(store.publish(one, 5, "a/part-1.txt") === Committed)
    store.discard(other.token)
    assert(!Seq(one, other).exists(handle => Copied(storage).partStore().isStaged(handle.token)))
  }

  law("staged parts have a time of change that is not in the future") { storage =>
    val store = storage.partStore()
    leftOpen(store, "good\n")
    val latest = System.currentTimeMillis() + 1000
    assert(store.staged().forall(staged => staged.modifiedAtMillis > 0 && staged.modifiedAtMillis <= latest))
  }

  law("a published part is not staged, and a foreign file never is") { storage =>
    val store  = storage.partStore()
    val closed = append(store.create(part()), "x").finish()
    assert(store.publish(closed, 1, "b/part-1.txt") === Committed)
    storage.plant("b/foreign.txt", utf8("not ours"))
    storage.plant("b/_hidden", utf8("not ours"))
    storage.plant(".hidden", utf8("not ours"))
    assert(store.staged().isEmpty)
  }

  law("a discarded part is deleted, open or closed, and its neighbours stay") { storage =>
    val store  = storage.partStore()
    val open   = leftOpen(store, "good\n", part("a/b", "part-1.txt"))
    val closed = append(store.create(part("a/b", "part-2.txt")), "x").finish()
    val kept   = leftOpen(store, "kept\n", part("a", "part-3.txt"))
    store.discard(open.token)
    store.discard(closed.token)
    assert(store.staged().map(_.token).toSet === store.stagedOf(kept.token))
    assert(store.publish(open, 5, "a/b/part-1.txt") === Lost)
    assert(store.publish(kept, 5, "a/part-3.txt") === Committed)
  }

  law("discarding a missing part is not an error") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    store.discard(open.token)
    store.discard(open.token)
    assert(store.staged().isEmpty)
  }

  law("discarding never changes a finished part") { storage =>
    val store  = storage.partStore()
    val closed = append(store.create(part()), "x").finish()
    store.publish(closed, 1, "b/part-1.txt")
    store.discard(closed.token)
    assert(text(storage, "b/part-1.txt") === "x")
  }

  law("parts of another sink id in the same directory are not listed") { storage =>
    val neighbour = storage.neighbour().partStore()
    leftOpen(neighbour, "theirs\n")
    append(neighbour.create(part("b", "part-2.txt")), "x").finish()
    assert(neighbour.staged().size === 2)
    assert(storage.partStore().staged().isEmpty)
  }
}
