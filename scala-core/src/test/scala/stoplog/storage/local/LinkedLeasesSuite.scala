// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path, Paths}

import org.scalatest.funsuite.AnyFunSuite

/** Leases under a path that two sinks of one process spell differently. */
class LinkedLeasesSuite extends AnyFunSuite {

  private def isLocked(file: Path): Boolean = {
    val inode = Files.getAttribute(file, "unix:ino").toString
    Files.readString(Paths.get("/proc/locks")).linesIterator.exists(_.split("[ :]+").contains(inode))
  }

  test("a look at the leases through a link does not release a lease of this process") {
    assume(Files.exists(Paths.get("/proc/locks")))
    val top = Files.createTempDirectory("stoplog-leases")
    try {
      val writers = Files.createDirectory(top.resolve("writers"))
      val link    = Files.createSymbolicLink(top.resolve("link"), writers)
      val lease   = WriterLeases.enter(writers, "run-1", LocalForcing.Process)
      val file    = LocalFiles.list(writers).head
      assert(isLocked(file))
      assert(!WriterLeases.othersGone(link, "run-2"))
      assert(isLocked(file), "another process may take the lease for free")
      lease.close()
      assert(WriterLeases.othersGone(link, "run-2") && LocalFiles.list(writers).isEmpty)
    } finally LocalUnderTest.remove(top)
  }
}
