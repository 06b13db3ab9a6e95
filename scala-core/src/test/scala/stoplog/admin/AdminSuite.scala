// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.nio.file.{Files, StandardOpenOption}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.AdminAction._
import stoplog.admin.AdminWorld.within
import stoplog.commit.Samples.condition
import stoplog.commit.{BatchDigests, DriverNote, Finish, Heartbeat, Rolls}
import stoplog.error.StoplogException
import stoplog.log.{BatchDigest, LogRecord, RecordCodec, RecordKind, RecordNames, SinkState}
import stoplog.part.{Closed, PartRows, Pending, RunId}
import stoplog.rolling.RollReason
import stoplog.storage.{SinkDirectory, ValidLengthNames}

class AdminSuite extends AnyFunSuite {

  test("finalize changes nothing until executed, then publishes all rows, and the query resumes") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant", "bee")
      val before = world.newest
      val plan   = world.tools().finalizeOpenParts()
      assert(plan.actions.map(_.word) === Vector("finish", "finish"))
      assert(plan.actions.map(_.rows).toSet === Set(Some(1L)))
      assert(world.newest === before)
      assert(world.rows.isEmpty)
      plan.carryOut(WhenAlive.Fence)
      assert(world.rows === Vector("ant", "bee"))
      assert(world.newest.kind === RecordKind.Release)
      assert(world.tools().finalizeOpenParts().actions.isEmpty)
      val next = world.driver()
      world.epoch(next, 1, "cat")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee", "cat"))
    }
  }

  test("finalize publishes the files of the query in place if its writers are gone, and copies otherwise") {
    for (isAlive <- Seq(false, true)) within() { world =>
      val run = RunId.random()
      world.epoch(world.driver(run = run), 0, "ant")
      val before = world.unfinished
      val lease  = Option.when(isAlive)(world.enter(run))
      world.tools().finalizeOpenParts().carryOut(WhenAlive.Fence)
      lease.foreach(_.close())
      assert(world.rows === Vector("ant"))
      assert((world.finished == before) === !isAlive)
    }
  }

  test("a command rejects a sink with a live driver, until its records are old") {
    within() { world =>
      val note   = DriverNote("elsewhere", "", 1, 2, everyMillis = 1000).text
      val driver = world.driver(noted = Map(DriverNote.Key -> note))
      world.epoch(driver, 0, "ant")
      val early = world.tools().finalizeOpenParts()
      assert(condition(early.carryOut()) === "STOPLOG_DRIVER_ALIVE")
      assert(world.rows.isEmpty)
      assert(world.notes.list(Heartbeat.directory("main"), "").isEmpty)
      world.ageRecords(byMillis = 4000)
      world.tools().finalizeOpenParts().carryOut()
      assert(world.rows === Vector("ant"))
    }
  }

  test("heartbeats keep a driver without new records alive") {
    within() { world =>
      val note   = DriverNote("elsewhere", "", 1, 2, everyMillis = 60000).text
      val run    = RunId.random()
      val driver = world.driver(noted = Map(DriverNote.Key -> note), run = run)
      world.epoch(driver, 0, "ant")
      world.epoch(driver, 1, "bee")
      world.ageRecords(byMillis = 4 * 60000)
      val beats = new Heartbeat(world.notes, "main", run)
      beats.beat()
      beats.beat()
      assert(world.notes.list(Heartbeat.directory("main"), "").size === 1, "each takes the place of the last")
      assert(condition(world.tools().finalizeOpenParts().carryOut()) === "STOPLOG_DRIVER_ALIVE")
      beats.stop()
      world.tools().finalizeOpenParts().carryOut()
      assert(world.rows === Vector("ant", "bee"))
    }
  }

  test("a driver is dead at once if its process on this machine has ended") {
    within() { world =>
      val gone = DriverNote.ofThisProcess(60000).copy(startedTicks = 1)
      world.epoch(world.driver(noted = Map(DriverNote.Key -> gone.text)), 0, "ant")
      world.tools().finalizeOpenParts().carryOut()
      assert(world.rows === Vector("ant"))
    }
  }

  test("a plan is fenced if the driver has written since") {
    within() { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      val plan = world.tools().finalizeOpenParts()
      world.epoch(driver, 1, "bee")
      assert(condition(plan.carryOut(WhenAlive.Fence)) === "STOPLOG_FENCED")
      world.epoch(driver, 2, "cat")
      driver.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee", "cat"))
    }
  }

  test("clean deletes orphans and reports each kept file with its rule") {
    within() { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant")
      driver.end(Finish.KeepOpen)
      val old   = world.orphan("dead", ageMinutes = 12)
      val young = world.orphan("maybe", ageMinutes = 2)
      val plan  = world.tools().clean()
      assert(plan.actions.collect { case Remove(subject, _) =>
        subject
      } === Vector("_stoplog/main/open/x/dead"))
      val spared = plan.actions.collect { case Keep(subject, reason) => reason.takeWhile(_ != ':') }
      assert(spared.size === 2)
      assert(spared.count(_.contains("needs the file")) === 1)
      assert(Files.exists(old))
      plan.carryOut()
      assert(!Files.exists(old))
      assert(Files.exists(young))
      val next = world.driver()
      world.epoch(next, 1, "bee")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee"))
    }
  }

  test("after adopt, the new query resumes, and the former query is rejected") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      world.tools().adopt(NewOwner("other", nextBatch = 7)).carryOut(WhenAlive.Fence)
      assert(condition(world.driver().begin(1, 1)) === "STOPLOG_FOREIGN_QUERY")
      val next = world.driver(queryId = "other")
      world.epoch(next, 7, "bee")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee"))
    }
  }

  test("a query that adopts its own sink repeats no epoch and resumes after the log") {
    for {
      planned <- Seq(None, Some(BatchDigest("to offset 10")))
      batch   <- Seq(1L, 2L)
    } within() { world =>
      val killed = world.driver()
      world.epoch(killed, 0, "ant")
      world.epoch(killed, 1, "bee")
      world.tools().adopt(NewOwner("query", batch, planned)).carryOut(WhenAlive.Fence)
      val next = world.driver()
      if (batch == 1) assert(next.begin(1, slots = 1).isCommitted(1))
      world.epoch(next, 2, "cat")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee", "cat"))
    }
  }

  test("a query skips a replanned batch only after an adopt of its checkpoint") {
    def upTo(offset: Int): BatchDigests = _ => Some(BatchDigest(s"to offset $offset"))
    within() { world =>
      val killed = world.driver()
      world.epoch(killed, 0, "ant")
      killed.begin(1, slots = 1, upTo(10))
      killed.commit(1, Nil)
      assert(condition(world.driver().begin(2, 1, upTo(20))) === "STOPLOG_EPOCH_REPLANNED")
      val planned = Some(BatchDigest("to offset 20"))
      for (owner <- Seq(NewOwner("query", 2, planned, planned), NewOwner("query", 1, planned)))
        assert(condition(world.tools().adopt(owner)).startsWith("STOPLOG_EPOCH_"))
      world.tools().adopt(NewOwner("query", 2)).carryOut(WhenAlive.Fence)
      assert(condition(world.driver().begin(2, 1, upTo(20))) === "STOPLOG_EPOCH_REPLANNED")
      world.tools().adoptAndRepeat(NewOwner("query", 2)).carryOut(WhenAlive.Fence)
      assert(!world.driver().begin(2, 1, upTo(20)).isCommitted(2))
    }
  }

  test("adopt rejects a query that would repeat rows, unless the operator requests adoptAndRepeat") {
    within() { world =>
      val killed = world.driver()
      for ((word, batch) <- Seq("ant", "bee", "cat", "dog").zipWithIndex)
        world.epoch(killed, batch.toLong, word)
      val before = world.newest
      for (
        (owner, condition, figure) <- Seq(
          (NewOwner("query", 1), "STOPLOG_EPOCH_AHEAD", "epochs 1 to 3, at least 3 rows"),
          (NewOwner("other", 0), "STOPLOG_FOREIGN_QUERY", "epochs 0 to 3, at least 4 rows"),
          (NewOwner("other", 3), "STOPLOG_FOREIGN_QUERY", "epochs 0 to 3, at least 4 rows")
        )
      ) {
        val refused = intercept[StoplogException](world.tools().adopt(owner))
        assert(refused.getCondition === condition)
        assert(refused.getMessage.contains(figure))
        val plan = world.tools().adoptAndRepeat(owner)
        assert(plan.command === "adoptAndRepeat")
        assert(plan.actions.map(_.word) === Vector("repeat", "hand"))
        assert(plan.actions.head.reason.contains(figure))
      }
      assert(world.newest === before)
      world.tools().adoptAndRepeat(NewOwner("query", 1)).carryOut(WhenAlive.Fence)
      val next = world.driver()
      world.epoch(next, 1, "bee")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee", "bee", "cat", "dog"))
    }
  }

  test("adopt reports no row count for a query that repeats no rows") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      for (owner <- Seq(NewOwner("other", 1), NewOwner("query", 0), NewOwner("query", 5)))
        for (plan <- Seq(world.tools().adopt(owner), world.tools().adoptAndRepeat(owner)))
          assert(plan.actions.map(_.word) === Vector("hand"))
      world.tools().adopt(NewOwner("query", 5)).carryOut(WhenAlive.Fence)
      world.epoch(world.driver(), 5, "bee")
    }
  }

  test("the plan of a reset includes the number of kept rows") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant", "bee")
      val advice =
        world.tools().reset(OpenRows.Finish).actions.collect { case advise: Advise => advise.reason }
      assert(advice.exists(_.contains("epoch 0, at least 2 rows")))
    }
  }

  test("a query that adopts its former sink again repeats none of its decided epochs") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      world.tools().adopt(NewOwner("other", nextBatch = 7)).carryOut(WhenAlive.Fence)
      world.epoch(world.driver(queryId = "other"), 7, "bee")
      world.tools().adopt(NewOwner("query", nextBatch = 0)).carryOut(WhenAlive.Fence)
      val back = world.driver()
      assert(back.begin(0, slots = 1).isCommitted(0))
      back.commit(0, Nil)
      back.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee"))
    }
  }

  test("adopt and rewind reject empty query ids and negative batches") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      for (nobody <- Seq(NewOwner("", 7), NewOwner(" ", 7), NewOwner("other", -3)))
        assert(condition(world.tools().adopt(nobody)) === "STOPLOG_INVALID_OPTIONS")
      assert(condition(world.tools().rewind(-7)) === "STOPLOG_NOT_REWINDABLE")
    }
  }

  test("reads the owner and the next batch from a checkpoint") {
    val checkpoint = Files.createTempDirectory("stoplog-checkpoint")
    assert(condition(NewOwner.ofCheckpoint(checkpoint.toString)) === "STOPLOG_CHECKPOINT_UNREADABLE")
    Files.writeString(checkpoint.resolve("metadata"), """{"id":"query-9"}""")
    assert(NewOwner.ofCheckpoint(checkpoint.toString) === NewOwner("query-9", 0))
    Files.createDirectories(checkpoint.resolve("commits"))
    Seq("3", "12").foreach(batch => Files.writeString(checkpoint.resolve(s"commits/$batch"), "v1"))
    assert(NewOwner.ofCheckpoint(checkpoint.toString) === NewOwner("query-9", 13))
  }

  test("fork proposes an unused sink id") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      Files.createDirectories(world.directory.resolve("_stoplog/main-2/log"))
      assert(world.tools().fork().actions.map(_.subject) === Vector("sinkId=main-3"))
    }
  }

  test("a reset publishes open rows, and any query resumes the log") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      world.tools().reset(OpenRows.Finish).carryOut(WhenAlive.Fence)
      assert(world.rows === Vector("ant"))
      assert(world.newest.state.queryId === SinkState.NextQuery)
      assert(keptRecords(world) === 2)
      val next = world.driver(queryId = "other")
      world.epoch(next, 41, "bee")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("ant", "bee"))
    }
  }

  test("a reset moves open rows out of the path without loss") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant", "bee")
      world.tools().reset(OpenRows.MoveAside).carryOut(WhenAlive.Fence)
      assert(world.rows.isEmpty)
      assert(world.rowsUnder("_stoplog/main/aside") === Vector("ant", "bee"))
      val next = world.driver(queryId = "other")
      world.epoch(next, 0, "cat")
      next.end(Finish.PublishOpen)
      assert(world.rows === Vector("cat"))
    }
  }

  for ((open, rows) <- Seq(OpenRows.Finish -> 2, OpenRows.MoveAside -> 1))
    test(s"a reset names the buckets that lose their marker, with the number of rows: $open") {
      within(Rolls.atRecords(1)) { world =>
        val driver = world.driver(followUps = world.marking(world.clock.millis() + 1))
        world.epoch(driver, 0, "ant", "ape")
        driver.end(Finish.KeepOpen)
        val advice = world.tools().reset(open).actions.collect { case Advise("a", reason) =>
          reason.takeWhile(_ != ':')
        }
        assert(advice === Vector(s"no marker counts $rows of its rows"))
      }
    }

  test("relocate reports missing and truncated parts of a moved directory") {
    within() { world =>
      val driver = world.driver()
      world.epoch(driver, 0, "ant", "bee")
      driver.end(Finish.KeepOpen)
      assert(world.tools().relocate().actions.map(_.word) === Vector("whole", "whole", "advise"))
      val part = world.newest.state.open.find(_.bucket == "b").get
      Files.writeString(world.directory.resolve(part.handle.token), "")
      assert(world.tools().relocate().actions.map(_.word).sorted === Vector("advise", "broken", "whole"))
      Files.delete(world.directory.resolve(part.handle.token))
      assert(world.tools().relocate().actions.map(_.word).sorted === Vector("advise", "broken", "whole"))
    }
  }

  test("relocate reports a missing finished part as possibly not copied") {
    within(Rolls.atRecords(1)) { world =>
      world.epoch(world.driver(), 0, "ant", "ape")
      assert(world.tools().relocate().actions.map(_.word) === Vector("whole", "whole", "advise"))
      world.visible.foreach(file => Files.delete(world.directory.resolve(file)))
      val actions = world.tools().relocate().actions
      assert(actions.map(_.word) === Vector("whole", "missing", "advise"))
      assert(actions.last.reason.startsWith("copy the missing files that still exist"))
    }
  }

  test("relocate accepts a longer part with a valid-length file") {
    within(Rolls.atRecords(1)) { world =>
      world.epoch(world.driver(), 0, "ant", "ape")
      val part = world.newest.publish.head
      val file = world.directory.resolve(part.finishedPath)
      Files.writeString(file, "junk", StandardOpenOption.APPEND)
      assert(world.tools().relocate().actions.map(_.word).contains("broken"))
      Files.write(
        file.resolveSibling(s"_${file.getFileName}.valid-length"),
        ValidLengthNames.encoded(part.sizeBytes)
      )
      assert(world.tools().relocate().actions.map(_.word) === Vector("whole", "whole", "advise"))
    }
  }

  test("relocate expects no file of a part that was lost and skipped") {
    within(Rolls.atRecords(1)) { world =>
      world.epoch(world.driver(), 0, "ant", "ape")
      val lost = world.newest.publish.head.finishedPath
      Files.delete(world.directory.resolve(lost))
      assert(world.tools().relocate().actions.map(_.word).contains("missing"))
      world.log.noteSkipped(world.newest, Set(lost))
      assert(world.tools().relocate().actions.map(_.word) === Vector("whole", "advise"))
    }
  }

  test("an unknown sink is rejected and not created") {
    within() { world =>
      assert(condition(world.tools().finalizeOpenParts()) === "STOPLOG_SINK_UNKNOWN")
      assert(condition(world.tools().relocate()) === "STOPLOG_SINK_UNKNOWN")
    }
  }

  test("records with paths outside the sink are rejected, and logs of other kinds as well") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      val newest = world.newest
      val part   = Pending("", "../ant", Closed("../ant"), 1, PartRows(1, 0, 0), RollReason.Size)
      val forged = newest.copy(seq = newest.seq + 1, publish = Vector(part))
      put(world, forged)
      assert(condition(world.tools().finalizeOpenParts()) === "STOPLOG_PATH_ELSEWHERE")
      assert(condition(world.driver().begin(1, 1)) === "STOPLOG_PATH_ELSEWHERE")
      val theirs = forged.state.copy(open = Vector.empty, settings = Map("content" -> ""))
      put(world, forged.copy(seq = forged.seq + 1, state = theirs))
      assert(condition(world.tools().finalizeOpenParts()) === "STOPLOG_INVALID_OPTIONS")
    }
  }

  private def put(world: AdminWorld, record: LogRecord): Unit = {
    val path = s"${SinkDirectory("main").log}/${RecordNames.name(record.seq)}"
    world.notes.putIfAbsent(path, RecordCodec.encode(record))
    ()
  }

  private def keptRecords(world: AdminWorld): Int =
    stoplog.storage.local.LocalUnderTest
      .files(world.directory.resolve("_stoplog/main/aside"))
      .count(_.toString.contains("/log/"))
}
