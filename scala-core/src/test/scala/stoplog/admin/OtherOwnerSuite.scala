// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.nio.file.{Files, Path}

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{Finish, Rolls}
import stoplog.error.StoplogException

/** Commands of another user than the query's, such as `sudo stoplog finalize`. */
class OtherOwnerSuite extends AnyFunSuite {

  test("a command of a user other than the log's owner is rejected and changes nothing") {
    val world = new AdminWorld(Rolls.never, scheme = None)
    val query = world.driver()
    world.epoch(query, 0, "apple")
    query.end(Finish.KeepOpen)
    val before = world.newest
    val log    = world.directory.resolve("_stoplog/main/log")
    assume(
      Try(Files.setAttribute(log, "unix:uid", Integer.valueOf(Other))).isSuccess,
      "only root may do that"
    )
    val refused = intercept[StoplogException](world.tools().finalizeOpenParts().carryOut(WhenAlive.Refuse))
    assert(refused.getCondition === "STOPLOG_OTHER_OWNER")
    assert(refused.getMessage.contains(s"$Other") && world.newest === before)
    give(log, Files.getAttribute(world.directory, "unix:uid"))
    world.tools().finalizeOpenParts().carryOut(WhenAlive.Refuse)
    assert(world.newest.state.open.isEmpty)
  }

  private def give(path: Path, owner: Any): Unit = {
    Files.setAttribute(path, "unix:uid", owner)
    ()
  }

  private val Other = 54321
}
