// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayOutputStream, IOException}
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.source.{ReadLimits, SourceDriver}

/** Which files a query reads, over restarts and whatever happens to the files. */
class FileSourceDriverSuite extends AnyFunSuite {
  private final val Day = 24 * 60 * 60 * 1000L

  test("reads each file once in order of age, over restarts") {
    val world = new SourceWorld
    world.files.put("b", "2\n", 20)
    world.files.put("a", "1\n", 30)
    world.files.put("deep/c", "0\n", 10)
    assert(world.batch() === Seq("0", "2", "1"))
    assert(world.batch() === Seq.empty)
    world.restart()
    assert(world.batch() === Seq.empty)
    world.files.put("d", "3\n", 0)
    assert(world.batch() === Seq("3"))
  }

  test("a micro-batch planned before a crash is repeated unchanged") {
    val world = new SourceWorld
    world.files.put("a", "1\n", 1)
    world.files.put("b", "2\n", 2)
    val planned = world.planInVain(ReadLimits.none.copy(splits = Some(1)))
    world.files.put("early", "0\n", 0)
    world.restart()
    assert(world.planInVain() === planned)
    assert(world.batch() === Seq("1"))
    assert(world.batch() === Seq("0", "2"))
  }

  test("a crash before the record is written leaves all rows to the next run") {
    val world = new SourceWorld
    world.files.put("a", "1\n2\n3\n", 1)
    world.state.beforePut = name => if (name.endsWith(".splits")) throw new IOException("full")
    intercept[IOException](world.planInVain())
    world.state.beforePut = _ => ()
    world.restart()
    assert(world.all(ReadLimits.none.copy(records = Some(2))) === Seq("1", "2", "3"))
  }

  test("the rest of a large file survives a restart and precedes younger files") {
    val world = new SourceWorld
    world.files.put("a", (1 to 10).mkString("", "\n", "\n"), 1)
    val limits = ReadLimits.none.copy(records = Some(4))
    assert(world.batch(limits) === (1 to 4).map(_.toString))
    world.files.put("b", "b\n", 0)
    world.restart()
    assert(world.batch(limits) === (5 to 8).map(_.toString))
    world.restart()
    assert(world.batch(limits) === Seq("9", "10", "b"))
    assert(world.batch(limits) === Seq.empty)
  }

  test("rejects the slower of two drivers on a checkpoint") {
    val world = new SourceWorld
    val other = new stoplog.source.SourceDriver[FileSplit](world.source, world.state)
    assert(other.plan(0, ReadLimits.none) === 0)
    world.files.put("a", "1\n", 1)
    assert(world.batch() === Seq("1"))
    val error = intercept[StoplogException](other.plan(0, ReadLimits.none))
    assert(error.getCondition === "STOPLOG_FENCED")
  }

  test("rejects a driver whose state is deleted by another driver during its start") {
    val world = new SourceWorld(seenLimits = SeenFiles.SeenLimits(files = 1, snapshots = 1))
    world.files.put("a", "1\n", 1)
    world.batch()
    world.state.beforeOpen = name =>
      if (name.endsWith(".seen")) {
        world.state.beforeOpen = _ => ()
        world.files.put("b", "2\n", 2)
        world.batch()
        world.files.put("c", "3\n", 3)
        world.batch()
      }
    val late  = new SourceDriver[FileSplit](world.source, world.state)
    val error = intercept[StoplogException](late.plan(1, ReadLimits.none))
    assert(error.getCondition === "STOPLOG_FENCED")
    assert(world.read === Seq("1", "2", "3"))
  }

  test("rejects an overtaken driver when its splits have been deleted, however late") {
    val world = new SourceWorld
    Seq("a", "b").foreach { name =>
      world.files.put(name, s"$name\n", 1)
      world.batch()
    }
    val late = new SourceDriver[FileSplit](world.source, world.state)
    assert(late.plan(1, ReadLimits.none) === 2)
    val begun = late.splits(0, 2)
    world.files.put("c", "c\n", 1)
    world.batch()
    world.state.in("splits").delete("00000000000000000000.splits")
    for (splits <- Seq(begun, late.splits(0, 2))) {
      val error = intercept[StoplogException](splits.size)
      assert(error.getCondition === "STOPLOG_FENCED")
    }
  }

  test("rejects a checkpoint without the state of its source") {
    val world = new SourceWorld
    world.files.put("a", "1\n", 1)
    world.batch()
    world.state.files.clear()
    world.restart()
    val error = intercept[StoplogException](world.batch())
    assert(error.getCondition === "STOPLOG_SOURCE_STATE_LOST")
  }

  test("forgets a file after a day of listings without the file") {
    val world = new SourceWorld
    world.files.put("a", "1\n", 1)
    assert(world.batch() === Seq("1"))
    world.files.delete("a")
    world.batch()
    world.now += Day - 1
    world.batch()
    world.files.put("a", "1\n", 1)
    assert(world.batch() === Seq.empty)
    world.files.delete("a")
    for (_ <- 1 to 2) {
      world.batch()
      world.now += Day
    }
    world.batch()
    world.restart()
    world.files.put("a", "1\n", 1)
    assert(world.batch() === Seq("1"))
    assert(world.batch() === Seq.empty)
    world.restart()
    assert(world.batch() === Seq.empty)
  }

