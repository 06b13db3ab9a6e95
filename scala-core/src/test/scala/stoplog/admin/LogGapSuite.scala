// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.AdminWorld.within
import stoplog.commit.{Finish, Rolls}
import stoplog.error.StoplogException

/** Tools on a log that lacks records: a part of the log is in another place, such as an unmounted disk. */
class LogGapSuite extends AnyFunSuite {
  private val tools = Seq[(String, SinkAdmin => AdminPlan)](
    "finalize" -> (_.finalizeOpenParts()),
    "adopt"    -> (_.adopt(NewOwner("other", 9))),
    "rewind"   -> (_.rewind(1)),
    "relocate" -> (_.relocate()),
    "clean"    -> (_.clean())
  )

  for ((name, plan) <- tools)
    test(s"$name refuses a log that lacks a record") {
      withGap { world =>
        val error = intercept[StoplogException](plan(world.tools()))
        assert(error.getCondition === "STOPLOG_LOG_GAP")
      }
    }

  test("a reset continues after the gap") {
    withGap { world =>
      world.tools().reset(OpenRows.Finish).carryOut(WhenAlive.Fence)
      assert(world.tools().relocate().actions.nonEmpty)
    }
  }

  private def withGap(body: AdminWorld => Unit): Unit = within(Rolls.atRecords(1)) { world =>
    val driver = world.driver()
    (0L to 3L).foreach(world.epoch(driver, _, "ant"))
    driver.end(Finish.KeepOpen)
    val log    = world.directory.resolve("_stoplog/main/log")
    val middle = log.toFile.list().toSeq.filter(_.startsWith(f"${2}%020d"))
    assert(middle.nonEmpty)
    middle.foreach(file => Files.delete(log.resolve(file)))
    body(world)
  }
}
