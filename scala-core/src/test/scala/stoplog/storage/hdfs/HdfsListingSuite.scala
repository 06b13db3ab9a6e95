// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import org.apache.hadoop.fs.{FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.laws.MemoryState
import stoplog.source.{ReadLimits, SourceDriver}
import stoplog.source.file._
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings, HadoopSourceFiles}

/** A NameNode keeps the time at which an entry came to a directory: so a poll lists only where something has come. */
class HdfsListingSuite extends AnyFunSuite {
  private val directories = 20

  test("a poll requests each directory's time and lists only changed directories") {
    val storage = HdfsUnderTest.create()
    try {
      val root   = new Path(storage.root)
      val system = root.getFileSystem(HdfsUnderTest.configuration())
      for {
        d <- 1 to directories
        n <- 1 to 3
      } storage.plant(s"d$d/$n.txt", "a line\n".getBytes("utf8"))
      // As if they had been there for an hour: a directory that has just changed is not trusted to be known.
      age(system, root +: (1 to directories).map(d => new Path(root, s"d$d")))
      val files  = new HadoopFiles(storage.root, new HadoopSettings(HdfsUnderTest.configuration()))
      val source = TextLines.source(new HadoopSourceFiles(files))
      val driver = new SourceDriver[FileSplit](source, new MemoryState)

      assert(driver.plan(0, ReadLimits.none) === 3L * directories)
      val idle = MiniHdfs.callsDuring(assert(driver.plan(60, ReadLimits.none) === 60))
      assert(idle.getOrElse("GetListing", 0L) === 0, idle)
      assert(idle.getOrElse("GetFileInfo", 0L) <= directories + 2L, idle) // the root twice

      storage.plant("late", "a line\n".getBytes("utf8"))
      system.setTimes(new Path(root, "late"), 1000, -1)
      assert(system.rename(new Path(root, "late"), new Path(root, "d7/0.txt")))
      val changed = MiniHdfs.callsDuring(assert(driver.plan(60, ReadLimits.none) === 61))
      assert(driver.splits(60, 61).map(_.file.path).toSeq === Seq("d7/0.txt"))
      // The root, from which it was moved away, and its new directory.
      assert(changed("GetListing") === 2, changed)
      driver.close()
    } finally storage.close()
  }

  test("a replaced directory is detected by file id without further requests") {
    val storage = HdfsUnderTest.create()
    try {
      val root   = new Path(storage.root)
      val system = root.getFileSystem(HdfsUnderTest.configuration())
      for (d <- 1 to 3) storage.plant(s"d$d/a.txt", "a line\n".getBytes("utf8"))
      val files  = new HadoopFiles(storage.root, new HadoopSettings(HdfsUnderTest.configuration()))
      val source = TextLines.source(new HadoopSourceFiles(files))
      val driver = new SourceDriver[FileSplit](source, new MemoryState)
      assert(driver.plan(0, ReadLimits.none) === 3)

      assert(system.rename(new Path(root, "d2"), new Path(root, ".away")))
      system.mkdirs(new Path(root, "d2"))
      val calls = MiniHdfs.callsDuring(assert(driver.plan(3, ReadLimits.none) === 3))
      assert(calls("GetListing") === 4, calls)
      assert(calls.getOrElse("GetFileInfo", 0L) <= 3 + 2L, calls) // as without identities
      assert(driver.metrics("awaitedDirectories") === "1")
      system.delete(new Path(root, "d2"), true)
      assert(system.rename(new Path(root, ".away"), new Path(root, "d2")))
      assert(driver.plan(3, ReadLimits.none) === 3)
      assert(driver.metrics("awaitedDirectories") === "0")
      driver.close()
    } finally storage.close()
  }

  private def age(system: FileSystem, paths: Seq[Path]): Unit =
    paths.foreach(path => system.setTimes(path, System.currentTimeMillis() - 3600000, -1))
}
