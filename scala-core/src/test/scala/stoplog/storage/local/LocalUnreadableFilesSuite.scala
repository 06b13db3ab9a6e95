// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path}

import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.log.CommitLog

/** What the file system cannot tell is not "there is none". A link that leads to itself stands for a file that cannot be
  * looked at, also by root.
  */
class LocalUnreadableFilesSuite extends LawSuite {

  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)

  lookLaw("a finished part that cannot be checked is not skipped if another file replaces it") { storage =>
    unseen(storage.root.resolve("b"))
    refused(storage.replacedFiles().hide(7, "b/part-1.txt"))
    refused(storage.replacedFiles().sizeBytes("b/part-1.txt"))
  }

  lookLaw("hidden files that cannot be checked do not count as missing") { storage =>
    unseen(storage.root.resolve("_stoplog/main/replaced/7"))
    refused(storage.replacedFiles().restore(7, "b/part-1.txt"))
  }

  lookLaw("a part that cannot be checked is not lost") { storage =>
    val open = leftOpen(storage.partStore(), "rows\n")
    unseen(storage.root.resolve(open.token))
    refused(storage.partStore().publish(open, 5, "b/part-1.txt"))
    refused(storage.partStore().resume(open, 5))
    refused(storage.partStore().takeOver(open, 5, part()))
    refused(storage.partStore().discard(open.token))
  }

  lookLaw("a finished name that cannot be checked is neither free nor lost") { storage =>
    val open = leftOpen(storage.partStore(), "rows\n")
    unseen(storage.root.resolve("b"))
    refused(storage.partStore().publish(open, 5, "b/part-1.txt"))
    storage.lose(open)
    refused(storage.partStore().publish(open, 5, "b/part-1.txt"))
  }

  lookLaw("a mark that cannot be checked does not count as absent") { storage =>
    storage.logFiles().putIfAbsent(0, utf8("{}"))
    unseen(storage.root.resolve(f"_stoplog/main/log/${0}%020d.published"))
    refused(storage.logFiles().isPublished(0))
  }

  lookLaw("a listed record that cannot be read is an error and is not read again") { storage =>
    unseen(storage.root.resolve(f"_stoplog/main/log/${0}%020d.commit"))
    refused(storage.logFiles().read(0))
    refused(new CommitLog(storage.logFiles()).newest())
  }

  lookLaw("a file below another file is an error") { storage =>
    Files.writeString(storage.root.resolve("b"), "a file")
    refused(storage.replacedFiles().hide(7, "b/part-1.txt"))
    refused(storage.files().read("b/_SUCCESS"))
  }

  lookLaw("what is not there is not there") { storage =>
    assert(storage.replacedFiles().sizeBytes("b/part-1.txt") === None)
    assert(storage.logFiles().read(0) === None)
    assert(!storage.logFiles().isPublished(0))
    assert(storage.files().read("b/_SUCCESS") === None)
    storage.replacedFiles().hide(7, "b/part-1.txt")
    storage.partStore().discard("_stoplog/main/open/b/.part-1.txt")
  }

  private def lookLaw(name: String)(body: LocalUnderTest => Unit): Unit = law(name) {
    case storage: LocalUnderTest => body(storage)
    case other                   => fail(s"$other")
  }

  private def unseen(path: Path): Unit = {
    Files.createDirectories(path.getParent)
    Files.deleteIfExists(path)
    Files.createSymbolicLink(path, path.getFileName)
    ()
  }

  private def refused(action: => Any): Unit = assert(condition(action) === "STOPLOG_STORE_WRITE")
}
