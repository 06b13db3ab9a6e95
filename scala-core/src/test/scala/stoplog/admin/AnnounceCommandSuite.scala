// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.AdminWorld.within
import stoplog.announce.{Delivery, RecordingTargets}
import stoplog.commit.Samples.condition
import stoplog.commit.{AnnouncementCursor, DriverNote, Finish, Heartbeat, Rolls}
import stoplog.error.StoplogException
import stoplog.log.{RecordCodec, RecordKind}

class AnnounceCommandSuite extends AnyFunSuite {

  private def announce(world: AdminWorld, more: (String, String)*): AdminPlan = {
    val path = world.directory.toString
    world.tools().announce(Map("announce.out" -> "recording", "announce.out.to" -> path) ++ more)
  }

  private def received(world: AdminWorld): Int =
    RecordingTargets.at(world.directory.toString).received.size

  /** A target whose announcements all wait. */
  private def waiting(world: AdminWorld): Unit =
    new AnnouncementCursor(world.notes, "main", "out").write(AnnouncementCursor.Position(0, ""))

  test("announce rejects a live driver, also if the clock of the tool is ahead") {
    within() { world =>
      val note   = DriverNote("elsewhere", "", 1, 2, everyMillis = 60000).text
      val driver = world.driver(noted = Map(DriverNote.Key -> note))
      world.epoch(driver, 0, "ant")
      waiting(world)
      world.clock.advance(60 * 60 * 1000L)
      assert(condition(announce(world).carryOut()) === "STOPLOG_DRIVER_ALIVE")
      assert(world.notes.list(Heartbeat.directory("main"), "").isEmpty)
      announce(world).carryOut(WhenAlive.Fence)
      driver.end(Finish.PublishOpen)
      announce(world).carryOut()
      assert(received(world) === 1)
    }
  }

  test("finalize carries out a release that has only markers") {
    within(Rolls.atRecords(1)) { world =>
      val ends   = world.clock.millis() + 1000
      val driver = world.driver(followUps = world.marking(ends))
      world.epoch(driver, 0, "ant")
      driver.end(Finish.PublishOpen)
      val next = world.driver(followUps = world.marking(ends))
      world.epoch(next, 1)
      next.reached(ends)
      next.end(Finish.PublishOpen)
      val release = world.newest
      assert(release.kind === RecordKind.Release && release.publish.isEmpty && !release.follow.isEmpty)
      val marks =
        world.directory.resolve("_stoplog/main/log").toFile.listFiles(_.getName.endsWith(".published"))
      marks.foreach(_.delete())
      Files.delete(world.directory.resolve("a/_SUCCESS"))
      val plan = world.tools().finalizeOpenParts()
      assert(plan.actions.isEmpty)
      plan.carryOut()
      assert(Files.exists(world.directory.resolve("a/_SUCCESS")))
    }
  }

  test("announce delivers all announcements that the log keeps, regardless of their number and age") {
    within(Rolls.atRecords(1)) { world =>
      world.clock.step(-30 * 24 * 60 * 60 * 1000L)
      val driver = world.driver()
      for (n <- 0 to 2) world.epoch(driver, n.toLong, "ant")
      driver.end(Finish.PublishOpen)
      waiting(world)
      announce(world, "announceBacklog" -> "1").carryOut()
      val changes = RecordingTargets.at(world.directory.toString).received.map(_.change.word)
      assert(changes === Vector.fill(3)("added"))
    }
  }

  test("a tool keeps all records that a target waits for") {
    within() { world =>
      waiting(world)
      world.epoch(world.driver(), 0, "ant")
      val last = world.newest
      for (more <- 1 to 1020) // as by epochs without rows
        Files.write(
          world.directory.resolve(f"_stoplog/main/log/${last.seq + more}%020d.commit"),
          RecordCodec.encode(last.copy(seq = last.seq + more))
        )
      world.tools().finalizeOpenParts().carryOut(WhenAlive.Fence)
      assert(world.log.firstFrom(0) === Some(0L))
    }
  }

  test("announce delivers the snapshot that a target still waits for") {
    within() { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant", "bee")
      driver.end(Finish.PublishOpen)
      new AnnouncementCursor(world.notes, "main", "out").announceSnapshot()
      RecordingTargets.at(world.directory.toString).answers = Vector.fill(9)(Delivery.Retry("down"))
      assert(
        condition(announce(world, "announceAtEnd" -> "1ms").carryOut()) === "STOPLOG_ANNOUNCEMENT_UNDELIVERED"
      )
      RecordingTargets.at(world.directory.toString).answers = Vector.empty
      announce(world).carryOut()
      val changes = RecordingTargets.at(world.directory.toString).received.map(_.change)
      assert(
        changes.map(change => (change.word, change.bucket.get)) === Vector(
          "snapshot" -> "a",
          "snapshot" -> "b"
        )
      )
    }
  }

  test("announce reports a record that no process has carried out, and delivers the records before") {
    within() { world =>
      val first = world.driver()
      world.epoch(first, 0, "ant")
      first.end(Finish.PublishOpen)
      val second = world.driver()
      world.epoch(second, 1, "bee")
      second.end(Finish.PublishOpen)
      waiting(world)
      val log = world.directory.resolve("_stoplog/main/log")
      // as after the death of the process that wrote the newest record
      val newest = world.log.all().filter(_.publish.nonEmpty).last
      world.log.all().filter(_.seq > newest.seq).foreach { later =>
        Files.delete(log.resolve(f"${later.seq}%020d.commit"))
      }
      Files.delete(log.resolve(f"${newest.seq}%020d.published"))
      val refused = intercept[StoplogException](announce(world).carryOut(WhenAlive.Fence))
      assert(refused.getCondition === "STOPLOG_ANNOUNCEMENT_UNDELIVERED")
      assert(refused.getMessage.contains(s"record ${newest.seq} of the log main is not carried out"))
      assert(received(world) === 1)
      world.tools().finalizeOpenParts().carryOut(WhenAlive.Fence)
      announce(world).carryOut()
      assert(received(world) === 2)
      assert(announce(world).actions.isEmpty)
    }
  }
}
