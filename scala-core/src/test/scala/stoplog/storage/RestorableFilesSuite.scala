// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.local.{LocalFileStore, LocalForcing, LocalUnderTest}

class RestorableFilesSuite extends AnyFunSuite {

  private final class World(root: Path) {
    val files: FileStore = LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process)

    /** As a store that hides a file in several steps. */
    val inSteps: FileStore = new DelegatingFileStore(files) {
      override def capabilities: FileCapabilities = FileCapabilities(Moves.ByCopy, directories = true)
    }

    def put(path: String): Unit = {
      Files.createDirectories(root.resolve(path).getParent)
      Files.createFile(root.resolve(path)): Unit
    }

    def hide(sinkId: String, seq: Long, path: String): Unit = {
      put(path)
      new ReplacedFiles(files, sinkId).hide(seq, path)
    }

    def atPath: RestorableFiles = RestorableFiles.at(root.toString, new Configuration)
  }

  private def within(body: World => Unit): Unit = {
    val root = Files.createTempDirectory("stoplog-restorable")
    try body(new World(root))
    finally LocalUnderTest.remove(root)
  }

  test("a path without a log has no hidden file") {
    within { world =>
      world.put("b/x.txt")
      val found = new RestorableFiles(world.files)
      assert((found.placeOf(Seq("b/x.txt")), found.anyPlace, found.isIn("b")) === ((None, None, false)))
    }
  }

  test("files hidden for a record of any log are found") {
    within { world =>
      world.hide("main", 5, "b/x.txt")
      world.hide("replace", 12, "y.txt")
      world.hide("main", 5, "c/_SUCCESS")
      val found = world.atPath
      assert(found.placeOf(Seq("b/z.txt", "b/x.txt")).get.endsWith("_stoplog/main/replaced/5/b/x.txt.aside"))
      assert(found.placeOf(Seq("y.txt")).get.endsWith("_stoplog/replace/replaced/12/y.txt.aside"))
      assert(found.placeOf(Seq("b/z.txt", "z.txt")) === None)
      assert(found.placeOf(Nil) === None)
      assert(found.anyPlace.isDefined)
      assert(Seq("b", "", "c", "d").filter(found.isIn) === Seq("b", ""))
    }
  }

  test("a hidden file whose path another file has is no obstacle") {
    within { world =>
      world.hide("main", 5, "b/x.txt")
      world.put("b/x.txt")
      assert(new RestorableFiles(world.files).anyPlace === None)
    }
  }

  test("where hiding takes several steps, only the newest record without a mark counts") {
    def places(world: World) = {
      val found = new RestorableFiles(world.inSteps)
      Seq(found.placeOf(Seq("b/x.txt")).isDefined, found.anyPlace.isDefined, found.isIn("b")).distinct
    }
    for (name <- Seq("00000000000000000005.published", "00000000000000000006.commit"))
      within { world =>
        world.hide("main", 5, "b/x.txt")
        Seq("4.published", "5.commit", "5.visible").foreach { each =>
          world.put(s"_stoplog/main/log/${"0" * 19}$each")
        }
        assert(places(world) === Seq(true))
        world.put(s"_stoplog/main/log/$name")
        assert(places(world) === Seq(false))
        assert(new RestorableFiles(world.files).isIn("b"))
      }
  }
}
