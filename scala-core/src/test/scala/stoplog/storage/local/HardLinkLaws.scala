// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path}

import stoplog.fault.{InjectedFault, Step}
import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.part.{LastWriter, Open, PartRows, Publish, Resume, RunId}
import stoplog.sink.CommitOutcome.{AlreadyCommitted, Committed, Lost}
import stoplog.storage.{FenceOutcome, PartLayout}

/** Other names of a part's file: `cp -al`, `rsync --link-dest` and tools that join equal files make them. */
abstract class HardLinkLaws(layout: String => PartLayout) extends LawSuite {

  override def newStorage(): StorageUnderTest = LocalUnderTest.create(layout, LocalForcing.Disk)

  linkLaw("a part is published, whatever other names its file has") { storage =>
    val open = leftOpen(storage.partStore(), "rows\n")
    val copy = linked(storage, open)
    assert(storage.partStore().publish(open, 5, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "rows\n")
    assert(Files.readString(copy) === "rows\n")
    assert(storage.partStore().staged().isEmpty)
  }

  linkLaw("a publisher that dies half-way leaves a part that the next one finds published") { storage =>
    val open = leftOpen(storage.partStore(), "rows\n")
    linked(storage, open)
    intercept[InjectedFault](dying(storage).publish(open, 5, "b/part-1.txt"))
    assert(storage.partStore().publish(open, 5, "b/part-1.txt") === AlreadyCommitted)
    assert(text(storage, "b/part-1.txt") === "rows\n")
    assert(storage.partStore().staged().isEmpty)
  }

  linkLaw("what a reader has taken does not come back, whether its publisher died or not") { storage =>
    val store = storage.partStore()
    for (publisher <- Seq(store, dying(storage))) {
      val open = leftOpen(store, "rows\n")
      linked(storage, open)
      scala.util.Try(publisher.publish(open, 5, "b/part-1.txt"))
      Files.delete(storage.root.resolve("b/part-1.txt"))
      assert(store.publish(open, 5, "b/part-1.txt") === Lost)
      assert(storage.visible().isEmpty)
    }
  }

  linkLaw("of many publishers at once one publishes, and all find it published") { storage =>
    for (round <- 1 to 16) {
      val open = leftOpen(storage.partStore(), "rows\n", part(name = s"part-$round.txt"))
      linked(storage, open)
      val path     = s"b/part-$round.txt"
      val outcomes = together(6)(_ => storage.partStore().publish(open, 5, path))
      assert(outcomes.count(_ == Committed) === 1, s"round $round: $outcomes")
      assert(outcomes.forall(outcome => outcome == Committed || outcome == AlreadyCommitted))
      assert(text(storage, path) === "rows\n")
    }
  }

  linkLaw("a part that is linked to its final name already is published, and stays") { storage =>
    val open = leftOpen(storage.partStore(), "rows\n")
    Files.createDirectories(storage.root.resolve("b"))
    Files.createLink(storage.root.resolve("b/part-1.txt"), storage.root.resolve(open.token))
    assert(storage.partStore().publish(open, 5, "b/part-1.txt") === AlreadyCommitted)
    assert(text(storage, "b/part-1.txt") === "rows\n")
    assert(storage.partStore().staged().isEmpty)
  }

  linkLaw("going on with a part changes nothing under its other names") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "rows\n")
    storage.appendJunk(open, utf8("of another sink's log\n"))
    val copy  = linked(storage, open)
    val again = append(store.resume(open, 5), "more\n").persist()
    assert(again.token !== open.token)
    assert(store.publish(again, 10, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "rows\nmore\n")
    assert(Files.readString(copy) === "rows\nof another sink's log\n")
  }

  linkLaw("a part is not cut under its other names: it is kept, and the error has a name") { storage =>
    val open = leftOpen(storage.partStore(), "rows\n")
    storage.appendJunk(open, utf8("of another sink's log\n"))
    val copy = linked(storage, open)
    assert(condition(storage.partStore().publish(open, 5, "b/part-1.txt")) === "STOPLOG_PART_SHARED")
    assert(storage.visible().isEmpty && isStaged(storage.partStore(), open))
    assert(Files.readString(copy) === "rows\nof another sink's log\n")
    Files.delete(copy)
    assert(storage.partStore().publish(open, 5, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "rows\n")
  }

  linkLaw("a new run does not take over in place what has another name") { storage =>
    val store = storage.partStore()
    val parts = Vector("part-1.txt", "part-2.txt").map(name => leftOpen(store, "rows\n", part(name = name)))
    linked(storage, parts.head)
    val next = RunId("22222222-2222-4222-8222-222222222222")
    assert(
      store.fence(next, parts.map(openPart)) === Vector(FenceOutcome.Doubtful, FenceOutcome.Owned)
    )
  }

  private def linkLaw(name: String)(body: LocalUnderTest => Unit): Unit = law(name) {
    case storage: LocalUnderTest => body(storage)
    case other                   => fail(s"$other")
  }

  private def linked(storage: LocalUnderTest, part: Publish): Path = {
    val copy = storage.root.resolve(s"_copy-${part.token.hashCode}")
    Files.createLink(copy, storage.root.resolve(part.token))
  }

  private def dying(storage: LocalUnderTest): LocalPartStore = new LocalPartStore(
    storage.root.toString,
    "main",
    layout("main"),
    LocalForcing.Disk,
    (step: Step) => if (step == Step.MidPublish) throw new InjectedFault(step)
  )

  private def openPart(open: Resume): Open =
    Open("b", "part-1.txt", open, 5, PartRows(1, 0, 0), LastWriter(0, None))
}

class StagingHardLinkSuite extends HardLinkLaws(LocalUnderTest.staging)

class InBucketHardLinkSuite extends HardLinkLaws(LocalUnderTest.inBucket)
