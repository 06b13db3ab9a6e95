// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.IOException
import java.time.{Instant, ZoneId}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.bucket.DateTimeBucketAssigner
import stoplog.source.ReadLimits

/** Which directories are listed, and which files are complete. */
class ListingSuite extends AnyFunSuite {

  test("an unchanged directory is not listed again") {
    val world = timed()
    for (n <- 1 to 5) world.files.put(s"d$n/a", s"$n\n", 1)
    world.now += 60000
    assert(world.batch().size === 5)
    assert(listed(world) === Seq("", "d1", "d2", "d3", "d4", "d5"))
    assert(world.batch().isEmpty && listed(world) === Seq.empty)
    world.files.put("d3/older", "old\n", 0)
    assert(world.batch() === Seq("old"))
    assert(listed(world) === Seq("d3"))
    world.files.put("d2/deep/er/a", "deep\n", 0)
    assert(world.batch() === Seq("deep"))
    assert(listed(world) === Seq("d2", "d3", "d2/deep", "d2/deep/er"))
    assert(world.driver.metrics("skippedDirectories").toLong === 6 + 5 + 4)
    assert(world.driver.metrics("listedDirectories").toLong === 6 + 1 + 4)
  }

  test("a file added in the tick of a listing is found by the next listing") {
    val world = timed()
    world.files.put("d/a", "1\n", 1)
    world.now += 60000
    world.files.put("d/b", "2\n", 1)
    assert(world.batch() === Seq("1", "2"))
    world.files.put("d/c", "3\n", 1)
    assert(world.batch() === Seq("3"), "the directory has the time that it had when it was listed")
    world.now += KnownDirectories.MarginMillis
    assert(world.batch().isEmpty)
    listed(world)
    assert(world.batch().isEmpty && listed(world) === Seq.empty)
  }

  test("a storage clock several seconds late loses no files") {
    val world = timed()
    world.files.clock = Some(() => (world.now - 5000) / 2000 * 2000)
    world.now += 60000
    val all = (1 to 200).map { n =>
      world.files.put(s"d/$n", s"$n\n", 1)
      if (n % 7 == 0) world.now += 900
      if (n % 3 == 0) world.batch() else Vector.empty
    }
    assert((all.flatten ++ world.batch()).toSet === (1 to 200).map(_.toString).toSet)
  }

  test("forgets a file after a day of full listings without the file") {
    val world = timed(wholeListingMillis = 600000)
    world.files.put("d/a", "1\n", 1)
    world.files.put("d/b", "2\n", 1)
    world.now += 60000
    assert(world.batch() === Seq("1", "2"))
    world.files.delete("d/a")
    for (_ <- 1 to 5) {
      world.now += 20000
      assert(world.batch().isEmpty)
    }
    for (_ <- 0 to 24 * 6) {
      world.now += 600000
      assert(world.batch().isEmpty)
    }
    world.files.put("d/a", "1\n", 1)
    assert(world.batch() === Seq("1"))
  }

  test("a directory time set back hides a file until the next full listing") {
    val world = timed(wholeListingMillis = 600000)
    world.files.put("d/a", "1\n", 1)
    world.now += 60000
    world.batch()
    val now = world.now
    world.files.clock = Some(() => now - 60000)
    world.files.put("d/b", "2\n", 1)
    assert(world.batch().isEmpty)
    world.now += 600000
    assert(world.batch() === Seq("2"))
  }

  test("after a failed or overfull listing, no directory is skipped") {
    val world = timed(heldFiles = 3)
    for (n <- 1 to 10) world.files.put(s"d$n/a", s"$n\n", n.toLong)
    world.now += 60000
    world.files.trouble = Some(new IOException("no answer"))
    intercept[IOException](world.batch())
    assert(world.all(ReadLimits.none.copy(splits = Some(2))).toSet === (1 to 10).map(_.toString).toSet)
  }

  test("with reread or tail, every listing covers all directories") {
    for (policy <- Seq(Monitoring.OnChangedFile.Reread, Monitoring.OnChangedFile.Tail)) {
      val world = timed(onChangedFile = policy)
      world.files.put("d/a", "1\n", 1)
      world.now += 60000
      assert(world.batch() === Seq("1"))
      world.files.put("d/a", "1\n2\n", 2)
      assert(world.batch().last === "2")
    }
  }

