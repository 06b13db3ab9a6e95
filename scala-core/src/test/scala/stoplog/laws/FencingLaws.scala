package stoplog.laws

import stoplog.part.RunId
import stoplog.store.PublishOutcome.Published

/** I1: what a writer that should be gone can still do, and whether it would be noticed. */
abstract class FencingLaws extends LawSuite {
  private val other = RunId("22222222-2222-4222-8222-222222222222")

  law("a writer that lives on cannot change what was taken over from it") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    val alive = append(store.resume(open, 5), "zombie before\n")
    val mine  = append(store.takeOver(open, 5, part(by = other)), "mine\n")
    append(alive, "zombie after\n").finish()
    val again = append(store.resume(mine.persist(), 10), "more\n").finish()
    assert(store.publish(again, 15, "b/part-1.txt") === Published)
    assert(text(storage, "b/part-1.txt") === "good\nmine\nmore\n")
  }

  law("a writer that lives on cannot change what was isolated from it") { storage =>
    val store    = storage.partStore()
    val open     = leftOpen(store, "good\n")
    val alive    = append(store.resume(open, 5), "zombie before\n")
    val isolated = store.isolate(open, 5, part(by = other))
    append(alive, "zombie after\n").persist()
    assert(store.publish(isolated, 5, "b/part-1.txt") === Published)
    append(store.resume(open, 5), "zombie for ever\n").finish()
    assert(text(storage, "b/part-1.txt") === "good\n")
  }

  law("several attempts take the same part over, and each has its own") { storage =>
    val store   = storage.partStore()
    val open    = leftOpen(store, "good\n")
    val copies  = (1 to 3).map(n => store.takeOver(open, 5, part()) -> s"attempt $n\n")
    val handles = copies.map { case (output, line) => append(output, line).finish() }
    assert(handles.map(_.token).distinct.size === 3)
    assert(store.publish(handles(1), 15, "b/part-1.txt") === Published)
    assert(text(storage, "b/part-1.txt") === "good\nattempt 2\n")
  }

  law("a part that its writer closed can still be taken over from the handle in the record") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    append(store.resume(open, 5), "zombie\n").finish()
    val mine = append(store.takeOver(open, 5, part(by = other)), "mine\n").finish()
    assert(store.publish(mine, 10, "b/part-1.txt") === Published)
    assert(text(storage, "b/part-1.txt") === "good\nmine\n")
  }

  law("two parts of one name do not meet before they are published") { storage =>
    val store = storage.partStore()
    val one   = append(store.create(part()), "one").finish()
    val two   = append(store.create(part()), "two").finish()
    assert(store.publish(two, 3, "b/part-1.txt") === Published)
    assert(condition(store.publish(one, 3, "b/part-1.txt")) === "STOPLOG_NAME_TAKEN")
    assert(text(storage, "b/part-1.txt") === "two")
  }

  law("nobody is there at first, and a run's own tasks do not count as others") { storage =>
    val store = storage.partStore()
    assert(store.othersGone(run))
    val lease = store.enter(run)
    assert(store.othersGone(run))
    lease.close()
    assert(store.othersGone(run))
  }

  law("another run is gone when the last of its tasks has left") { storage =>
    val leases = (1 to 3).map(_ => storage.partStore().enter(other))
    leases.foreach { lease =>
      assert(!storage.partStore().othersGone(run))
      lease.close()
      lease.close() // leaves once
    }
    assert(storage.partStore().othersGone(run))
  }

  law("a task that enters again after its run had left is seen again") { storage =>
    storage.partStore().enter(other).close()
    assert(storage.partStore().othersGone(run))
    val lease = storage.partStore().enter(other)
    assert(!storage.partStore().othersGone(run))
    lease.close()
  }

  law("a process that holds a lease is seen from here, until it is killed") { storage =>
    val process = Elsewhere.start(HoldLease(storage, other))
    try {
      assert(process.answer === "held")
      assert(!storage.partStore().othersGone(run))
      assert(!storage.partStore().othersGone(run), "looking must not drop the lease of another process")
    } finally process.kill()
    assert(storage.partStore().othersGone(run))
  }

  law("a lease of this process is seen from another, and looking here does not drop it") { storage =>
    val lease = storage.partStore().enter(other)
    assert(!storage.partStore().othersGone(run))
    assert(Elsewhere.answerOf(AskOthersGone(storage, run)) === "false")
    lease.close()
    assert(Elsewhere.answerOf(AskOthersGone(storage, run)) === "true")
  }
}

private final case class HoldLease(storage: StorageUnderTest, by: RunId) extends Elsewhere.Task {
  override def run(): String = {
    storage.partStore().enter(by)
    "held"
  }
  override def afterwards(): Unit =
    Thread.currentThread().join() // never: only the end of the process lets go
}

private final case class AskOthersGone(storage: StorageUnderTest, asking: RunId) extends Elsewhere.Task {
  override def run(): String = storage.partStore().othersGone(asking).toString
}
