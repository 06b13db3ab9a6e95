// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.nio.file._

import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.{Faults, Step}
import stoplog.storage.MoveOutcome

/** Moves of files of other programs. */
class RelocationSuite extends AnyFunSuite with BeforeAndAfterEach {
  private var world: Path = _
  private def file        = world.resolve("in/daily.csv")
  private def target      = world.resolve("away/daily.csv")

  private val refusals: Seq[Exception] = Seq(
    new FileSystemException("away", "in", "Operation not permitted"), // fs.protected_hardlinks
    new FileSystemException("away", "in", "Too many links"),
    new UnsupportedOperationException("no links")
  )

  private val ways = Relocation.byLink +: refusals.map(e => new Relocation((_, _) => throw e))

  override def beforeEach(): Unit = {
    world = Files.createTempDirectory("stoplog-relocation").toRealPath()
    Seq("in", "away").foreach(name => Files.createDirectory(world.resolve(name)))
    Files.writeString(file, "new")
  }

  override def afterEach(): Unit = LocalUnderTest.remove(world)

  test("moves a file by a link, or by a rename if links are unsupported") {
    for (way <- ways) {
      Files.writeString(file, "new")
      assert(move(way) === MoveOutcome.Moved)
      assert(!Files.exists(file) && Files.readString(target) === "new")
      Files.delete(target)
    }
  }

  test("replaces no existing file") {
    for {
      way <- ways
      old <- Seq("old", "new", "")
    } {
      Files.writeString(target, old)
      assert(move(way) === MoveOutcome.TargetTaken)
      assert(Files.readString(file) === "new" && Files.readString(target) === old)
    }
  }

  test("reports a file moved by another process and creates no file at the target") {
    Files.delete(file)
    for (way <- ways) {
      assert(move(way) === MoveOutcome.SourceGone)
      assert(!Files.exists(target))
    }
  }

  test("completes a move that crashed between link and delete") {
    Files.createLink(target, file)
    assert(move(Relocation.byLink) === MoveOutcome.Moved)
    assert(!Files.exists(file) && Files.readString(target) === "new")
  }

  test("a file whose old name cannot be deleted gets no second name in the archive") {
    intercept[IOException] {
      Relocation.byLink.move(file, target)(())(throw new AccessDeniedException(file.toString))
    }
    assert(Files.exists(file) && !Files.exists(target))
  }

  test("keeps a file that is renamed over the old name while the archived file has both names") {
    val faults = new Faults {
      override def at(step: Step): Unit = if (step == Step.MidArchive) {
        val made = Files.writeString(world.resolve("made"), "unread")
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE)
        ()
      }
    }
    val files = new LocalSourceFiles(world.resolve("in").toString, faults)
    assert(files.move("daily.csv", target.toString) === MoveOutcome.Moved)
    assert(Files.readString(file) === "unread" && Files.readString(target) === "new")
  }

  test("removes the old name of a file that another program has taken out of the archive") {
    val outcome = Relocation.byLink.move(file, target)(Files.delete(target))(Files.delete(file))
    assert(outcome === MoveOutcome.Moved)
    assert(!Files.exists(file) && !Files.exists(target))
  }

  test("a trial detects another file system before reading and creates no source files") {
    val memory = Paths.get("/dev/shm")
    assume(Files.isWritable(memory) && Files.getFileStore(memory).name != Files.getFileStore(world).name)
    val archive = Files.createTempDirectory(memory, "stoplog-relocation")
    try {
      for (named <- Seq(Vector(""), Vector("in"), Vector("in/daily.csv"))) {
        val files = new LocalSourceFiles(world.toString, Faults.none, named)
        val why   = files.moveProblem(archive.toString)
        assert(why.exists(_.contains("two mounted file systems")), s"$named: $why")
        assert(files.moveProblem(world.resolve("new/archive").toString) === None)
      }
      val error = intercept[IOException](move(Relocation.byLink, archive.resolve("daily.csv")))
      assert(error.getMessage.contains("two mounted file systems"))
      assert(Files.exists(file) && archive.toFile.list().isEmpty)
    } finally LocalUnderTest.remove(archive)
    assert(world.resolve("in").toFile.list().toSeq === Seq("daily.csv"))
  }

  test("a trial detects a directory that permits no files") {
    Files.writeString(world.resolve("plain"), "")
    val files = new LocalSourceFiles(world.toString)
    assert(files.moveProblem(world.resolve("plain/archive").toString).isDefined)
  }

  private def move(way: Relocation, to: Path = target): MoveOutcome =
    way.move(file, to)(())(Files.delete(file))
}
