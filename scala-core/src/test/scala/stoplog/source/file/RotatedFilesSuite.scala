// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.nio.file.{Files, StandardOpenOption}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.source.ReadLimits
import stoplog.source.file.Monitoring.OnChangedFile
import stoplog.source.file.Monitoring.OnChangedFile.{Ignore, Tail}
import stoplog.storage.{SourceFile, SourceFiles}
import stoplog.storage.local.LocalSourceFiles

/** Files that programs rotate, replace or write anew while a source reads them on. */
class RotatedFilesSuite extends AnyFunSuite {
  private val first  = lines("old", 1 to 10)
  private val second = lines("old", 11 to 20)
  private val longer = lines("new", 1 to 50)

  /** Of files below and above the size of an ending. */
  private val sizes = Seq(0, 3 * 64 * 1024)

  for {
    hasIds   <- Seq(true, false)
    restarts <- Seq(true, false)
    compacts <- Seq(true, false)
    padding  <- sizes
  }
    test(s"reads a new file in full: ids $hasIds, restarts $restarts, compacts $compacts, padding $padding") {
      def rotated(change: MemoryFiles => Unit): Seq[String] = {
        val world = this.world(Tail, hasIds, compacts)
        world.files.put("app.log", padded(padding) + first, 1)
        world.all()
        world.files.put("app.log", padded(padding) + first + second, 2)
        world.all()
        if (restarts) world.restart()
        change(world.files)
        world.all()
        if (restarts) world.restart()
        world.all()
        world.read.filterNot(_.startsWith("#"))
      }
      val all = rows(first + second + longer)
      // logrotate's create: the rules leave the old file out
      assert(rotated { files =>
        files.move("app.log", "_app.log.1")
        files.put("app.log", padded(padding) + longer, 3)
      } === all)
      // logrotate's copytruncate, and a program that writes a file anew
      assert(rotated(_.put("app.log", padded(padding) + longer, 3)) === all)
      // a program that renames a new file over the old one
      assert(rotated(_.replace("app.log", padded(padding) + longer, 3)) === all)
      // equal length
      val equal = (first + second).replace("old", "new")
      assert(rotated(_.put("app.log", padded(padding) + equal, 3)) === rows(first + second + equal))
    }

  for {
    restarts <- Seq(true, false)
    compacts <- Seq(true, false)
  }
    test(s"tails a renamed file without duplicates: restarts $restarts, compacts $compacts") {
      for {
        times  <- Seq((2L, 3L), (3L, 3L), (4L, 3L))
        limits <- Seq(ReadLimits.none, ReadLimits.none.copy(splits = Some(1)))
      } {
        val world = this.world(Tail, hasIds = true, compacts)
        world.files.put("app.log", first + "old11", 1)
        world.all(limits)
        world.files.move("app.log", "app.log.1")
        world.files.put("app.log.1", first + "old11\nold12\n", times._1)
        world.files.put("app.log", longer, times._2)
        for (_ <- 1 to 4) {
          if (restarts) world.restart()
          world.batch(limits)
        }
        world.files.move("app.log.1", "app.log.2")
        world.files.move("app.log", "app.log.1")
        if (restarts) world.restart()
        world.all(limits)
        if (restarts) world.restart()
        world.all(limits)
        val expected = rows(first + "old11\nold12\n" + longer)
        assert(world.read.sorted === expected.sorted, s"$times, $limits")
      }
    }

  test("tails renamed files of which a restart has read only some") {
    val one = ReadLimits.none.copy(splits = Some(1))
    for {
      isAvailableNow <- Seq(false, true)
      compacts       <- Seq(false, true)
    } {
      val world = this.world(Tail, hasIds = true, compacts)
      for (name <- Seq("a", "b")) world.files.put(name, s"${name}1\n${name}2", 1)
      world.all()
      for (name <- Seq("a", "b")) {
        world.files.move(name, s"$name.1")
        world.files.put(s"$name.1", s"${name}1\n${name}22\n${name}3\n${name}4", 2)
        world.files.put(name, s"${name}5\n", 3)
      }
      world.batch(one)
      world.restart()
      if (isAvailableNow) world.driver.fixTarget()
      world.all(one)
      for (name <- Seq("a", "b"))
        world.files.put(s"$name.1", s"${name}1\n${name}22\n${name}3\n${name}44\n", 4)
      world.restart()
      world.all(one)
      val expected = Seq("a", "b").flatMap(name => Seq("1", "22", "3", "44", "5").map(name + _))
      assert(world.read.sorted === expected, s"$isAvailableNow, $compacts")
    }
  }

  // What was planned before the file was renamed.
  private val planned = Map[String, SourceWorld => Unit](
    "a new file"    -> { world => world.files.put("app.log", first + second, 1) },
    "appended rows" -> { world =>
      world.files.put("app.log", first, 1)
      world.all()
      world.files.put("app.log", first + second, 2)
    },
    "the rest of a cut file" -> { world =>
      world.files.put("app.log", first + second, 1)
      world.batch(ReadLimits.none.copy(bytes = Some(30)))
    }
  )

