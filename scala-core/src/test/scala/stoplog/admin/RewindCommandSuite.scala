// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.AdminAction._
import stoplog.admin.AdminWorld.within
import stoplog.commit.Samples.condition
import stoplog.commit.{Finish, Rewind, Rolls}
import stoplog.error.StoplogException
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.RecordKind
import stoplog.part.FinishedPart
import stoplog.storage.local.LocalUnderTest

class RewindCommandSuite extends AnyFunSuite {

  for (scheme <- Seq(None, Some("cutting"), Some("appendonly")))
    test(
      s"rewind to older epoch${scheme.fold("")(" on " + _)}: its rows stay, later ones are written again once"
    ) {
      rewound(scheme)
    }

  private def rewound(scheme: Option[String]): Unit =
    within(Rolls.atRecords(2), scheme) { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, "ape", "bee")
      world.epoch(driver, 2, "asp", "auk", "bat")
      world.epoch(driver, 3, "cat")
      driver.end(Finish.KeepOpen)
      val all  = Vector("ant", "ape", "asp", "auk", "bat", "bee", "cat")
      val plan = world.tools().rewind(1)
      assert(plan.actions.exists { case Cut(_, _, 1, _) => true; case _ => false }, plan.actions)
      plan.carryOut()
      assert(world.rows === Vector("ant", "ape", "bee"))
      assert(all.diff(world.rowsUnder("_stoplog/main/aside")) === Vector("ant", "ape"))
      val next = world.driver()
      assert(condition(world.driver().begin(4, 1)) === "STOPLOG_EPOCH_GAP")
      world.epoch(next, 2, "asp", "auk", "bat")
      world.epoch(next, 3, "cat")
      next.end(Finish.PublishOpen)
      assert(world.rows === all)
    }

  for {
    (later, how) <- Seq(Seq("bee") -> "another bucket", Seq("ape", "bee") -> "the same bucket", Nil -> "none")
    end          <- Seq(Finish.KeepOpen, Finish.PublishOpen)
  } test(s"a waiting bucket gets its marker after a rewind of rows in $how, $end before") {
    within() { world =>
      val ends    = world.clock.millis() + 1000
      val marking = world.marking(ends)
      val driver  = world.driver(followUps = marking)
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, later: _*)
      driver.end(end)
      world.tools().rewind(0).carryOut()
      assert(world.newest.state.live.map(live => live.bucket -> live.added.rows) === Vector("a" -> 1))
      val next = world.driver(followUps = marking)
      world.epoch(next, 1, later: _*)
      next.reached(ends)
      next.tick()
      next.end(Finish.PublishOpen)
      assert(world.rows === ("ant" +: later).toVector.sorted)
      val marker = Files.readString(world.directory.resolve("a/_SUCCESS"))
      assert(marker.contains(s""""rows":${1 + later.count(_ == "ape")},"""), marker)
    }
  }

  test("a rewind names the targets that still have the removed files") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      world.epoch(world.driver(), 1, "bee")
      assert(!world.tools().rewind(0).actions.exists(_.subject.startsWith("target")))
      val cursors = Files.createDirectories(world.directory.resolve("_stoplog/main/announced/lake"))
      Files.createFile(cursors.resolve("0" * 20))
      val advice = world.tools().rewind(0).actions.collect { case Advise("target lake", reason) => reason }
      assert(advice.exists(_.contains("the command announce")))
    }
  }

  test("a small part kept by a rewind is still available for compaction") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      val end   = world.newest
      val ant   = end.state.open.head
      val small = FinishedPart(ant.bucket, ant.name, ant.sizeBytes, ant.records, epoch = 1)
      val now   = end.state.copy(open = Vector.empty, small = Vector(small, small.copy(name = "gone")))
      val back  = RewindCommand.Back(end, Vector.empty, Vector.empty, Vector(ant))
      assert(back.state(now).small === Vector(small))
    }
  }

  test("a rewind is rejected past the retained records or with missing files") {
    within(Rolls.atRecords(1)) { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, "bee", "bat")
      driver.end(Finish.PublishOpen)
      assert(condition(world.tools().rewind(7)) === "STOPLOG_NOT_REWINDABLE")
      val plan = world.tools().rewind(0)
      world.visible.filter(_.startsWith("b/")).foreach(file => Files.delete(world.directory.resolve(file)))
      assert(condition(plan.carryOut()) === "STOPLOG_NOT_REWINDABLE")
      assert(world.rows === Vector("ant"))
    }
  }

  for (when <- Seq("before the plan", "after it", "while it is carried out"))
    test(s"a rewind with files missing $when is rejected and keeps the log usable") {
      within(Rolls.atRecords(1)) { world =>
        val driver = world.driver()
        world.epoch(driver, 0, "ant")
        world.epoch(driver, 1, "bee", "bat", "cat") // "bee" is finished, the others are open
        driver.end(Finish.KeepOpen)
        val before         = world.newest
        def remove(): Unit = world.visible.foreach(file => Files.delete(world.directory.resolve(file)))
        val faults: Faults = step => if (step == Step.BeforeRoll) remove()
        if (when == "before the plan") remove()
        assert(condition {
          val plan = world.tools(faults).rewind(0)
          if (when == "after it") remove()
          plan.carryOut()
        } === "STOPLOG_NOT_REWINDABLE")
        if (when == "while it is carried out") assert(world.newest.kind === RecordKind.Release)
        else assert(world.newest === before)
        assert((world.newest.state.settings.keySet & Rewind.noted.keySet).isEmpty)
        val next = world.driver()
        world.epoch(next, 2, "dog")
        next.end(Finish.PublishOpen)
        assert(world.rows === Vector("ant", "bat", "cat", "dog"))
      }
    }

  test("a rewind that cannot hide a file is cancelled, and succeeds without the obstacle") {
    within(Rolls.atRecords(1)) { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, "bee", "bat")
      world.epoch(driver, 2, "cat")
      driver.end(Finish.PublishOpen)
      val faults: Faults = step => if (step == Step.BeforeRewind) obstruct(world)
      val before         = world.newest.state
      assert(condition(world.tools(faults).rewind(0).carryOut()) === "STOPLOG_NOT_REWINDABLE")
      assert(world.rows === Vector("ant", "bat", "bee", "cat"))
      assert(world.newest.state.copy(settings = before.settings) === before)
      LocalUnderTest.remove(world.directory.resolve("_stoplog/main/replaced"))
      world.tools().rewind(0).carryOut()
      assert(world.rows === Vector("ant"))
      val next = world.driver()
      world.epoch(next, 1, "dog")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "dog"))
    }
  }

  test("a cancelled rewind has no effect, even if its process dies before the next record") {
    within(Rolls.atRecords(1)) { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, "bee")
      driver.end(Finish.PublishOpen)
      val faults: Faults = {
        case Step.BeforeRewind         => obstruct(world)
        case Step.ReplacementCalledOff => throw new InjectedFault(Step.ReplacementCalledOff)
        case _                         => ()
      }
      intercept[InjectedFault](world.tools(faults).rewind(0).carryOut())
      assert(world.newest.state.lastEpoch === Some(1))
      LocalUnderTest.remove(world.directory.resolve("_stoplog/main/replaced"))
      val next = world.driver()
      world.epoch(next, 2, "cat")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee", "cat"))
    }
  }

  test("after a cancelled rewind, adopt still knows the rows") {
    within(Rolls.atRecords(1)) { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, "bee")
      driver.end(Finish.PublishOpen)
      val faults: Faults = step => if (step == Step.BeforeRewind) obstruct(world)
      assert(condition(world.tools(faults).rewind(-1).carryOut()) === "STOPLOG_NOT_REWINDABLE")
      val refused = intercept[StoplogException](world.tools().adopt(NewOwner("another", 0)))
      assert(refused.getCondition === "STOPLOG_FOREIGN_QUERY")
      assert(refused.getMessage.contains("at least 2 rows (2 visible files)"))
    }
  }

  test("adopt is rejected if its recovery cancels the rewind on which its plan is based") {
    within(Rolls.atRecords(1)) { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, "bee")
      world.epoch(driver, 2, "cat")
      driver.end(Finish.PublishOpen)
      assert(world.killed(Step.AfterRecord, 1)(_.rewind(0)))
      assert(world.newest.state.lastEpoch === Some(0))
      val plan = world.tools().adopt(NewOwner("another", 1))
      obstruct(world, world.newest.seq)
      assert(condition(plan.carryOut(WhenAlive.Fence)) === "STOPLOG_FOREIGN_QUERY")
      assert(world.rows === Vector("ant", "bee", "cat"))
      assert(world.newest.state.newest.queryId === "query" && world.newest.state.lastEpoch === Some(2))
      assert(world.newest.kind === RecordKind.Release, "the log is free for its query")
    }
  }

  /** Puts a directory where the next record hides each file, so that no file can be hidden. */
  private def obstruct(world: AdminWorld): Unit = obstruct(world, world.newest.seq + 1)

  private def obstruct(world: AdminWorld, seq: Long): Unit = world.visible.foreach { file =>
    val place = s"_stoplog/main/replaced/$seq/$file.aside/not-empty"
    Files.createDirectories(world.directory.resolve(place)): Unit
  }
}
