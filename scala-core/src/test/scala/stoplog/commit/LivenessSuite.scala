// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Liveness._
import stoplog.log.{LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.RunId
import stoplog.storage.FileInfo

class LivenessSuite extends AnyFunSuite {
  private val driver = DriverNote("host", "boot/pid:[1]", 42, 7, everyMillis = 10000)

  private def record(kind: RecordKind, note: Option[DriverNote] = Some(driver)): Option[LogRecord] = {
    val settings = note.map(DriverNote.Key -> _.text).toMap
    Some(
      LogRecord(
        3,
        kind,
        Samples.mine,
        writtenAtMillis = 1000,
        Vector.empty,
        SinkState(QueryEpoch("query", None), Vector.empty, nextPart = 0, settings)
      )
    )
  }

  private def madeAt(run: RunId, millis: Long): FileInfo =
    FileInfo(s"_stoplog/main/alive/${run.value}-8", FileInfo.File(0), Some(millis))

  private def judged(
      record: Option[LogRecord],
      nowMillis: Long,
      beats: Vector[FileInfo] = Vector.empty,
      there: Option[Boolean] = None
  ): Liveness = Liveness.of(record, beats, nowMillis)(_ => there)

  test("a driver note is read as written, and malformed notes are ignored") {
    assert(DriverNote.read(driver.text) === Some(driver))
    assert(DriverNote.read("host 1 2") === None)
    assert(DriverNote.read("host boot one 2 3") === None)
    assert(DriverNote.ofThisProcess(5).isThere === Some(true))
    assert(driver.isThere === None)
  }

  test("no driver is alive after a clean end or without a log") {
    assert(judged(None, 0) === Released)
    assert(judged(record(RecordKind.Release), 1001, there = Some(true)) === Released)
  }

  test("a driver is silent after three intervals without a record or heartbeat of its own") {
    val beat = madeAt(Samples.mine, 50000)
    assert(judged(record(RecordKind.Roll), 31000).isInstanceOf[Alive])
    assert(judged(record(RecordKind.Roll), 31001).isInstanceOf[Silent])
    assert(judged(record(RecordKind.Roll), 31001, Vector(beat)).isInstanceOf[Alive])
    assert(judged(record(RecordKind.Roll), 80001, Vector(beat)).isInstanceOf[Silent])
    val others = Vector(madeAt(Samples.other, 31000))
    assert(judged(record(RecordKind.Roll), 31001, others).isInstanceOf[Silent])
  }

  test("a record from the future counts as alive") {
    assert(judged(record(RecordKind.Claim), -100000).isInstanceOf[Alive])
  }

  test("an ended process is dead at once, and an existing process is alive despite silence") {
    assert(judged(record(RecordKind.Claim), 1001, there = Some(false)).isInstanceOf[Dead])
    val alive = judged(record(RecordKind.Claim), 31001, there = Some(true))
    assert(alive === Alive(Samples.mine.value, 30001, ProcessIsThere(driver, 30000)))
    assert(Seq("42 on host, exists", "30 s old", "STOPLOG_STORAGE_HANGS").forall(alive.describe.contains))
  }

  test("reads a process start in ticks since boot, independent of clock changes") {
    val before                             = (4 to 21).mkString(" ")
    def ticks(state: String): Option[Long] =
      DriverNote.startedTicks(s"17 (odd) name) $state $before 12345 99\n".getBytes("ISO-8859-1"))
    assert(ticks("S") === Some(12345L) && ticks("R") === Some(12345L))
    assert(ticks("Z") === None && ticks("X") === None)
    assert(DriverNote.startedTicks(Array.emptyByteArray) === None)
  }

  test("a process is not dead if the system hides processes") {
    val proc = Files.createTempDirectory("stoplog-proc")
    assert(DriverNote.startedIn(proc, 17) === None, "not even the first process is visible")
    Files.createDirectories(proc.resolve("1/stat").getParent)
    Files.createFile(proc.resolve("1/stat"))
    assert(DriverNote.startedIn(proc, 17) === Some(None))
    Files.createDirectories(proc.resolve("17/stat")) // unreadable
    assert(DriverNote.startedIn(proc, 17) === None)
  }

  test("a log without the note of its driver uses the default interval") {
    assert(judged(record(RecordKind.Claim, None), 181000, there = Some(false)).isInstanceOf[Alive])
    assert(judged(record(RecordKind.Claim, None), 181001).isInstanceOf[Silent])
  }

  test("an interval below a second counts as a second") {
    val hasty = record(RecordKind.Roll, Some(driver.copy(everyMillis = 1)))
    assert(judged(hasty, 4000).isInstanceOf[Alive])
    assert(judged(hasty, 4001).isInstanceOf[Silent])
  }

  test("descriptions give durations in seconds") {
    assert(judged(record(RecordKind.Roll), 31001).describe.contains("for 30 s"))
    val alive = judged(record(RecordKind.Roll), 3500).describe
    assert(Seq("process 42 on host", "2 s old", "after 30 s").forall(alive.contains))
    assert(judged(record(RecordKind.Claim), -100000).describe.contains(" 0 s old"))
    assert(
      judged(record(RecordKind.Claim), 1001, there = Some(false)).describe
        .contains("process 42 on host no longer exists")
    )
  }

  test("a process is identified by its number and start time, only on its own machine") {
    val here = DriverNote.ofThisProcess(5)
    assert(here.copy(startedTicks = here.startedTicks + 1).isThere === Some(false))
    assert(here.copy(pid = Long.MaxValue).isThere === Some(false))
    assert(here.copy(host = here.host + "x").isThere === None)
    assert(here.copy(space = here.space + "x").isThere === None)
    assert(DriverNote.Key === "driver", "which tools read")
    assert(
      here.host.nonEmpty && here.space.nonEmpty && here.pid == ProcessHandle
        .current()
        .pid() && here.everyMillis == 5
    )
  }
}
