// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import scala.util.{Random, Using}

import stoplog.part.{RunId, SpoolFile}
import stoplog.storage.{NewPart, SpoolFiles}

/** The laws of spool files: a spool file is complete before a record may name the file, and is kept as long
  * as a record names the file.
  */
abstract class SpoolFilesLaws extends LawSuite {

  law("an unused directory has no spool files") { storage =>
    assert(storage.spoolFiles().staged().isEmpty)
    storage.spoolFiles().discard(Seq.empty)
  }

  law("each process reads a written file: empty, short, and ten mebibytes") { storage =>
    for (size <- Seq(0, 1, 4097, 10 << 20)) {
      val content = new Array[Byte](size)
      new Random(size).nextBytes(content)
      val file = SpoolFilesLaws.written(storage.spoolFiles(), content)
      assert(SpoolFilesLaws.read(Copied(storage).spoolFiles(), file) === content, size)
      assert(storage.stored(file.token) === content, size)
    }
  }

  law("spool files are invisible to readers, and to listings of parts") { storage =>
    val file = spooled(storage, "rows")
    assert(storage.visible().isEmpty)
    assert(storage.partStore().staged().isEmpty)
    leftOpen(storage.partStore(), "part")
    assert(storage.spoolFiles().staged().map(_.token) === Vector(file.token))
  }

  law("files have a time of change that is not in the future") { storage =>
    spooled(storage, "rows")
    val latest = System.currentTimeMillis() + 1000
    val staged = storage.spoolFiles().staged()
    assert(staged.nonEmpty)
    assert(staged.forall(file => file.modifiedAtMillis > 0 && file.modifiedAtMillis <= latest))
  }

  law("a missing or truncated file is an error that names the file") { storage =>
    val store = storage.spoolFiles()
    for (content <- Seq("rows of an epoch", "")) {
      val gone = spooled(storage, content)
      store.discard(Seq(gone.token))
      assert(condition(store.read(gone)) === "STOPLOG_PART_SHORT", s"'$content'")
    }
    val short = spooled(storage, "rows of an epoch")
    for (left <- Seq("rows of an epoc", "")) {
      storage.plant(short.token, utf8(left))
      assert(condition(store.read(short)) === "STOPLOG_PART_SHORT", s"'$left'")
    }
  }

  law("an unreadable file fails under its own name while another file is built from it") { storage =>
    val store = storage.spoolFiles()
    val gone  = spooled(storage, "gone")
    store.discard(Seq(gone.token))
    assert(
      condition(
        store.write(part())(out => Using.resource(store.read(gone))(_.transferTo(out)))
      ) === "STOPLOG_PART_SHORT"
    )
  }

  law("attempts that write spool files of one part at the same time do not affect each other") { storage =>
    val files = together(4) { n =>
      val store = storage.spoolFiles()
      (1 to 5).map(i => (n, i) -> SpoolFilesLaws.written(store, utf8(s"attempt $n, file $i\n" * 1000)))
    }.flatten
    assert(files.map(_._2.token).distinct.size === files.size)
    for (((n, i), file) <- files)
      assert(SpoolFilesLaws.read(storage.spoolFiles(), file) === utf8(s"attempt $n, file $i\n" * 1000))
    assert(storage.spoolFiles().staged().map(_.token).toSet === files.map(_._2.token).toSet)
  }

  law("names with spaces, other alphabets, '=' and '%'") { storage =>
    val store = storage.spoolFiles()
    val files = for {
      bucket <- Seq("", "a/b c", "köln-東京", "day=1/100%25")
      name   <- Seq("part 1.txt", "pärt-ß=%.txt", "50% + 1#&.txt")
    } yield s"$bucket $name" -> SpoolFilesLaws.written(
      store,
      utf8(s"$bucket $name"),
      part(bucket = bucket, name = name)
    )
    for ((content, file) <- files) assert(SpoolFilesLaws.read(storage.spoolFiles(), file) === utf8(content))
    assert(store.staged().map(_.token).toSet === files.map(_._2.token).toSet)
    store.discard(files.map(_._2.token))
    assert(store.staged().isEmpty)
  }

  law("a discarded file is deleted, after repeated calls as well, and its neighbours stay") { storage =>
    val store = storage.spoolFiles()
    val files = (1 to 3).map(n => spooled(storage, s"rows $n"))
    val gone  = files.take(2).map(_.token)
    for (_ <- 1 to 2) {
      store.discard(gone)
      assert(store.staged().map(_.token) === Vector(files(2).token))
      store.discard(Seq(gone.head))
    }
    assert(SpoolFilesLaws.read(store, files(2)) === utf8("rows 3"))
  }

  law("files of another sink id in the same directory are not listed") { storage =>
    val theirs = spooled(storage.neighbour(), "theirs")
    assert(storage.spoolFiles().staged().isEmpty)
    assert(storage.neighbour().spoolFiles().staged().map(_.token) === Vector(theirs.token))
  }

  private def spooled(storage: StorageUnderTest, content: String): SpoolFile =
    SpoolFilesLaws.written(storage.spoolFiles(), utf8(content))
}

private object SpoolFilesLaws {

  private val part = NewPart("b", "part-1.txt", RunId("11111111-1111-4111-8111-111111111111"))

  def written(store: SpoolFiles, content: Array[Byte], forPart: NewPart = part): SpoolFile =
    SpoolFile(store.write(forPart)(_.write(content)), content.length.toLong, level = 0)

  def read(store: SpoolFiles, file: SpoolFile): Array[Byte] =
    Using.resource(store.read(file))(_.readAllBytes())
}
