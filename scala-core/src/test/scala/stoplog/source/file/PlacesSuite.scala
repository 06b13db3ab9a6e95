// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.source.file.Monitoring.{AbsenceLimits, OnChangedFile, OtherDirectory}
import stoplog.storage.{SourceFile, SourceFiles}

/** Storages, or directories of them, that are another place for a while. */
class PlacesSuite extends AnyFunSuite {
  import PlacesSuite._

  for {
    reading <- readings
    shape   <- shapes
    away    <- aways
    times   <- durations
  } test(s"reads each row once: $reading, $shape is $away for $times") {
    val world = reading.world(shape)
    for (n <- 1 to 5) world.files.put(s"eu/a$n", s"eu$n\n", n.toLong)
    world.files.put("us/b", "us\n", 1)
    world.now += Minute
    if (reading.isCleaned) world.beforeCommit = () => away.begin(world.files, shape.directory)
    assert(world.batch().size === 6)
    world.beforeCommit = () => ()
    if (!reading.isCleaned) away.begin(world.files, shape.directory)
    if (shape.directory != "") world.files.put("us/while", "while\n", 1)
    val meanwhile = times.pass(world)
    assert(meanwhile === (if (shape.directory == "") Seq.empty else Seq("while")))
    val metrics = world.driver.metrics
    if (isOutage(reading, shape, away)) assert(metrics("awaitedDirectories").toInt > 0)
    else if (!reading.hasTimes) assert(metrics("absentFiles").toInt > 0)
    world.files.putBack(shape.directory)
    for (restarts <- Seq(false, true)) {
      world.now += 11 * Minute
      if (restarts) world.restart()
      assert(world.all() === Seq.empty)
    }
    world.files.put("eu/new", "new\n", 2)
    assert(world.all() === Seq("new"))
    assert(world.driver.metrics("awaitedDirectories") === "0")
  }

  /** A directory below the path that is removed may be removed for good. */
  private def isOutage(reading: Reading, shape: Shape, away: Away): Boolean =
    if (reading.hasFinder) shape.directory == "" else shape != shapes(1) || away != aways(1)

  test("waits longer for a replaced directory than the memory of absent files") {
    for (restarts <- Seq(false, true)) {
      val world = filled()
      world.files.unmount("eu")
      for (_ <- 1 to 10) {
        world.now += Day
        if (restarts) world.restart()
        assert(world.batch() === Seq.empty)
      }
      world.files.putBack("eu")
      for (_ <- 1 to 3) assert(world.batch() === Seq.empty)
    }
  }

  test("identifies a directory by inode after a restart, and by device within a run") {
    val world = filled()
    world.files.device = 7
    world.restart()
    for (_ <- 1 to 2) assert(world.batch() === Seq.empty)
    assert(world.driver.metrics("awaitedDirectories") === "0")
    world.files.delete("eu/a")
    world.files.put("eu/b", "another\n", 9)
    world.files.device = 8
    world.now += 11 * Minute
    world.batch()
    assert(world.driver.metrics("awaitedDirectories").toInt > 0)
  }

  test("a storage copy with other inodes counts as the same place") {
    val world = filled()
    world.files.renumber()
    world.files.delete("eu/b")
    for (_ <- 1 to 3) {
      world.now += Day
      assert(world.batch() === Seq.empty)
    }
    assert(world.driver.metrics("awaitedDirectories") === "0")
    world.files.put("eu/b", "b\n", 1)
    assert(world.batch() === Seq("b"), "it was absent for a day in the place that it was read in")
  }

  test("reads new files of a replaced directory and remembers former files") {
    val world = filled()
    for {
      restarts <- Seq(false, true)
      times    <- 1 to 2
    } {
      world.files.unmount("eu")
      val late = s"late$restarts$times"
      world.files.put(s"eu/$late", s"$late\n", 3)
      assert(world.batch() === Seq(late))
      for (_ <- 1 to 3) {
        world.now += Day
        if (restarts) world.restart()
        assert(world.batch() === Seq.empty)
      }
      world.files.putBack("eu")
      assert(world.batch() === Seq.empty)
    }
  }