  test("a file is read after its length is stable for the configured time") {
    val world = timed(readiness = Readiness(Long.MinValue, stableForMillis = Some(10000)))
    world.files.put("d/a", "1\n", 1)
    world.now += 60000
    assert(world.batch().isEmpty)
    assert(world.driver.metrics("unreadyFiles") === "1")
    world.now += 9999
    assert(world.batch().isEmpty)
    world.files.put("d/a", "1\n2\n", 1)
    world.now += 9999
    assert(world.batch().isEmpty, "it has grown")
    world.now += 9999
    assert(world.batch().isEmpty)
    world.files.trouble = Some(new IOException("no answer"))
    intercept[IOException](world.batch())
    world.now += 1
    assert(world.batch() === Seq("1", "2"))
    world.restart()
    world.files.put("d/b", "3\n", 1)
    assert(world.batch().isEmpty)
    world.now += 10000
    assert(world.batch() === Seq("3"))
  }

  test("files of a directory wait for its marker, and markers are not read") {
    for (name <- Seq("_SUCCESS", "READY")) {
      val world = timed(readiness = Readiness(Long.MinValue, marker = Some(ReadyMarker.InDirectory(name))))
      world.files.put("a/1", "1\n", 1)
      world.files.put("b/2", "2\n", 1)
      world.files.put(s"b/$name", "", 1)
      world.files.put("b/c/3", "3\n", 1)
      world.now += 60000
      assert(world.batch() === Seq("2"))
      assert(world.batch().isEmpty)
      world.files.put(s"a/$name", "", 1)
      world.files.put(s"b/c/$name", "marker\n", 1)
      assert(world.batch() === Seq("1", "3"))
    }
  }

  test("a file waits for its own marker, and markers are not read") {
    for ((before, after) <- Seq("" -> ".done", "." -> ".ok", "done-" -> "")) {
      val marker = ReadyMarker.PerFile(before, after)
      val world  = timed(readiness = Readiness(Long.MinValue, marker = Some(marker)))
      world.files.put("d/1", "1\n", 1)
      world.files.put("d/2", "2\n", 1)
      world.files.put(s"d/${before}2$after", "marker\n", 1)
      world.now += 60000
      assert(world.batch() === Seq("2"))
      assert(world.batch().isEmpty)
      world.files.put(s"d/${before}1$after", "", 1)
      assert(world.batch() === Seq("1"))
      assert(world.batch().isEmpty)
    }
  }

  test("readiness rules apply together") {
    val all   = Readiness(5000, Some(10000), Some(ReadyMarker.InDirectory("_SUCCESS")))
    val world = timed(readiness = all)
    world.now += 60000
    world.files.put("d/1", "1\n", world.now)
    assert(world.batch().isEmpty)
    world.now += 20000
    world.files.put("d/_SUCCESS", "", 1)
    assert(world.batch().isEmpty, "its length is known only since the marker is there")
    world.now += 10000
    assert(world.batch() === Seq("1"))
  }

  test("directories outside the date range are not listed") {
    val world =
      dated("yyyy-MM-dd--HH", from = Some("2026-11-20T10:00:00Z"), until = Some("2026-11-20T12:00:00Z"))
    for (hour <- Seq("09", "10", "11", "12")) world.files.put(s"2026-11-20--$hour/a", s"$hour\n", 1)
    world.files.put("other/a", "other\n", 1)
    world.files.put("2026-11-20--1x/a", "no date\n", 1)
    world.files.put("top", "top\n", 1)
    assert(world.batch().toSet === Set("10", "11", "other", "no date", "top"))
    assert(listed(world).toSet === Set("", "2026-11-20--10", "2026-11-20--11", "2026-11-20--1x", "other"))
  }