  for ((what, plan) <- planned)
    test(s"reads $what although the file is renamed between the plan and the reading") {
      for {
        to       <- Seq("app.log.1", "_app.log.1")
        isMade   <- Seq(true, false)
        restarts <- Seq(true, false)
        added    <- if (to == "app.log.1") Seq("", "old21\n") else Seq("")
      } {
        val world = this.world(Tail, hasIds = true)
        plan(world)
        world.planInVain()
        world.files.move("app.log", to)
        if (isMade) world.files.put("app.log", "new1\n", 3)
        if (restarts) world.restart()
        world.batch()
        if (added.nonEmpty) world.files.put(to, first + second + added, 4)
        world.files.put("app.log", "new1\n", 3)
        if (restarts) world.restart()
        world.all()
        val expected = rows(first + second + added + "new1\n")
        assert(world.read.sorted === expected.sorted, s"$to, $isMade, $restarts, $added")
      }
    }

  test("reads a file of a local disk that is renamed between the plan and the reading") {
    val world = this.world(Tail, hasIds = false)
    val root  = Files.createTempDirectory("stoplog-rotated")
    world.storage = new LocalSourceFiles(root.toString)
    world.restart()
    Files.writeString(Files.createDirectory(root.resolve("in")).resolve("app.log"), first)
    world.planInVain()
    Files.move(root.resolve("in/app.log"), root.resolve("in/app.log.1"))
    Files.writeString(root.resolve("in/app.log"), longer)
    Files.writeString(root.resolve("in/app.log.1"), second, StandardOpenOption.APPEND)
    world.restart()
    world.all()
    assert(world.read.sorted === rows(first + second + longer).sorted)
  }

  test("reads a file that has grown since it was renamed between the plan and the reading") {
    val world = this.world(Tail, hasIds = true)
    world.files.put("app.log", first, 1)
    world.planInVain()
    world.files.move("app.log", "app.log.1")
    world.files.put("app.log.1", first + second, 2)
    world.files.put("app.log", longer, 3)
    world.all()
    assert(world.read.sorted === rows(first + second + longer).sorted)
  }

  test("reads a file that is renamed between the listing and the plan") {
    val one = ReadLimits.none.copy(splits = Some(1))
    for {
      isRead <- Seq(true, false)
      isMade <- Seq(true, false)
      made   <- Seq("new1\n", longer + longer)
      added  <- Seq("", "old21\n")
    } {
      val world = this.world(Tail, hasIds = true)
      for (name <- Seq("a.log", "b.log") if isRead) world.files.put(name, first, 1)
      world.all()
      for (name <- Seq("a.log", "b.log")) world.files.put(name, first + second + "old2", 2)
      world.batch(one)
      assert(world.driver.outstanding.splits === 1)
      world.files.move("b.log", "b.log.1")
      if (added.nonEmpty) world.files.put("b.log.1", first + second + added, 3)
      if (isMade) world.files.put("b.log", made, 3)
      world.all()
      world.files.put("b.log", made, 3)
      world.all()
      val expected = rows(first + second) ++ rows(first + second + added + made)
      assert(world.read.sorted === expected.sorted, s"$isRead, $isMade, ${made.length}, $added")
    }
  }

  test("reads a file once that is renamed, and renamed again between the listing and the plan") {
    val one = ReadLimits.none.copy(splits = Some(1))
    for {
      isAvailableNow <- Seq(false, true)
      shifts         <- Seq(false, true)
      added          <- Seq("", "old21\n")
    } {
      val clue  = s"$isAvailableNow, $shifts, $added"
      val world = this.world(Tail, hasIds = true)
      for (name <- Seq("a", "b")) world.files.put(name, first, 1)
      world.all()
      for (name <- Seq("a", "b")) {
        world.files.move(name, s"$name.1")
        world.files.put(s"$name.1", first + second, 2)
        world.files.put(name, s"new $name\n", 3)
      }
      if (isAvailableNow) world.driver.fixTarget()
      world.batch(one)
      world.files.move("b.1", "b.2")
      if (added.nonEmpty) world.files.put("b.2", first + second + added, 4)
      if (shifts) world.files.move("b", "b.1")
      if (shifts) world.files.put("b", "newer b\n", 4)
      world.all(one)
      val old   = Seq(first, second, "new a\n", first, second, added, "new b\n").mkString
      val newer = if (shifts) "newer b\n" else ""
      assert(rows(old).diff(world.read).isEmpty, clue)
      world.restart()
      world.all(one)
      assert(world.read.sorted === rows(old + newer).sorted, clue)
    }
  }

  test("a finder may return an old state of a renamed file") {
    object Found extends FileFinder {
      var found = Seq.empty[SourceFile]
      override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit =
        found.foreach(each)
    }
    val world = new SourceWorld(Tail, finder = Some(Found))
    world.files.hasFileIds = true
    world.files.put("a", first, 1)
    world.files.put("c", second, 1)
    Found.found = Seq("a", "c").map(world.files.file)
    world.files.move("a", "b")
    world.files.put("a", longer, 2)
    assert(world.all() === rows(second))
    Found.found = Seq("a", "b", "c").map(world.files.file)
    world.all()
    assert(world.read.sorted === rows(first + second + longer).sorted)
  }

