// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path, Paths}

import stoplog.docs.Repository
import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.storage.NewPart

/** Buckets that an operator has put on another file system, by a link as here, or by a mount. */
class LocalMountSuite extends LawSuite {

  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)

  law("a part that could not be renamed into its bucket is refused before it has a byte") { storage =>
    val root = rootOf(storage)
    val left = leftOpen(storage.partStore(), "rows\n")
    elsewhere(root) { cold =>
      Files.createSymbolicLink(root.resolve("b"), cold)
      assert(condition(storage.partStore().create(part())) === "STOPLOG_PATH_NOT_WRITABLE")
      val deeper = NewPart("b/hour=10", "part-1.txt", run)
      assert(condition(storage.partStore().create(deeper)) === "STOPLOG_PATH_NOT_WRITABLE")
      assert(condition(storage.partStore().takeOver(left, 5, part())) === "STOPLOG_PATH_NOT_WRITABLE")
      assert(condition(storage.partStore().publish(left, 5, "b/part-1.txt")) === "STOPLOG_PATH_NOT_WRITABLE")
      assert(storage.partStore().staged().map(_.token) === Vector(left.token))
      Files.delete(root.resolve("b"))
      storage.partStore().publish(left, 5, "b/part-1.txt")
      assert(storage.visible() === Set("b/part-1.txt"))
    }
  }

  law("a finished file that could not be renamed is not set aside, which is known before") { storage =>
    val root = rootOf(storage)
    elsewhere(root) { cold =>
      Files.createSymbolicLink(root.resolve("b"), cold)
      storage.plant("b/part-1.txt", utf8("rows"))
      storage.plant("c/part-2.txt", utf8("rows"))
      assert(storage.replacedFiles().unhideable(Seq("b/part-1.txt")) === Some("b/part-1.txt"))
      assert(storage.replacedFiles().unhideable(Seq("c/part-2.txt")).isEmpty)
      assert(condition(storage.replacedFiles().hide(7, "b/part-1.txt")) === "STOPLOG_STORE_WRITE")
    }
  }

  law("with unfinished parts beside finished ones any file system will do") { _ =>
    val storage = LocalUnderTest.create(LocalUnderTest.inBucket, LocalForcing.Process)
    try
      elsewhere(storage.root) { cold =>
        Files.createSymbolicLink(storage.root.resolve("b"), cold)
        storage.partStore().publish(leftOpen(storage.partStore(), "rows\n"), 5, "b/part-1.txt")
        assert(Files.readString(cold.resolve("part-1.txt")) === "rows\n")
      }
    finally storage.close()
  }

  private def rootOf(storage: StorageUnderTest): Path = storage match {
    case local: LocalUnderTest => local.root
    case other                 => fail(s"$other")
  }

  /** Cancels the test on a machine that has one file system alone. */
  private def elsewhere(root: Path)(test: Path => Any): Unit = {
    val home  = LocalFiles.device(root)
    val other = Seq(Paths.get("/dev/shm"), Repository.root.resolve("target"), Paths.get("/tmp"))
      .find(place => Files.isDirectory(place) && LocalFiles.device(place) != home)
      .getOrElse(cancel("this machine has one file system alone"))
    val cold = Files.createTempDirectory(other, "stoplog-cold")
    try test(cold): Unit
    finally LocalUnderTest.remove(cold)
  }
}
