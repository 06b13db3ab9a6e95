// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.util.Arrays

import scala.util.Try

import stoplog.part.{Closed, Publish, Resume}
import stoplog.sink.CommitOutcome
import stoplog.storage.PartOutput
import stoplog.sink.CommitOutcome.{AlreadyCommitted, Committed, Lost}

/** The laws of writing, continuing and publishing parts. */
abstract class PartStoreLaws extends LawSuite {

  law("a part is invisible until its publication, and complete afterwards") { storage =>
    val store  = storage.partStore()
    val output = append(store.create(part()), "one\n")
    assert(storage.visible().isEmpty)
    append(output, "two\n")
    val closed = output.finish()
    assert(storage.visible().isEmpty)
    assert(store.publish(closed, 8, "b/part-1.txt") === Committed)
    assert(storage.visible() === Set("b/part-1.txt"))
    assert(text(storage, "b/part-1.txt") === "one\ntwo\n")
  }

  law("positions count bytes, for slices of arrays and after a resume") { storage =>
    val store  = storage.partStore()
    val output = store.create(part())
    assert(output.position === 0)
    output.write(utf8("xxabcxx"), 2, 3)
    assert(output.position === 3)
    val resumed = store.resume(output.persist(), 3)
    assert(resumed.position === 3)
    resumed.write(utf8("d"), 0, 1)
    assert(resumed.position === 4)
    store.publish(resumed.finish(), 4, "b/part-1.txt")
    assert(text(storage, "b/part-1.txt") === "abcd")
  }

  law("an open part continues in any process, over several epochs, through serialized handles") { storage =>
    var open = leftOpen(storage.partStore(), "0\n")
    for (epoch <- 1 to 4) {
      val store = storage.partStore()
      open = append(store.resume(Copied(open), epoch * 2L), s"$epoch\n").persist()
    }
    assert(storage.partStore().publish(Copied(open), 10, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "0\n1\n2\n3\n4\n")
  }

  law("a resume removes the bytes after the valid length") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    storage.appendJunk(open, utf8("junk that is a good deal longer than what replaces it"))
    val again = append(store.resume(open, 5), "more\n").persist()
    store.publish(again, 10, "b/part-1.txt")
    assert(text(storage, "b/part-1.txt") === "good\nmore\n")
  }

  law("a part can be cut back to any of its persist points") { storage =>
    for (point <- 1 to 4) {
      val store = storage.partStore()
      val as    = part(name = s"part-$point.txt")
      var open  = leftOpen(store, "1\n", as)
      for (epoch <- 2 to 4) open = append(store.resume(open, (epoch - 1) * 2L), s"$epoch\n").persist()
      val back = append(storage.partStore().resume(Copied(open), point * 2L), "x\n").finish()
      storage.partStore().publish(Copied(back), point * 2L + 2, s"b/part-$point.txt")
      assert(text(storage, s"b/part-$point.txt") === (1 to point).map(n => s"$n\n").mkString + "x\n")
    }
  }

  law("a publication removes the bytes after the recorded length") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    storage.appendJunk(open, utf8("junk"))
    assert(store.publish(store.closed(open, 5), 5, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "good\n")
  }