  test("a deleted file with an equal neighbour is missing") {
    val world = this.world(Tail, hasIds = true)
    world.files.put("a", first, 1)
    world.planInVain()
    world.files.put("_b", first, 1)
    world.files.delete("a")
    val error = intercept[StoplogException](world.batch())
    assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
  }

  test("a restart with tail continues after the last line read by a query with ignore") {
    for {
      isWhole  <- Seq(true, false)
      compacts <- Seq(true, false)
    } {
      val world = this.world(Ignore, hasIds = true, compacts)
      world.files.put("a", "one\ntw", 1)
      if (isWhole) {
        world.planInVain()
        world.files.put("a", "one\ntwo", 2)
      }
      world.batch()
      world.onChangedFile = Tail
      for ((text, time) <- Seq("one\ntwo", "one\ntwoo\nthree\nfo", "one\ntwoo\nthree\nfour\n").zipWithIndex) {
        world.files.put("a", text, time + 3L)
        world.restart()
        world.all()
      }
      assert(world.read === Seq("one", if (isWhole) "two" else "tw", "three", "four"), s"$isWhole, $compacts")
    }
  }

  test("tails an extended copy renamed over the file") {
    for {
      padding <- sizes
      hasIds  <- Seq(true, false)
    } {
      val world = this.world(Tail, hasIds)
      world.files.put("app.log", padded(padding) + first, 1)
      world.all()
      world.files.replace("app.log", padded(padding) + first + second, 2)
      world.restart()
      world.all()
      world.files.replace("app.log", padded(padding) + first + second, 3)
      assert(world.all().isEmpty)
      assert(world.read.filterNot(_.startsWith("#")) === rows(first + second))
    }
  }

  test("inspects a file with only a new time at most once") {
    val world = this.world(Tail, hasIds = true)
    world.files.put("a", first, 1)
    world.all()
    world.files.put("a", first, 2)
    world.files.opened.clear()
    for (_ <- 1 to 3) assert(world.batch().isEmpty)
    assert(world.files.opened("a") === 1)
  }

  test("opens a growing file only for its line ends and rows") {
    val world = this.world(Tail, hasIds = true)
    world.files.put("a", first, 1)
    assert(world.batch().size === 10)
    assert(world.files.opened("a") === 2, "its last line end, and its rows")
    world.files.put("a", first + second, 2)
    world.files.opened.clear()
    assert(world.batch().size === 10)
    assert(world.files.opened("a") === 3, "the line ends at both ends, and the rows")
  }

  test("a new file with the id of a deleted file is read from its start") {
    val world = this.world(Tail, hasIds = true)
    world.files.put("a", first, 1)
    world.all()
    world.files.move("a", "b")
    world.files.put("b", longer, 2) // in place: it keeps the id
    world.all()
    assert(world.read === rows(first + longer))
  }

  test("pieces of several micro-batches come only from the listed file") {
    val rest = ReadLimits.none.copy(bytes = Some(30))
    for {
      onChanged <- Seq(Ignore, Tail)
      padding   <- sizes
      restarts  <- Seq(true, false)
      change    <- Seq[MemoryFiles => Unit](
        _.replace("app.log", padded(padding) + longer, 2),
        _.put("app.log", padded(padding) + longer, 2),
        files => {
          if (onChanged == Ignore) files.move("app.log", "_app.log.1") // tail finds the renamed file
          files.put("app.log", padded(padding) + longer, 2)
        }
      )
    } {
      val world = this.world(onChanged, hasIds = true)
      world.files.put("app.log", padded(padding) + first + second, 1)
      world.batch(ReadLimits.none.copy(bytes = Some(padding + 30L)))
      change(world.files)
      if (restarts) world.restart()
      val error = intercept[StoplogException](world.batch(rest))
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED", s"$onChanged, $padding")
    }
  }

  test("a file may grow while micro-batches read its pieces") {
    for {
      onChanged <- Seq(Ignore, Tail)
      padding   <- sizes
    } {
      val world = this.world(onChanged, hasIds = true)
      world.files.put("app.log", padded(padding) + first + second, 1)
      world.batch(ReadLimits.none.copy(bytes = Some(padding + 30L)))
      world.files.put("app.log", padded(padding) + first + second + longer, 2)
      world.all()
      val added = if (onChanged == Tail) longer else ""
      assert(world.read.filterNot(_.startsWith("#")) === rows(first + second + added))
    }
  }

  private def world(onChanged: OnChangedFile, hasIds: Boolean, compacts: Boolean = false): SourceWorld = {
    val limits = if (compacts) SeenFiles.SeenLimits(1, 1) else SeenFiles.SeenLimits.default
    val world  = new SourceWorld(onChanged, seenLimits = limits)
    world.files.hasFileIds = hasIds
    world.files.appends = true
    world
  }

  private def lines(word: String, numbers: Range): String = numbers.map(n => s"$word$n\n").mkString

  private def rows(text: String): Vector[String] = text.linesIterator.toVector

  /** A first line that all files have. */
  private def padded(bytes: Int): String = if (bytes == 0) "" else "#" * bytes + "\n"
}