  test("onOther=accept accepts a replaced directory and forgets its files after a day") {
    val world = filled(AbsenceLimits(onOther = OtherDirectory.Accept))
    world.files.unmount("eu")
    world.batch()
    world.now += Day - 1
    world.batch()
    assert(world.driver.metrics("awaitedDirectories") === "0")
    assert(world.driver.metrics("absentFiles").toInt >= 2)
    world.now += 11 * Minute
    world.batch()
    world.files.put("eu/a", "a\n", 1)
    assert(world.batch() === Seq("a"))
  }

  test("fails if a path has no files for too long, unless new files arrive") {
    val limits                                            = AbsenceLimits(waitMillis = 60 * Minute)
    def wait(world: SourceWorld, directory: String): Unit = {
      world.files.unmount(directory)
      for (_ <- 1 to 5) {
        world.now += 11 * Minute
        world.batch()
      }
    }
    val root = filled(limits)
    wait(root, "")
    root.now += 11 * Minute
    root.batch()
    root.now += 11 * Minute
    val error = intercept[StoplogException](root.batch())
    assert(error.getCondition === "STOPLOG_SOURCE_AWAY")
    assert(error.getMessage.contains("it is not the directory in which files were read"))
    val alive = filled(limits)
    wait(alive, "")
    alive.files.put("eu/late", "late\n", 3)
    for (_ <- 1 to 5) {
      alive.now += 60 * Minute
      alive.batch()
    }
    val below = filled(limits)
    wait(below, "eu") // which the user does not name
    below.now += Day
    below.batch()
  }

  test("forgets a directory deleted by a retention job after a day") {
    val world = filled()
    world.files.delete("eu/a")
    world.files.delete("eu/b")
    for (_ <- 1 to 3) {
      world.now += Day
      assert(world.batch() === Seq.empty)
    }
    assert(world.driver.metrics("awaitedDirectories") === "0")
    assert(world.driver.metrics("absentFiles") === "0")
    world.files.put("eu/a", "a\n", 1)
    assert(world.batch() === Seq("a"))
  }

  test("without identities, absent files are remembered for a day and an empty root forever") {
    val world = filled()
    val other = new SourceWorld
    for (one <- Seq(world, other)) one.files.hasIds = false
    other.files.put("eu/a", "a\n", 1)
    assert(other.batch() === Seq("a"))
    other.files.unmount("eu")
    for (_ <- 1 to 3) {
      other.batch()
      other.now += Day / 3
    }
    other.files.putBack("eu")
    assert(other.batch() === Seq.empty)
    other.files.takeAway("")
    for (_ <- 1 to 30) {
      other.now += Day
      other.batch()
    }
    other.files.putBack("")
    assert(other.batch() === Seq.empty)
  }

  test("files excluded by changed rules do not count as absent") {
    val all      = PathRules.all
    val narrowed = Seq(
      all.copy(names = glob("*.txt")),
      all.copy(nesting = Nesting.Flat),
      PathRules(Vector(Vector(glob("us").get)), None, Nesting.Recursive),
      PathRules(Vector(Vector(glob("*").get, glob("*.txt").get)), None, Nesting.Recursive)
    )
    for {
      rules <- narrowed
      deep  <- Seq("eu", "eu/deep/er")
    } {
      val world = new SourceWorld
      world.files.put(s"$deep/a", "a\n", 1)
      world.files.put("us/b.txt", "b\n", 1)
      assert(world.batch().size === 2)
      world.rules = rules
      for (_ <- 1 to 5) {
        world.restart()
        world.driver.fixTarget()
        assert(world.all() === Seq.empty)
        world.now += Day
      }
      world.rules = all
      world.restart()
      assert(world.all() === Seq.empty, rules)
    }
  }