  law("a closed part that no record names continues from its open handle") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "good\n")
    append(store.resume(open, 5), "of an epoch that failed\n").finish()
    val again = append(store.resume(open, 5), "more\n").finish()
    assert(store.publish(again, 10, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "good\nmore\n")
  }

  law("repeated publications, from any process, have no further effect") { storage =>
    val store  = storage.partStore()
    val closed = append(store.create(part()), "once\n").finish()
    assert(store.publish(closed, 5, "b/part-1.txt") === Committed)
    for (_ <- 1 to 9)
      assert(storage.partStore().publish(Copied(closed), 5, "b/part-1.txt") === AlreadyCommitted)
    assert(storage.visible() === Set("b/part-1.txt"))
    assert(text(storage, "b/part-1.txt") === "once\n")
    assert(store.staged().isEmpty)
  }

  law("concurrent publications from many threads all succeed, also with excess bytes") { storage =>
    for (round <- 1 to 8) {
      val open = leftOpen(storage.partStore(), "once\n", part(bucket = "a/b", name = s"part-$round.txt"))
      if (round % 2 == 0) storage.appendJunk(open, utf8("junk"))
      val path     = s"a/b/part-$round.txt"
      val closed   = storage.partStore().closed(open, 5)
      val outcomes = together(6)(_ => storage.partStore().publish(closed, 5, path))
      assert(outcomes.forall(outcome => outcome == Committed || outcome == AlreadyCommitted), s"round $round")
      assert(text(storage, path) === "once\n", s"round $round")
    }
    assert(storage.partStore().staged().isEmpty)
  }

  law("a part that readers have removed does not reappear after a late publication") { storage =>
    val store   = storage.partStore()
    val handles = Vector[(String, Publish)](
      "new"      -> append(store.create(part(name = "new")), "rows\n").finish(),
      "resumed"  -> append(store.resume(leftOpen(store, "ro", part(name = "resumed")), 2), "ws\n").finish(),
      "closed"   -> store.closed(leftOpen(store, "rows\n", part(name = "closed")), 5),
      "isolated" -> store.isolate(
        leftOpen(store, "rows\n", part(name = "isolated")),
        5,
        part(name = "isolated")
      )
    )
    for ((name, handle) <- handles) {
      val path = s"b/$name"
      assert(store.publish(handle, 5, path) === Committed, name)
      assert(text(storage, path) === "rows\n", name)
      storage.replacedFiles().hide(7, path)
      storage.replacedFiles().purge(7)
      // some servers respond to a completed or aborted upload with an error
      val late = Try(Copied(storage).partStore().publish(Copied(handle), 5, path))
      assert(Set("Lost", "STOPLOG_STORE_WRITE")(late.fold(e => condition(throw e), _.toString)), name)
      assert(storage.visible() === Set.empty, name)
    }
  }

  law("another JVM continues and publishes the part, and this JVM finds the published part") { storage =>
    val open   = leftOpen(storage.partStore(), "here\n")
    val answer = Elsewhere.answerOf(GoOnElsewhere(storage, open, 5, "there\n", "b/part-1.txt"))
    assert(answer.startsWith("11 Committed "))
    val closed = Closed(answer.stripPrefix("11 Committed "))
    assert(storage.partStore().publish(closed, 11, "b/part-1.txt") === AlreadyCommitted)
    assert(text(storage, "b/part-1.txt") === "here\nthere\n")
  }

  law("another JVM resumes a part that many epochs have extended by few bytes each") { storage =>
    val begin  = "content of the first epoch\n"
    val epochs = 1 to 20
    val bytes  = begin.length.toLong + epochs.size * 2
    val open   = epochs.foldLeft(leftOpen(storage.partStore(), begin)) { (open, epoch) =>
      val resumed = storage.partStore().resume(Copied(open), begin.length + (epoch - 1) * 2L)
      append(resumed, "r\n").persist(inRecordBytes = 100)
    }
    val answer = Elsewhere.answerOf(GoOnElsewhere(storage, open, bytes, "end\n", "b/part-1.txt"))
    assert(answer.startsWith(s"${bytes + 4} Committed "))
    assert(text(storage, "b/part-1.txt") === begin + "r\n" * epochs.size + "end\n")
  }

  law("an existing finished name is an error, and no file is overwritten") { storage =>
    for (
      (what, content) <- Seq(
        "equal length" -> "mine!\n",
        "shorter"      -> "s",
        "longer"       -> "much longer\n",
        "empty"        -> ""
      )
    ) {
      val store  = storage.partStore()
      val name   = s"part-$what.txt"
      val closed = append(store.create(part(name = name)), "yours\n").finish()
      storage.plant(s"b/$name", utf8(content))
      assert(condition(store.publish(closed, 6, s"b/$name")) === "STOPLOG_NAME_TAKEN", what)
      assert(text(storage, s"b/$name") === content, what)
      assert(isStaged(store, closed), s"the part must be kept: $what")
    }
  }

  law("without the unfinished part, a finished file counts only with the recorded length") { storage =>
    val store = storage.partStore()
    for ((what, content) <- Seq("shorter" -> "s", "longer" -> "much longer\n", "empty" -> "")) {
      val name   = s"part-$what.txt"
      val closed = append(store.create(part(name = name)), "yours\n").finish()
      store.publish(closed, 6, s"b/$name")
      storage.plant(s"b/$name", utf8(content))
      assert(condition(store.publish(closed, 6, s"b/$name")) === "STOPLOG_NAME_TAKEN", what)
    }
  }

  law("a part that is neither staged nor finished is reported as lost") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "gone\n")
    storage.lose(open)
    assert(store.publish(open, 5, "b/part-1.txt") === Lost)
    assert(storage.visible().isEmpty)
  }

  law("a part without all committed bytes is an error that names the part, in each operation") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "committed\n")
    storage.cutShort(open, 3)
    assert(condition(store.resume(open, 10)) === "STOPLOG_PART_SHORT")
    assert(condition(store.takeOver(open, 10, part())) === "STOPLOG_PART_SHORT")
    assert(condition(store.isolate(open, 10, part())) === "STOPLOG_PART_SHORT")
    assert(condition(store.publish(open, 10, "b/part-1.txt")) === "STOPLOG_PART_SHORT")
    assert(storage.visible().isEmpty)
  }

  law("continuing a missing part is an error that names the part, and creates no file") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "gone\n", part(bucket = "b"))
    leftOpen(store, "there\n", part(bucket = "b", name = "part-2.txt"))
    storage.lose(open)
    assert(condition(store.resume(open, 5)) === "STOPLOG_PART_SHORT")
    assert(condition(store.takeOver(open, 5, part())) === "STOPLOG_PART_SHORT")
    assert(!isStaged(store, open))
    assert(store.publish(open, 5, "b/part-1.txt") === Lost)
  }

  law("a write to a closed part is an error that names the part") { storage =>
    val store                                  = storage.partStore()
    val ends: Seq[(String, PartOutput => Any)] =
      Seq("persist" -> (_.persist()), "finish" -> (_.finish()), "close" -> (_.close()))
    for ((how, end) <- ends) {
      val output = append(store.create(part(name = s"part-$how.txt")), "x")
      end(output)
      assert(condition(append(output, "y")) === "STOPLOG_STORE_WRITE", how)
      output.close()
      output.close()
    }
  }

  law("close after persist or finish reverts nothing, and the position is unchanged") { storage =>
    val store  = storage.partStore()
    val open   = append(store.create(part()), "st")
    val handle = open.persist()
    open.close()
    assert(open.position === 2)
    val output = append(store.resume(handle, 2), "ays\n")
    val closed = output.finish()
    output.close()
    assert(output.position === 6)
    assert(store.publish(closed, 6, "b/part-1.txt") === Committed)
    assert(text(storage, "b/part-1.txt") === "stays\n")
  }

  law("names with spaces, other alphabets, '=' and '%', and buckets in buckets") { storage =>
    val store   = storage.partStore()
    val buckets =
      Seq("", "a", "a/b/c", "day=2026-01-01/hour=07", "with space", "köln-東京", "100%25", "50% off", "a+b&c#d")
    for {
      bucket <- buckets
      name   <- Seq("part 1.txt", "pärt-ß=%.txt")
    } {
      val path   = if (bucket.isEmpty) name else s"$bucket/$name"
      val open   = leftOpen(store, "a\n", part(bucket, name))
      val closed = append(store.resume(open, 2), "b\n").finish()
      assert(isStaged(store, closed))
      assert(store.publish(closed, 4, path) === Committed)
      assert(text(storage, path) === "a\nb\n")
      assert(!isStaged(store, closed))
    }
    assert(storage.visible().size === buckets.size * 2)
  }

  law("a part without bytes") { storage =>
    val store = storage.partStore()
    val open  = store.create(part()).persist()
    val again = store.resume(open, 0).persist()
    val taken = store.takeOver(again, 0, part()).finish()
    assert(store.publish(taken, 0, "b/part-1.txt") === Committed)
    assert(storage.bytes("b/part-1.txt").isEmpty)
    assert(store.publish(taken, 0, "b/part-1.txt") === AlreadyCommitted)
  }

  law("a part of ten mebibytes, in pieces of all sizes, resumed in the middle and taken over") { storage =>
    val store   = storage.partStore()
    val content = new Array[Byte](10 << 20)
    new java.util.Random(7).nextBytes(content)
    var output = store.create(part())
    var at     = 0
    var size   = 1
    while (at < content.length) {
      val count = size.min(content.length - at)
      output.write(content, at, count)
      at += count
      size = size * 3 % 300007
      if (at > content.length / 2 && at - count <= content.length / 2)
        output = store.resume(output.persist(), at.toLong)
    }
    val taken = store.takeOver(output.persist(), content.length.toLong, part()).finish()
    assert(store.publish(taken, content.length.toLong, "b/part-1.txt") === CommitOutcome.Committed)
    assert(Arrays.equals(storage.bytes("b/part-1.txt"), content))
  }

  law("many tasks open and publish parts of the same buckets at once") { storage =>
    together(6) { thread =>
      val store = storage.partStore()
      for (round <- 1 to 20) {
        val name   = s"part-$thread-$round.txt"
        val closed = append(store.create(part("x/y/z", name)), name).finish()
        assert(store.publish(closed, name.length.toLong, s"x/y/z/$name") === Committed)
      }
    }
    assert(storage.visible().size === 120)
    assert(storage.partStore().staged().isEmpty)
  }
}

/** Continues, closes and publishes a part in another process. */
private final case class GoOnElsewhere(
    storage: StorageUnderTest,
    open: Resume,
    validBytes: Long,
    more: String,
    path: String
) extends Elsewhere.Task {
  override def run(): String = {
    val store  = storage.partStore()
    val output = store.resume(open, validBytes)
    val bytes  = more.getBytes("utf8")
    output.write(bytes, 0, bytes.length)
    val size            = output.position
    val handle: Publish = output.finish()
    s"$size ${store.publish(handle, size, path)} ${handle.token}"
  }
}
