// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{DirectoryNotEmptyException, Files, Path}
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean

import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.MoveOutcome

/** Archives of which another program removes the empty directories. */
class RemovedArchivesSuite extends AnyFunSuite {

  test("a directory of the archive that another program removes is created again") {
    val root = Files.createTempDirectory("stoplog-archives")
    try {
      val in    = Files.createDirectory(root.resolve("in"))
      val files = new LocalSourceFiles(in.toString)
      for (n <- 1 to 2000) {
        Files.createFile(in.resolve(s"$n"))
        val directory = root.resolve(s"archive-$n")
        val moved     = new AtomicBoolean
        val others    = CompletableFuture.runAsync(() => removing(directory, times = 10, moved))
        try assert(files.move(s"$n", s"$directory/$n") === MoveOutcome.Moved)
        finally moved.set(true)
        others.join()
      }
    } finally LocalUnderTest.remove(root)
  }

  private def removing(directory: Path, times: Int, over: AtomicBoolean): Unit = {
    var left = times
    while (left > 0 && !over.get)
      try if (Files.deleteIfExists(directory)) left -= 1
      catch { case _: DirectoryNotEmptyException => () }
  }
}
