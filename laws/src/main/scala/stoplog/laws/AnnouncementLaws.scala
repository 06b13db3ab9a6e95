// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.part.RunId

/** I1, for stores with writer detection: the store detects a writer that should have ended. */
abstract class AnnouncementLaws extends LawSuite {
  private val other = RunId("22222222-2222-4222-8222-222222222222")

  law("there is no attempt at first, and tasks of the same run do not count as others") { storage =>
    val store = storage.partStore()
    assert(store.othersGone(run))
    val lease = store.enter(run)
    assert(store.othersGone(run))
    lease.close()
    assert(store.othersGone(run))
  }

  law("another run has ended when its last task has ended") { storage =>
    val leases = (1 to 3).map(_ => storage.partStore().enter(other))
    leases.foreach { lease =>
      assert(!storage.partStore().othersGone(run))
      lease.close()
      lease.close() // the second close has no effect
    }
    assert(storage.partStore().othersGone(run))
  }

  law("a task that starts after the end of its run is visible again") { storage =>
    storage.partStore().enter(other).close()
    assert(storage.partStore().othersGone(run))
    val lease = storage.partStore().enter(other)
    assert(!storage.partStore().othersGone(run))
    lease.close()
  }

  law("a process with a lease is visible from this process until it is killed") { storage =>
    val process = Elsewhere.start(HoldLease(storage, other))
    try {
      assert(process.answer === "held")
      assert(!storage.partStore().othersGone(run))
      assert(!storage.partStore().othersGone(run), "looking must not drop the lease of another process")
    } finally process.kill()
    assert(storage.partStore().othersGone(run))
  }

  law("a lease of this process is visible to another process, and a check keeps the lease") { storage =>
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
    Thread.currentThread().join() // never returns: only the end of the process releases the lease
}

private final case class AskOthersGone(storage: StorageUnderTest, asking: RunId) extends Elsewhere.Task {
  override def run(): String = storage.partStore().othersGone(asking).toString
}
