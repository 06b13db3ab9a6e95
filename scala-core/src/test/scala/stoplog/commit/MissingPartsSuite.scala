// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.log.{CommitLog, MemoryRecords, QueryEpoch, SinkState}
import stoplog.part.{Open, SpoolFile, Spooled}
import stoplog.storage.NewPart
import stoplog.thread.Clock

class MissingPartsSuite extends AnyFunSuite {
  private val parts      = new MemoryParts
  private val spoolFiles = new MemorySpoolFiles

  private def part(name: String, beside: SpoolFile*): Open = {
    val token = parts.create(NewPart("b", name, mine)).persist().token
    open(name, token = token).copy(spooled = Spooled("", beside.toVector, storageBytes = 9))
  }

  private def side(name: String): SpoolFile =
    SpoolFile(spoolFiles.write(NewPart("b", name, mine))(_.write(1)), sizeBytes = 1, level = 0)

  private def left(onLost: LostPart, open: Open*): Vector[String] = {
    val state  = SinkState(QueryEpoch("query-1", Some(1)), open.toVector, 0, Map.empty)
    val tools  = DriverTools.of(Clock.system, Faults.none)
    val stored = new OpenParts.Stored(
      mine,
      SinkStores.of(new CommitLog(new MemoryRecords), parts, spoolFiles),
      () => Lines,
      onLost,
      _ => (),
      tools
    )
    stored.withoutLost(state).open.map(_.name)
  }

  test("a part is skipped on request if its file or a spool file is missing") {
    val whole    = part("whole", side("1"), side("2"))
    val halfGone = part("half", side("3"), side("4").copy(token = "gone"))
    val gone     = open("gone", token = "gone")
    assert(left(LostPart.Skip, whole, halfGone, gone, part("bare")) === Vector("whole", "bare"))
  }

  test("a part with a short file or a short spool file stays until that file is moved away") {
    val short     = part("short").copy(validBytes = 9) // its file is empty
    val spoolFile = side("5").copy(sizeBytes = 2)
    val shortSide = part("side", spoolFile)
    assert(left(LostPart.Skip, short, shortSide) === Vector("short", "side"))
    assert(condition(parts.resume(short.handle, short.validBytes)) === "STOPLOG_PART_SHORT")
    parts.lose(short.handle.token)
    assert(left(LostPart.Skip, short, shortSide) === Vector("side"))
    spoolFiles.discard(Seq(spoolFile.token))
    assert(left(LostPart.Skip, short, shortSide) === Vector.empty)
  }

  test("a part is skipped on request if its bytes are lost, although its files are there (P-145)") {
    val lost = part("lost")
    parts.lost = Set(lost.handle.token)
    assert(left(LostPart.Skip, part("whole"), lost) === Vector("whole"))
    assert(left(LostPart.Fail, lost) === Vector("lost"))
  }

  test("a missing part otherwise stays in the state, so that its task fails") {
    assert(left(LostPart.Fail, open("gone", token = "gone")) === Vector("gone"))
  }
}
