// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.laws.MemoryState
import stoplog.source.{ReadLimits, SourceDriver}
import stoplog.source.file._

/** Directories of a source that are others for a while, on a local file system. */
class LocalPlacesSuite extends AnyFunSuite {

  for {
    directory <- Seq("in", "in/d2")
    restarts  <- Seq(false, true)
  }
    test(s"knows $directory by its inode, ${if (restarts) "also after a restart" else "within a run"}") {
      val root = Files.createTempDirectory("stoplog-places")
      try {
        for {
          d <- 1 to 3
          n <- 1 to 2
        } write(root.resolve(s"in/d$d/$n"))
        val source = TextLines.source(new LocalSourceFiles(root.resolve("in").toString))
        val state  = new MemoryState
        def started(): SourceDriver[FileSplit]   = new SourceDriver[FileSplit](source, state)
        var driver                               = started()
        def plans(from: Long, until: Long): Unit = {
          if (restarts) {
            driver.close()
            driver = started()
          }
          assert(driver.plan(from, ReadLimits.none) === until)
        }
        plans(0, 6)
        val there = root.resolve(directory)
        Files.move(there, root.resolve("away"))
        Files.createDirectory(there)
        for (_ <- 1 to 3) plans(6, 6)
        assert(driver.metrics("awaitedDirectories").toInt > 0)
        Files.delete(there)
        Files.move(root.resolve("away"), there)
        for (_ <- 1 to 2) plans(6, 6)
        assert(driver.metrics("awaitedDirectories") === "0")
        write(root.resolve("in/d2/3"))
        plans(6, 7)
        driver.close()
      } finally LocalUnderTest.remove(root)
    }

  test("delete reports whether a file was removed") {
    val root = Files.createTempDirectory("stoplog-places")
    try {
      write(root.resolve("a"))
      val files = new LocalSourceFiles(root.toString)
      assert(files.delete("a") && !files.delete("a"))
    } finally LocalUnderTest.remove(root)
  }

  private def write(file: Path): Unit = {
    Files.createDirectories(file.getParent)
    Files.writeString(file, "a line\n")
    ()
  }
}
