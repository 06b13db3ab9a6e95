// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.storage.{JobDirectory, ReplacedFiles}
import stoplog.storage.VisibleFiles.Scope

class LocalJobDirectorySuite extends AnyFunSuite {

  private def withRoot(body: Path => Unit): Unit = {
    val root = Files.createTempDirectory("stoplog-job")
    try body(root)
    finally LocalUnderTest.remove(root)
  }

  private def replaced(root: Path) =
    new ReplacedFiles(LocalFileStore.ofSink(root.toString, "replace", LocalForcing.Disk), "replace")

  private def job(root: Path) =
    new JobDirectory(LocalFileStore.ofSink(root.toString, "batch-1", LocalForcing.Disk), "batch-1")

  private def put(root: Path, file: String): Unit = {
    Files.createDirectories(root.resolve(file).getParent)
    Files.createFile(root.resolve(file))
    ()
  }

  test("hidden files disappear, emptied directories are deleted, and repetition is harmless") {
    withRoot { root =>
      Seq("b/x=1/c.txt", "b/x=2/c.txt", "b/x=2/later.txt").foreach(put(root, _))
      for (_ <- 1 to 2) {
        Seq("b/x=1/c.txt", "b/x=2/c.txt").foreach(replaced(root).hide(0, _))
        job(root).deleteEmptied(Seq("b/x=1", "b/x=2", "gone", ""))
      }
      assert(job(root).listed(root.toString, Scope.Whole).files.map(_.path) === Vector("b/x=2/later.txt"))
      assert(!Files.exists(root.resolve("b/x=1")))
    }
  }

  test("a job's records are deleted oldest first, and all before the marks") {
    def names(kind: String) = (9 to 0 by -1).map(n => f"_stoplog/batch-1/log/$n%020d.$kind")
    val (marks, records)    = (names("published"), names("commit"))
    for (left <- 10 to 19) withRoot { root =>
      (marks ++ records).foreach(put(root, _))
      val killed = new Faults {
        override def at(step: Step): Unit =
          if (LocalUnderTest.files(root).sizeIs == left) throw new InjectedFault(step)
      }
      intercept[InjectedFault](job(root).delete(killed))
      val there = LocalUnderTest.files(root).map(_.getFileName.toString).toSet
      assert(there === (marks ++ records.take(left - 10)).map(_.split('/').last).toSet)
    }
  }

  test("a job is deleted with all its files and no others, also repeatedly") {
    withRoot { root =>
      val log = (0 to 1)
        .flatMap(n => Seq(f"$n%020d.commit", f"$n%020d.published"))
        .map(name => s"_stoplog/batch-1/log/$name")
      (log ++ Seq(
        "_stoplog/batch-1/replaced/a/b.txt",
        "_stoplog/batch-1/open/x",
        "_stoplog/main/log/0",
        "a/b.txt"
      ))
        .foreach(put(root, _))
      job(root).delete(Faults.none)
      job(root).delete(Faults.none)
      val left = LocalUnderTest.files(root).map(file => root.relativize(file).toString).toSet
      assert(left === Set("_stoplog/main/log/0", "a/b.txt"))
      assert(!Files.exists(root.resolve("_stoplog/batch-1")))
    }
  }
}