  test("short runs forget a missing file, with half a day counted for each run") {
    for (limits <- Seq(SeenFiles.SeenLimits.default, SeenFiles.SeenLimits(1, 1))) {
      val world                 = new SourceWorld(seenLimits = limits)
      def run(): Vector[String] = {
        world.now += Day
        world.restart()
        world.driver.fixTarget()
        world.all()
      }
      world.files.put("a", "1\n", 1)
      world.files.put("stays", "0\n", 1)
      assert(run() === Seq("1", "0"))
      world.files.delete("a")
      assert(run() === Seq.empty)
      world.files.put("other", "2\n", 1) // with a record of splits behind the note
      assert(run() === Seq("2"))
      assert(world.state.files.keys.exists(_.endsWith(".absent")))
      assert(run() === Seq.empty)
      world.files.put("a", "1\n", 1)
      assert(run() === Seq("1"))
      assert(run() === Seq.empty)
      assert(!world.state.files.keys.exists(_.endsWith(".absent")))
    }
  }

  test("a file that reappears starts a new absence when missing again") {
    val world       = new SourceWorld
    def run(): Unit = {
      world.restart()
      world.driver.fixTarget()
      assert(world.all() === Seq.empty)
    }
    world.files.put("a", "1\n", 1)
    world.batch()
    for (_ <- 1 to 3) {
      world.files.delete("a")
      world.now += Day
      run()
      world.files.put("a", "1\n", 1)
      world.now += Day
      run()
    }
  }

  test("a missing directory does not make its files forgotten") {
    val world = new SourceWorld(wholeListingMillis = 1)
    world.files.put("d/a", "1\n", 1)
    assert(world.batch() === Seq("1"))
    world.files.isAway = true
    for (_ <- 1 to 5) {
      world.now += 1000
      assert(world.batch() === Seq.empty)
    }
    world.files.isAway = false
    world.now += 1000
    assert(world.batch() === Seq.empty)
    world.files.put("d/b", "2\n", 1)
    assert(world.batch() === Seq("2"))
  }

  test("a source of a single deleted file reads a new file under the same name") {
    val world = new SourceWorld
    world.files.put("", "1\n", 1)
    assert(world.batch() === Seq("1"))
    world.files.delete("")
    world.files.isAway = true
    for (_ <- 1 to 2) {
      assert(world.batch() === Seq.empty)
      world.now += Day
    }
    assert(world.batch() === Seq.empty)
    world.files.isAway = false
    world.files.put("", "2\n", 1)
    assert(world.batch() === Seq("2"))
  }

  test("the rest of a deleted file is planned, and the task skips or fails") {
    val gzip: Decoding = (_, file) => Option.when(file.path.endsWith(".gz"))(new GZIPInputStream(_))
    val limits         = ReadLimits.none.copy(records = Some(2))
    for {
      name      <- Seq("a.gz", "a.txt")
      onMissing <- Seq(OnMissingFile.Skip, OnMissingFile.Fail)
    } {
      val world = new SourceWorld(decoding = gzip, onMissing = onMissing)
      val bytes = new ByteArrayOutputStream()
      val out   = if (name == "a.gz") new GZIPOutputStream(bytes) else bytes
      out.write("1\n2\n3\n4\n5\n".getBytes("UTF-8"))
      out.close()
      world.files.put(name, bytes.toByteArray, 1)
      assert(world.batch(limits) === Seq("1", "2"))
      world.files.delete(name)
      world.restart()
      if (onMissing == OnMissingFile.Skip) assert(world.all(limits) === Seq.empty)
      else
        assert(
          intercept[StoplogException](world.batch(limits)).getCondition === "STOPLOG_SOURCE_FILE_CHANGED"
        )
    }
  }

  test("a tail of a file deleted before reading is left to the task") {
    val world = new SourceWorld(Monitoring.OnChangedFile.Tail, onMissing = OnMissingFile.Skip)
    world.files.put("a", "1\n", 1)
    world.files.put("b", "b\n", 2)
    assert(world.batch() === Seq("1", "b"))
    world.files.put("a", "1\n2\n", 3)
    world.files.put("b", "b\nbb\n", 4)
    world.files.afterListing = () => world.files.delete("a")
    assert(world.batch() === Seq("bb"))
  }

  test("a missing file is recorded once over many listings") {
    val world = new SourceWorld(seenLimits = SeenFiles.SeenLimits(1, 1))
    world.files.put("a", "1\n", 1)
    world.batch()
    world.files.put("b", "2\n", 1)
    world.batch()
    world.files.delete("a")
    for (_ <- 1 to 10) {
      world.batch()
      world.now += Day
    }
    assert(world.state.files.keys.count(_.endsWith(".gone")) === 1)
  }

