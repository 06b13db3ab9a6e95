// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source.ReadLimits

/** `cleanSource` with names that come again, as `daily.csv` does. */
class ComingNamesSuite extends AnyFunSuite {
  private val days = 1 to 5

  for {
    cleaning <- Seq(CleanSource.Archive("_away"), CleanSource.Delete)
    hasIds   <- Seq(true, false)
    restarts <- Seq(true, false)
  }
    test(s"reads a recurring name on each day: $cleaning, file ids $hasIds, a run per day $restarts") {
      val world = this.world(cleaning, hasIds)
      for (day <- days) {
        world.files.replace("daily.csv", s"day$day\n", day * 1000L)
        world.files.put(s"other$day.csv", s"other$day\n", day * 1000L)
        if (restarts) {
          world.restart()
          world.driver.fixTarget()
        }
        world.all()
      }
      assert(world.read.sorted === (days.map(day => s"day$day") ++ days.map(day => s"other$day")).sorted)
      val archived = world.files.paths.filter(_.contains("daily"))
      assert(archived.size === (if (cleaning == CleanSource.Delete) 0 else days.size), archived)
    }

  test("reads a file that replaces a committed file before the commit is reported") {
    for {
      cleaning <- Seq(CleanSource.Archive("_away"), CleanSource.Delete)
      hasIds   <- Seq(true, false)
    } {
      val world = this.world(cleaning, hasIds)
      world.files.put("d/daily.csv", "day1\n", 1000)
      val end = world.driver.plan(0, ReadLimits.none)
      assert(end === 1)
      world.files.replace("d/daily.csv", "day2 is longer\n", 2000)
      world.restart()
      world.driver.fixTarget()
      assert(world.driver.plan(end, ReadLimits.none) === 2, s"$cleaning, $hasIds")
      assert(world.driver.splits(1, 2).map(_.file.bytes).toSeq === Seq(15))
    }
  }

  test("a listing finds a replaced file in a directory without changes since the last listing") {
    val world = this.world(CleanSource.Delete, hasIds = true)
    world.files.clock = Some(() => world.now)
    world.files.put("d/daily.csv", "day1\n", 1000)
    val end = world.driver.plan(0, ReadLimits.none)
    world.files.replace("d/daily.csv", "day2 is longer\n", 2000)
    world.now += 100000
    world.driver.fixTarget() // a listing, which finds a changed file
    assert(world.driver.plan(end, ReadLimits.none) === 2)
  }

  test("a file extended after reading stays, counts as uncleaned and is not reread") {
    for (cleaning <- Seq(CleanSource.Archive("_away"), CleanSource.Delete)) {
      val world = this.world(cleaning, hasIds = true)
      world.files.put("a", "1\n", 1)
      val end = world.driver.plan(0, ReadLimits.none)
      world.files.put("a", "1\n2\n", 2)
      assert(world.driver.plan(end, ReadLimits.none) === end)
      assert(world.driver.metrics("uncleanedFiles") === "1")
      assert(world.files.paths === Set("a"))
    }
  }

  test("a file with only a new id is the committed file, stays and counts as uncleaned") {
    for (cleaning <- Seq(CleanSource.Archive("_away"), CleanSource.Delete)) {
      val world = this.world(cleaning, hasIds = true)
      world.files.put("a", "1\n", 1000)
      world.beforeCommit = () => {
        world.files.replace("a", "1\n", 1000) // as a copy to another disk that keeps times
        world.beforeCommit = () => ()
      }
      world.all()
      assert(world.driver.metrics("uncleanedFiles") === "1")
      world.restart()
      world.all()
      assert(world.read === Seq("1"))
      assert(world.files.paths === Set("a"))
    }
  }

  test("a file reread under the same path is not forgotten when the first is cleaned") {
    val world = new SourceWorld(Monitoring.OnChangedFile.Reread, cleaning = CleanSource.Delete)
    world.files.hasFileIds = true
    world.files.put("a", "1\n", 1)
    assert(world.planInVain().size === 1)
    world.files.replace("a", "2 2\n", 2)
    val second = world.driver.plan(1, ReadLimits.none)
    assert(second === 2)
    assert(world.driver.plan(second, ReadLimits.none) === second)
  }

  test("archive names keep the suffix of the file") {
    val time                             = "20261126T060000123Z"
    def names(path: String): Seq[String] = ArchiveNames.of(path, 1795672800123L).take(3).toSeq
    assert(
      names("d/daily.csv.gz") === Seq("d/daily.csv.gz", s"d/daily-$time.csv.gz", s"d/daily-$time-1.csv.gz")
    )
    assert(names("d.x/daily") === Seq("d.x/daily", s"d.x/daily-$time", s"d.x/daily-$time-1"))
    assert(names(".daily") === Seq(".daily", s".daily-$time", s".daily-$time-1"))
  }

  private def world(cleaning: CleanSource, hasIds: Boolean): SourceWorld = {
    val world = new SourceWorld(cleaning = cleaning)
    world.files.hasFileIds = hasIds
    world.files.appends = hasIds
    world
  }
}
