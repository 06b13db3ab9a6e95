// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.local.{LocalFileStore, LocalForcing, LocalUnderTest}

class VisibleFilesSuite extends AnyFunSuite {

  private def withFiles(names: String*)(body: (Path, FileStore) => Unit): Unit = {
    val root = Files.createTempDirectory("stoplog-visible")
    try {
      names.foreach(put(root, _, "12345".getBytes(UTF_8)))
      body(root, LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process))
    } finally LocalUnderTest.remove(root)
  }

  private def put(root: Path, name: String, bytes: Array[Byte]): Unit = {
    Files.createDirectories(root.resolve(name).getParent)
    Files.write(root.resolve(name), bytes): Unit
  }

  private def paths(files: Vector[VisibleFile]) = files.map(_.path)

  test("a listing contains visible files and markers and no other hidden files") {
    val seen    = Vector("_x=1/f.txt", "a.txt", "b/c.txt", "b/d/e.txt")
    val markers = Vector("_SUCCESS", "_x=1/_SUCCESS.12", "b/_SUCCESS")
    val others  = Vector("_stoplog/main/log/0", "b/_stoplog/main/log/0", ".x=1/g.txt", "b/.open",
      "b/_part-1.inprogress.main-1", "b/_part-2.pending", "b/_SUCCESS.crc", "b/_SUCCESSFUL", "b/.c.txt.crc",
      "b/z.txt._COPYING_")
    withFiles(seen ++ markers ++ others: _*) { (_, files) =>
      val listing = new VisibleFiles(files).list(Scope.Whole)
      assert(paths(listing.files) === seen)
      assert(paths(listing.markers) === markers)
      assert(listing.validLengths === Vector.empty)
      assert(paths(listing.replaceable) === markers ++ seen)
      assert(listing.directories === Vector(".x=1", "_stoplog", "_x=1", "b", "b/_stoplog", "b/d"))
    }
  }

  test("a directory scope lists each directory once with subdirectories and skips hidden directories") {
    withFiles("a.txt", "b/c.txt", "b/d/e.txt", "b/d/_SUCCESS", "c/f.txt", "cc/g.txt", "_h/i.txt",
      "_SUCCESS") { (_, files) =>
      def list(directories: String*) = new VisibleFiles(files).list(Scope.Directories(directories.toVector))
      assert(paths(list("b", "b/d", "b").files) === Vector("b/c.txt", "b/d/e.txt"))
      assert(paths(list("b/d", "c", "none").replaceable) === Vector("b/d/_SUCCESS", "b/d/e.txt", "c/f.txt"))
      assert(paths(list("_h", "_h/x").files) === Vector.empty)
      assert(paths(list("", "c").files) === Vector("a.txt", "b/c.txt", "b/d/e.txt", "c/f.txt", "cc/g.txt"))
      assert(list().replaceable === Vector.empty)
    }
  }

  test("a file with a valid-length file has the recorded number of committed bytes") {
    withFiles("b/a.txt", "b/b.txt", "b/c.txt", "b/_c.txt.valid-length", "b/_gone.txt.valid-length") {
      (root, files) =>
        put(root, "b/_a.txt.valid-length", ValidLengthNames.encoded(3))
        put(root, "b/.b.txt.length", ValidLengthNames.encoded(0))
        val listing = new VisibleFiles(files).list(Scope.Whole)
        assert(
          listing.files.map(f => (f.path, f.storedBytes, f.committedBytes)) ===
            Vector(("b/a.txt", 5, 3), ("b/b.txt", 5, 0), ("b/c.txt", 5, 5))
        )
        assert(
          paths(listing.validLengths) === Vector(
            "b/.b.txt.length",
            "b/_a.txt.valid-length",
            "b/_c.txt.valid-length"
          )
        )
    }
  }

  test("a valid-length file of any name belongs to the longest name in its own name") {
    withFiles("b/part-1", "b/part-10.json", "b/.other", "c/x") { (root, files) =>
      put(root, "b/.v-part-10.json.len", ValidLengthNames.encoded(2))
      put(root, "b/_part-1.number", "1234".getBytes(UTF_8))
      put(root, "c/.x.crc", ValidLengthNames.encoded(1))
      val listing = new VisibleFiles(files).list(Scope.Whole)
      assert(
        listing.files.map(f => f.path -> f.committedBytes) ===
          Vector("b/part-1" -> 5, "b/part-10.json" -> 2, "c/x" -> 5)
      )
      assert(paths(listing.validLengths) === Vector("b/.v-part-10.json.len"))
    }
  }

  test("the valid-length file of a part that is gone does not belong to a part with a similar name") {
    withFiles("b/part-0-1", "b/part-0-2") { (root, files) =>
      put(root, "b/_part-0-12.valid-length", ValidLengthNames.encoded(3))
      put(root, "b/.v-part-0-13.len", ValidLengthNames.encoded(3))
      put(root, "b/.v-10-part-0-2.len", ValidLengthNames.encoded(4))
      val listing = new VisibleFiles(files).list(Scope.Whole)
      assert(
        listing.files.map(f => f.path -> f.committedBytes) === Vector("b/part-0-1" -> 5, "b/part-0-2" -> 4)
      )
    }
  }

  test("a valid-length file belongs to its part if the configured prefix begins like the standard prefix") {
    for (prefix <- Seq("_v", "__", "_valid-")) withFiles("b/part-0-1", "b/part-2.json") { (root, files) =>
      put(root, s"b/${prefix}part-2.json.valid-length", ValidLengthNames.encoded(3))
      put(root, "b/_part-0-1.json.valid-length", ValidLengthNames.encoded(3))
      val listing = new VisibleFiles(files).list(Scope.Whole)
      assert(
        listing.files.map(f => f.path -> f.committedBytes).toMap ===
          Map("b/part-0-1" -> 5, "b/part-2.json" -> 3)
      )
    }
  }

  test("a symbolic link is a separate entry, and the listing does not follow links") {
    withFiles("b/a.txt", "other/c.txt") { (root, files) =>
      Files.createSymbolicLink(root.resolve("b/link"), root.resolve("other"))
      val links = new VisibleFiles(files)
        .list(Scope.Directories(Vector("b")))
        .files
        .map(f => f.path -> f.link.isDefined)
      assert(links === Vector("b/a.txt" -> false, "b/link" -> true))
    }
  }

  test("a choice of directories lists the entries it may enter, and those that identify an owner") {
    withFiles("day=1/a.txt", "day=2/b.txt", "_delta_log/0.json", "_hidden/c.txt", "day=x") { (_, files) =>
      val one = new VisibleFiles.DirectoryChoice {
        override def enters(directory: String): Boolean =
          if (directory == "day=x") throw new IllegalArgumentException("no number") else takes(directory)
        override def takes(directory: String): Boolean = directory == "day=1"
      }
      val listing = new VisibleFiles(files).list(Scope.Selected(one))
      assert(paths(listing.replaceable) === Vector("day=1/a.txt"))
      assert(listing.directories === Vector("_delta_log", "day=1"))
      assert(listing.paths === Vector("day=1/a.txt", "day=x"))
    }
  }
}
