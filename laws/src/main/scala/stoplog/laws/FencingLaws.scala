// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import scala.util.Try

import stoplog.part.{LastWriter, Open, PartRows, Resume, RunId}
import stoplog.storage.FenceOutcome
import stoplog.sink.CommitOutcome.Committed

/** I1: limits the effects of a writer that should have ended. */
abstract class FencingLaws extends LawSuite {
  private val other = RunId("22222222-2222-4222-8222-222222222222")

  law("a writer that stays alive cannot change bytes that were taken over") { storage =>
    val store     = storage.partStore()
    val open      = leftOpen(store, "good\n")
    val alive     = append(store.resume(open, 5), "zombie before\n")
    val takenOver = append(store.takeOver(open, 5, part(by = other)), "mine\n")
    append(alive, "zombie after\n").finish()
    val again = append(store.resume(takenOver.persist(), 10), "more\n").finish()
    assert(store.publish(again, 15, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "good\nmine\nmore\n")
  }

  law("a writer that stays alive cannot change bytes that were isolated") { storage =>
    val store    = storage.partStore()
    val open     = leftOpen(store, "good\n")
    val alive    = append(store.resume(open, 5), "zombie before\n")
    val isolated = store.isolate(open, 5, part(by = other))
    append(alive, "zombie after\n").persist()
    assert(store.publish(isolated, 5, "b/part-1.txt") === Committed)
    Try(append(store.resume(open, 5), "zombie for ever\n").finish()) // may fail or succeed
    assert(text(storage, "b/part-1.txt") === "good\n")
  }

  law("several attempts take over the same part, each in a separate file") { storage =>
    val store   = storage.partStore()
    val open    = leftOpen(store, "good\n")
    val copies  = (1 to 3).map(n => store.takeOver(open, 5, part()) -> s"attempt $n\n")
    val handles = copies.map { case (output, line) => append(output, line).finish() }
    assert(handles.map(_.token).distinct.size === 3)
    assert(store.publish(handles(1), 15, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "good\nattempt 2\n")
  }

  law("a part that its writer closed can still be taken over from the handle in the record") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    append(store.resume(open, 5), "zombie\n").finish()
    val takenOver = append(store.takeOver(open, 5, part(by = other)), "mine\n").finish()
    assert(store.publish(takenOver, 10, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "good\nmine\n")
  }

  law("two parts with one name do not share a file before they are published") { storage =>
    val store = storage.partStore()
    val one   = append(store.create(part()), "one").finish()
    val two   = append(store.create(part()), "two").finish()
    assert(store.publish(two, 3, "b/part-1.txt") === Committed)
    assert(condition(store.publish(one, 3, "b/part-1.txt")) === "STOPLOG_NAME_TAKEN")
    assert(text(storage, "b/part-1.txt") === "two")
  }

  law("a writer that stays alive cannot change the bytes of the next run, for each result of fencing") {
    storage =>
      val store = storage.partStore()
      store.enter(run) // and never leaves
      val open      = leftOpen(store, "good\n")
      val alive     = append(store.resume(open, 5), "zombie before\n")
      val next      = storage.partStore()
      val claimed   = next.claimed(open)
      val successor = next.fence(other, Vector(openPart(claimed, 5))).head match {
        case FenceOutcome.Owned    => append(next.resume(claimed, 5), "mine\n").finish()
        case FenceOutcome.Doubtful => append(next.takeOver(claimed, 5, part(by = other)), "mine\n").finish()
      }
      Try(append(alive, "zombie after\n").finish()) // may fail or succeed
      assert(next.publish(successor, 10, "b/part-1.txt") === Committed)
      assert(text(storage, "b/part-1.txt") === "good\nmine\n")
  }

  law("fencing returns a result for each part, also for a missing part") { storage =>
    val store = storage.partStore()
    val parts = (1 to 20).map(n => leftOpen(store, s"$n\n", part(name = s"part-$n.txt"))).toVector
    storage.lose(parts(7))
    val outcomes = store.fence(other, parts.map(openPart(_, 2)))
    assert(outcomes.size === 20)
    for ((open, FenceOutcome.Owned) <- parts.zip(outcomes) if open != parts(7))
      assert(append(store.resume(open, 2), "more\n").position > 2)
    assert(condition(store.resume(parts(7), 2)) === "STOPLOG_PART_SHORT")
  }

  law("a part can be fenced again, also after its run has written to the part") { storage =>
    val store     = storage.partStore()
    val claimed   = store.claimed(leftOpen(store, "good\n"))
    val successor = store.fence(other, Vector(openPart(claimed, 5))).head match {
      case FenceOutcome.Owned    => append(store.resume(claimed, 5), "mine\n").persist()
      case FenceOutcome.Doubtful => append(store.takeOver(claimed, 5, part(by = other)), "mine\n").persist()
    }
    assert(store.fence(other, Vector(openPart(successor, 10))).size === 1)
    val finished = append(store.resume(successor, 10), "more\n").finish()
    assert(store.publish(finished, 15, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "good\nmine\nmore\n")
  }

  private def openPart(open: Resume, validBytes: Long): Open =
    Open("b", "part-1.txt", open, validBytes, PartRows(1, 0, 0), LastWriter(0, Some(run)))
}
