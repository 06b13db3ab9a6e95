// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Finish.KeepOpen
import stoplog.log.{MarkerForm, Totals}
import stoplog.rolling.{RollReason, RollingPolicy}
import stoplog.storage.PutOutcome

class BucketTrackerSuite extends AnyFunSuite {
  private val minute = 60 * 1000L

  private final class Fixture(rule: Long => CompleteRule, policy: RollingPolicy = Rolls.never) {
    val world              = new DriverWorld(policy)
    val start: Long        = world.clock.millis()
    var failing            = false
    val notes: MemoryNotes = new MemoryNotes(world.clock) {
      override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
        val made = super.createIfAbsent(path)(content)
        if (failing && path.contains("_SUCCESS")) throw new IllegalStateException("the storage is away")
        made
      }
    }
    val followUps: FollowUps =
      FollowUps("main", rule(start), MarkerForm.Json, Manifests.Json(None, None), notes)
    def driver(): SinkDriver       = world.driver(followUps = followUps)
    def markers: Set[String]       = notes.texts.keySet.filter(_.contains("_SUCCESS"))
    def manifests: Set[String]     = notes.texts.keySet.filter(_.contains("/manifests/"))
    def text(path: String): String = notes.texts(path)

    def total(path: String): Totals = Markers.content(text(path).getBytes).get.total
  }

  private def idle(after: Long): Long => CompleteRule = _ => CompleteRule.ByIdleness(after)

  private def byClock(ends: (String, Long)*): Long => CompleteRule =
    start => CompleteRule.ByClock(0, bucket => ends.toMap.get(bucket).map(start + _))

  test("an idle bucket is closed, published, marked and removed from the state") {
    val fixture = new Fixture(idle(10 * minute))
    import fixture._
    val driver = fixture.driver()
    world.epoch(driver, 0, "a", "b")
    world.clock.advance(6 * minute)
    world.epoch(driver, 1, "b")
    world.clock.advance(5 * minute)
    driver.tick()
    assert(world.rows === Vector("row of a"))
    assert(markers === Set("a/_SUCCESS"))
    assert(world.newest.publish.map(_.reason) === Vector(RollReason.Complete))
    assert(world.newest.state.live.map(_.bucket) === Vector("b"))
    assert(total("a/_SUCCESS") === Totals(1, 1, 11))
    assert(driver.stats.counts.markedBuckets === 1)
  }

  test("a marker counts all parts of its bucket across records") {
    val fixture = new Fixture(idle(10 * minute), Rolls.atAge(1))
    import fixture._
    val driver = fixture.driver()
    for (epoch <- 0L to 4L) {
      world.epoch(driver, epoch, "a")
      world.clock.advance(minute)
      driver.tick()
    }
    world.clock.advance(10 * minute)
    driver.tick()
    assert(total("a/_SUCCESS") === Totals(5, 5, 55))
    assert(
      text("a/_SUCCESS").startsWith(
        """{"version":1,"bucket":"a","sinkId":"main","files":5,"rows":5,"bytes":55,"""
      )
    )
  }

  test("by the clock, a bucket is marked in the first epoch after its end") {
    val fixture = new Fixture(byClock("a" -> minute, "b" -> 60 * minute))
    import fixture._
    val driver = fixture.driver()
    world.epoch(driver, 0, "a", "b")
    driver.tick()
    assert(markers.isEmpty)
    world.clock.advance(minute)
    world.epoch(driver, 1, "b")
    assert(markers === Set("a/_SUCCESS"))
    assert(world.newest.state.live.map(_.bucket) === Vector("b"))
  }

  test("by the watermark, no bucket is marked before the watermark arrives") {
    val fixture =
      new Fixture(start => CompleteRule.ByWatermark(minute, bucket => Some(start).filter(_ => bucket == "a")))
    import fixture._
    val driver = fixture.driver()
    world.epoch(driver, 0, "a", "null")
    world.clock.advance(100 * minute)
    driver.tick()
    driver.reached(start + minute - 1)
    driver.tick()
    assert(markers.isEmpty)
    driver.reached(start + minute)
    driver.reached(start)
    driver.tick()
    assert(markers === Set("a/_SUCCESS"))
    assert(world.newest.state.live.isEmpty, "a bucket without an end is not waited for")
  }

  test("late rows get a marker of the next version after the policy closes their part") {
    val fixture = new Fixture(byClock("a" -> minute), Rolls.atAge(5 * minute))
    import fixture._
    val driver = fixture.driver()
    world.epoch(driver, 0, "a")
    world.clock.advance(minute)
    driver.tick()
    val first = text("a/_SUCCESS")
    world.epoch(driver, 1, "a")
    world.epoch(driver, 2, "a")
    driver.tick()
    assert(markers === Set("a/_SUCCESS"))
    assert(driver.stats.counts.lateBuckets === 1)
    world.clock.advance(5 * minute)
    driver.tick()
    assert(markers === Set("a/_SUCCESS", "a/_SUCCESS.2"))
    assert(text("a/_SUCCESS") === first)
    assert(
      text("a/_SUCCESS.2").contains(
        """"files":2,"rows":3,"bytes":31,"added":{"files":1,"rows":2,"bytes":20}"""
      )
    )
  }

  test("the counts of a new run continue from the marker, also across another sink's marker") {
    val fixture = new Fixture(byClock("a" -> 0L))
    import fixture._
    val first = fixture.driver()
    world.epoch(first, 0, "a")
    first.end(KeepOpen)
    notes.putIfAbsent(
      "a/_SUCCESS.2",
      """{"version":2,"sinkId":"other","files":9,"rows":9,"bytes":9}""".getBytes
    )
    val second = world.driver(run = Samples.other, followUps = followUps)
    world.epoch(second, 1, "a")
    second.end(Finish.PublishOpen)
    assert(markers === Set("a/_SUCCESS", "a/_SUCCESS.2", "a/_SUCCESS.3"))
    assert(total("a/_SUCCESS.3") === Totals(2, 2, 22))
  }

  test("a total includes rows that a batch write of the same sink id marked meanwhile") {
    val fixture = new Fixture(byClock("a" -> minute), Rolls.atAge(1))
    import fixture._
    val driver = fixture.driver()
    world.epoch(driver, 0, "a")
    notes.putIfAbsent(
      "a/_SUCCESS",
      """{"version":1,"sinkId":"main","files":1,"rows":10,"bytes":100}""".getBytes
    )
    world.clock.advance(minute)
    driver.tick()
    assert(total("a/_SUCCESS.2") === Totals(2, 11, 111))
    world.epoch(driver, 1, "a")
    world.clock.advance(minute)
    driver.tick()
    assert(total("a/_SUCCESS.3") === Totals(3, 12, 122))
  }

  test("a marker name that another sink has taken is skipped") {
    val fixture = new Fixture(byClock("a" -> minute))
    import fixture._
    val driver = fixture.driver()
    world.epoch(driver, 0, "a")
    notes.putIfAbsent("a/_SUCCESS", "{}".getBytes)
    world.clock.advance(minute)
    driver.tick()
    assert(text("a/_SUCCESS") === "{}")
    assert(text("a/_SUCCESS.2").startsWith("""{"version":2,"""))
  }

  test("a later run completes a record whose marker failed, and writes nothing twice") {
    val fixture = new Fixture(byClock("a" -> 0L))
    import fixture._
    failing = true
    val driver = fixture.driver()
    intercept[IllegalStateException](world.epoch(driver, 0, "a"))
    assert(markers === Set("a/_SUCCESS"))
    failing = false
    val before = notes.texts
    val heir   = world.driver(run = Samples.other, followUps = followUps)
    heir.waitFrom(world.newest.seq)
    heir.tick()
    assert(world.records.isPublished(world.newest.seq - 1))
    assert(notes.texts === before)
  }

  test("a run without follow-ups still writes the markers that a record has decided") {
    val fixture = new Fixture(byClock("a" -> 0L))
    import fixture._
    world.parts.onPublish = _ => throw new IllegalStateException("the process died")
    intercept[IllegalStateException](world.epoch(fixture.driver(), 0, "a"))
    world.parts.onPublish = _ => ()
    assert(markers.isEmpty)
    val heir = world.driver(run = Samples.other, followUps = FollowUps.none("main", notes))
    heir.waitFrom(world.newest.seq)
    heir.tick()
    assert(markers === Set("a/_SUCCESS"))
  }

  test("a run without data marks a bucket of an earlier run once it is due") {
    val fixture = new Fixture(byClock("a" -> minute), Rolls.atAge(1))
    import fixture._
    val first = fixture.driver()
    world.epoch(first, 0, "a")
    first.end(Finish.PublishOpen)
    val idle = world.driver(run = Samples.other, followUps = followUps)
    idle.waitFrom(world.newest.seq)
    idle.tick()
    assert(world.newest.run === Samples.mine)
    world.clock.advance(minute)
    idle.tick()
    assert(markers === Set("a/_SUCCESS"))
  }

  test("only records that publish files have a manifest") {
    val fixture = new Fixture(idle(10 * minute), Rolls.atAge(1))
    import fixture._
    val driver = fixture.driver()
    world.epoch(driver, 0, "a", "b")
    assert(manifests.isEmpty)
    world.clock.advance(minute)
    driver.tick()
    val path = f"_stoplog/main/manifests/${world.newest.seq}%020d.manifest"
    assert(manifests === Set(path))
    assert(text(path).contains(""""kind":"roll""""))
    assert(world.newest.publish.forall(part => text(path).contains(s""""path":"${part.finishedPath}"""")))
  }

  test("the hourly sweep deletes manifests older than the retention") {
    val world     = new DriverWorld(Rolls.atAge(1))
    val notes     = new MemoryNotes(world.clock)
    val retention = Manifests.Json(None, Some(90 * minute))
    val driver    =
      world.driver(followUps = FollowUps("main", CompleteRule.Never, MarkerForm.Json, retention, notes))
    for (epoch <- 0L to 12L) {
      world.epoch(driver, epoch, "a")
      world.clock.advance(61 * minute)
      driver.tick()
    }
    assert(notes.texts.size === ManifestRetention.Kept, "older ones than 90 minutes among them")
  }
}