  test("a wrong wall clock forgets no files, and a clock set back stops no reads") {
    val world = filled()
    world.files.takeAway("eu")
    world.batch()
    world.wallError = 40 * Day
    for (_ <- 1 to 3) {
      world.restart()
      assert(world.batch() === Seq.empty)
    }
    world.files.putBack("eu")
    world.wallError = -40 * Day
    assert(world.batch() === Seq.empty)
    world.files.put("eu/new", "new\n", 2)
    assert(world.batch() === Seq("new"))
  }
}

object PlacesSuite {
  private final val Minute = 60 * 1000L
  private final val Day    = 24 * 60 * Minute

  private def glob(text: String): Option[Glob] = Glob.parse(text).toOption

  private def filled(limits: AbsenceLimits = AbsenceLimits()): SourceWorld = {
    val world = new SourceWorld(absence = limits)
    for ((path, n) <- Seq("eu/a", "eu/b", "us/c").zipWithIndex)
      world.files.put(path, s"${path.drop(3)}\n", n.toLong)
    world.batch()
    world
  }

  /** The part of the storage that is away. */
  private final case class Shape(name: String, directory: String, rules: PathRules) {
    override def toString: String = name
  }

  private val twoPaths = PathRules(
    Vector(Vector(glob("eu").get), Vector(glob("us").get)),
    None,
    Nesting.Recursive
  )

  private val shapes = Seq(
    Shape("the whole path", "", PathRules.all),
    Shape("one directory", "eu", PathRules.all), // which the user does not name
    Shape("one of two paths", "eu", twoPaths)
  )

  private final case class Reading(
      name: String,
      onChanged: OnChangedFile = OnChangedFile.Ignore,
      cleaning: CleanSource = CleanSource.Keep,
      hasFinder: Boolean = false,
      hasTimes: Boolean = false
  ) {
    def isCleaned: Boolean = cleaning != CleanSource.Keep

    def world(shape: Shape): SourceWorld = {
      val world = new SourceWorld(
        onChanged,
        rules = shape.rules,
        cleaning = cleaning,
        finder = Option.when(hasFinder)(AllFiles)
      )
      if (hasTimes) world.files.clock = Some(() => world.now)
      world
    }

    override def toString: String = name
  }

  private val readings = Seq(
    Reading("ignore"),
    Reading("ignore with times of directories", hasTimes = true),
    Reading("reread", OnChangedFile.Reread),
    Reading("tail", OnChangedFile.Tail),
    Reading("cleanSource", cleaning = CleanSource.Delete),
    Reading("archive", cleaning = CleanSource.Archive("_away")),
    Reading("a finder", hasFinder = true)
  )

  private final case class Away(name: String, begin: (MemoryFiles, String) => Unit) {
    override def toString: String = name
  }

  private val aways = Seq(
    Away("an empty mount point", _.unmount(_)),
    Away("absent", _.takeAway(_))
  )

  private final case class Duration(name: String, pass: SourceWorld => Vector[String]) {
    override def toString: String = name
  }

  private val durations = Seq(
    Duration("3 s", polls(_, 90, 33)),
    Duration("10 min", polls(_, 61, 10 * 1000)),
    Duration("two runs of availableNow", runs)
  )

  private def polls(world: SourceWorld, count: Int, millis: Long): Vector[String] =
    (1 to count).toVector.flatMap { _ =>
      world.now += millis
      world.batch()
    }

  private def runs(world: SourceWorld): Vector[String] = Vector(1, 2).flatMap { _ =>
    world.now += 60 * Minute
    world.restart()
    world.driver.fixTarget()
    world.all()
  }

  /** Finds what a listing finds. */
  private case object AllFiles extends FileFinder {
    override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit =
      DirectoryWalker.run(files, rules, threads = 1)(each)
  }
}