  for (letter <- Seq("m", "r"))
    test(s"a part named $letter<n> is rejected, read or skipped by option, and read by batch queries") {
      val replacing = s"part-0123456789ab-${letter}0.txt"
      def world(choice: Monitoring.OnMergedPart = Monitoring.OnMergedPart.Fail) = {
        val world =
          if (letter == "m") new SourceWorld(onMergedPart = choice)
          else new SourceWorld(onReplacedPart = choice)
        world.files.put("part-0123456789ab-0.txt", "1\n", 1)
        assert(world.batch() === Seq("1"))
        world.files.delete("part-0123456789ab-0.txt")
        world.files.put(replacing, "1\n2\n", 2)
        world
      }
      val refused = intercept[StoplogException](world().batch()).getCondition
      assert(refused === s"STOPLOG_SOURCE_${if (letter == "m") "MERGED" else "REPLACED"}_PART")
      assert(world(Monitoring.OnMergedPart.Read).batch() === Seq("1", "2"))
      assert(world(Monitoring.OnMergedPart.Skip).batch() === Seq.empty)
      val all = SourceDriver.all[FileSplit](world().source, stoplog.source.StateFiles.None)
      assert(all.map(_.file.path) === Seq(replacing))
    }

  test("a failed listing forgets no files") {
    val world = new SourceWorld
    world.files.put("a", "1\n", 1)
    world.files.put("b", "2\n", 1)
    world.batch()
    for (_ <- 1 to 3) {
      world.files.trouble = Some(new IOException("no answer"))
      intercept[IOException](world.batch())
    }
    assert(world.batch() === Seq.empty)
  }

  test("changed files are ignored, reread or tailed by option") {
    def world(policy: Monitoring.OnChangedFile): Vector[Vector[String]] = {
      val world = new SourceWorld(policy)
      world.files.put("a", "1\n2\nha", 1)
      val first = world.batch()
      world.files.put("a", "1\n2\nhalf\n3\n", 2)
      val second = world.batch()
      world.restart()
      world.files.put("a", "9\n", 3)
      Vector(first, second, world.batch(), world.batch())
    }
    assert(
      world(Monitoring.OnChangedFile.Ignore) === Vector(
        Vector("1", "2", "ha"),
        Vector(),
        Vector(),
        Vector()
      )
    )
    assert(
      world(Monitoring.OnChangedFile.Reread) ===
        Vector(Vector("1", "2", "ha"), Vector("1", "2", "half", "3"), Vector("9"), Vector())
    )
    assert(
      world(Monitoring.OnChangedFile.Tail) === Vector(
        Vector("1", "2"),
        Vector("half", "3"),
        Vector("9"),
        Vector()
      )
    )
  }

  test("files younger than the minimum age wait") {
    val world = new SourceWorld(readiness = Readiness(500))
    world.files.put("a", "1\n", 999000)
    world.files.put("b", "2\n", 999900)
    assert(world.batch() === Seq("1"))
    world.now += 400
    assert(world.batch() === Seq("2"))
  }

  test("more files than the held limit are all read in order of age") {
    val world = new SourceWorld(heldFiles = 10)
    val names = (0 until 95).map(n => f"$n%03d")
    for (name <- names) world.files.put(s"f$name", s"$name\n", (name.toInt * 37 % 95).toLong)
    val expected = names.sortBy(_.toInt * 37 % 95)
    assert(world.batch() === expected)
    assert(world.batch() === Seq.empty)
    val slow = new SourceWorld(heldFiles = 10)
    for (name <- names) slow.files.put(s"f$name", s"$name\n", (name.toInt * 37 % 95).toLong)
    assert(slow.all(ReadLimits.none.copy(splits = Some(7))) === expected)
  }

  test("an interval between listings omits no files beyond the held limit") {
    val names = (10 until 50).map(_.toString)
    val world = new SourceWorld(heldFiles = 10, intervalMillis = 60000)
    for (name <- names) world.files.put(name, s"$name\n", 1)
    val all = SourceDriver.all[FileSplit](world.source, stoplog.source.StateFiles.None)
    assert(all.map(_.file.path) === names)
    assert(world.all(ReadLimits.none.copy(splits = Some(7))) === names)
    world.files.put("50", "50\n", 1)
    assert(world.batch() === Seq.empty)
    world.now += 60000
    assert(world.batch() === Seq("50"))
  }

  test("with a fixed target, later files wait for the next run") {
    val world = new SourceWorld(heldFiles = 5)
    for (n <- 1 to 12) world.files.put(s"f$n", s"$n\n", n.toLong)
    world.driver.fixTarget()
    assert(world.batch(ReadLimits.none.copy(splits = Some(5))).size === 5)
    for (n <- 13 to 30) world.files.put(s"f$n", s"$n\n", n.toLong)
    assert(world.all(ReadLimits.none.copy(splits = Some(5))) === (6 to 12).map(_.toString))
    world.restart()
    assert(world.all() === (13 to 30).map(_.toString))
  }

  test("no listing happens while enough files are held") {
    val world = new SourceWorld
    for (n <- 1 to 10) world.files.put(s"f$n", s"$n\n", n.toLong)
    world.batch(ReadLimits.none.copy(splits = Some(2)))
    val before = world.files.listings
    for (_ <- 1 to 4) world.batch(ReadLimits.none.copy(splits = Some(2)))
    assert(world.files.listings === before)
  }
}
