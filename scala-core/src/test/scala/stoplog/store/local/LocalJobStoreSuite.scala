// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.laws.PathLaws

class LocalJobStoreSuite extends AnyFunSuite {

  private def withRoot(body: Path => Unit): Unit = {
    val root = Files.createTempDirectory("stoplog-job")
    try body(root)
    finally LocalStorage.remove(root)
  }

  private def put(root: Path, file: String): Unit = {
    Files.createDirectories(root.resolve(file).getParent)
    Files.createFile(root.resolve(file))
    ()
  }

  test("what readers see is listed, by its top-level names") {
    withRoot { root =>
      Seq("a.txt", "b/c.txt", "_stoplog/x", ".hidden", "_SUCCESS").foreach(put(root, _))
      assert(
        new LocalJobStore(root.toString, "batch-1", Durability.Disk).visible().toSet === Set("a.txt", "b")
      )
    }
  }

  test("what is set aside is out of sight, and setting it aside again changes nothing") {
    withRoot { root =>
      put(root, "b/c.txt")
      val job = new LocalJobStore(root.toString, "batch-1", Durability.Disk)
      job.setAside("b")
      job.setAside("b")
      assert(job.visible().isEmpty)
      assert(LocalStorage.visible(root).isEmpty)
    }
  }

  test("what a record says is to be set aside is one of the names that readers see, or is refused") {
    withRoot { root =>
      put(root, "_stoplog/main/log/0")
      val job = new LocalJobStore(root.toString, "batch-1", Durability.Disk)
      for (entry <- PathLaws.elsewhere ++ Seq("", ".", "a/b", "_stoplog", ".hidden"))
        assert(intercept[StoplogException](job.setAside(entry)).getCondition === "STOPLOG_PATH_ELSEWHERE")
      assert(LocalStorage.files(root).map(root.relativize(_).toString) === Vector("_stoplog/main/log/0"))
    }
  }

  test("a job is removed with all that is in it, and nothing else; twice is as good") {
    withRoot { root =>
      val log = (0 to 1)
        .flatMap(n => Seq(f"$n%020d.json", f"$n%020d.published"))
        .map(name => s"_stoplog/batch-1/log/$name")
      (log ++ Seq(
        "_stoplog/batch-1/replaced/a/b.txt",
        "_stoplog/batch-1/open/x",
        "_stoplog/main/log/0",
        "a/b.txt"
      ))
        .foreach(put(root, _))
      val job = new LocalJobStore(root.toString, "batch-1", Durability.Disk)
      job.remove()
      job.remove()
      val left = LocalStorage.files(root).map(file => root.relativize(file).toString).toSet
      assert(left === Set("_stoplog/main/log/0", "a/b.txt"))
      assert(!Files.exists(root.resolve("_stoplog/batch-1")))
    }
  }
}