  test("dates over several levels are excluded at the first deciding level") {
    val world = dated("yyyy/MM/dd", from = Some("2026-02-27T00:00:00Z"), until = Some("2026-03-02T00:00:00Z"))
    for (
      day <- Seq("2025/12/31", "2026/01/31", "2026/02/26", "2026/02/27", "2026/03/01", "2026/03/02",
        "2027/01/01")
    )
      world.files.put(s"$day/deep/a", s"$day\n", 1)
    assert(world.batch() === Seq("2026/02/27", "2026/03/01"))
    assert(
      listed(world).filter(_.split('/').length <= 3).toSet ===
        Set("", "2026", "2026/02", "2026/03", "2026/02/27", "2026/03/01")
    )
  }

  test("quoted text may span several levels, like bucket names of a sink") {
    for (pattern <- Seq(DateTimeBucketAssigner.DefaultPattern, "'dt='yyyy-MM-dd/'hour='HH")) {
      val world = dated(pattern, from = Some("2026-11-20T22:00:00Z"), until = Some("2026-11-21T01:00:00Z"))
      val hours = Seq("2026-11-19/hour=23", "2026-11-20/hour=21", "2026-11-20/hour=22", "2026-11-21/hour=00",
        "2026-11-21/hour=01", "2026-11-22/hour=00")
      for (hour <- hours) world.files.put(s"dt=$hour/a", s"$hour\n", 1)
      assert(world.batch() === Seq("2026-11-20/hour=22", "2026-11-21/hour=00"))
      assert(!listed(world).contains("dt=2026-11-19"))
    }
  }

  test("directories leave a moving date window, and quoted text is literal") {
    val world = dated("'day='yyyy-MM-dd", within = Some(2 * 86400000L))
    world.now = Instant.parse("2026-11-20T12:00:00Z").toEpochMilli
    for (day <- 16 to 20) world.files.put(s"day=2026-11-$day/a", s"$day\n", 1)
    assert(world.batch() === Seq("18", "19", "20"))
    world.now += 86400000L
    world.files.put("day=2026-11-18/b", "late\n", 1)
    world.files.put("day=2026-11-19/b", "in time\n", 1)
    assert(world.batch() === Seq("in time"))
  }

  test("rejects invalid date patterns") {
    val utc = ZoneId.of("UTC")
    assert(DatePattern.parse("MM/dd", utc).left.toOption.exists(_.contains("does not begin with a year")))
    assert(DatePattern.parse("yyyy-bb", utc).isLeft)
    assert(DatePattern.parse("yyyy/MM/dd/HH", utc).isRight)
    assert(DatePattern.parse("'year '''yyyy'/it''s month='MM", utc).isRight)
  }

  test("outstanding metrics include unread files beyond the held limit") {
    val world = timed(heldFiles = 4)
    for (n <- 10 to 19) world.files.put(s"d/$n", s"$n\n", n.toLong)
    world.batch(ReadLimits.none.copy(splits = Some(3)))
    val outstanding = world.driver.outstanding
    assert((outstanding.splits, outstanding.bytes, outstanding.oldestMillis) === ((7, 21, Some(13))))
    assert(world.driver.metrics("outstandingFiles") === "7")
    world.all()
    assert(world.driver.outstanding === stoplog.source.Outstanding(0, 0, None))
  }

  private def timed(
      onChangedFile: Monitoring.OnChangedFile = Monitoring.OnChangedFile.Ignore,
      readiness: Readiness = Readiness.atOnce,
      heldFiles: Int = 1000,
      wholeListingMillis: Long = 3600000
  ): SourceWorld = {
    val world = new SourceWorld(
      onChangedFile,
      readiness,
      heldFiles,
      wholeListingMillis = wholeListingMillis
    )
    world.files.clock = Some(() => world.now)
    world
  }

  private def dated(
      pattern: String,
      from: Option[String] = None,
      until: Option[String] = None,
      within: Option[Long] = None
  ): SourceWorld = {
    val range = DateRange(
      DatePattern.parse(pattern, ZoneId.of("UTC")).toOption.get,
      from.map(Instant.parse(_)),
      until.map(Instant.parse(_)),
      within
    )
    new SourceWorld(rules = PathRules.all.copy(dates = Some(range)))
  }

  private def listed(world: SourceWorld): Seq[String] = {
    val all = world.files.listed.toVector
    world.files.listed.clear()
    all
  }
}
