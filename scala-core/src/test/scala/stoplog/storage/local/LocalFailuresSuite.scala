// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{AccessDeniedException, Files}
import java.nio.file.attribute.PosixFilePermissions

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException

/** Calls that a local file system rejects: the error has the reason, and never the path in its place. */
class LocalFailuresSuite extends AnyFunSuite {
  private val root  = Files.createTempDirectory("stoplog-failures")
  private val store = new LocalFileStore(root.toString, drafts = None, LocalForcing.Disk)

  Files.write(root.resolve("file"), Array[Byte](1))
  Files.createDirectories(root.resolve("directory/below"))

  private val calls: Seq[(String, () => Any, String)] = Seq(
    ("names", () => store.names("file"), "it is not a directory"),
    ("create", () => store.create("directory")(_ => ()), "Is a directory"),
    ("createIfAbsent", () => store.createIfAbsent("file/a")(_ => ()), "is not a directory"),
    ("mark", () => store.mark("absent/a"), "no such file or directory"),
    ("delete", () => store.delete(Seq("directory")), "the directory is not empty")
  )

  for ((name, call, reason) <- calls)
    test(s"$name: the error has the condition STOPLOG_STORE_WRITE and a reason") {
      val error = intercept[StoplogException](call())
      assert(error.getCondition === "STOPLOG_STORE_WRITE")
      assert(error.getMessage.contains(reason))
      assert(!error.getMessage.matches("(?s).* failed: \\S+[.] After.*"), error.getMessage)
    }

  test("a directory that is not to be listed may be unreadable, such as the trash of another user") {
    val closed = Files.createDirectories(root.resolve(".Trash-1000/below"))
    Files.setPosixFilePermissions(closed.getParent, PosixFilePermissions.fromString("---------"))
    try {
      assume(!Files.isReadable(closed.getParent), "root may read every directory")
      assert(LocalFiles.deepestFirst(root)(!_.endsWith(".Trash-1000")).contains(root.resolve("file")))
      intercept[AccessDeniedException](LocalFiles.deepestFirst(root)(_ => true))
    } finally
      Files.setPosixFilePermissions(closed.getParent, PosixFilePermissions.fromString("rwx------")): Unit
  }
}
