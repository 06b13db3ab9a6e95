// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.{CommitLog, LogRecord, RecordKind}

/** A batch job that overwrites a path, and a query that merges the small files of its sink there. */
class OverwriteSuite extends AnyFunSuite {

  test("an overwrite is refused beside a query that merges, and leaves nothing that others would wait for") {
    val (place, query) = (new CompactionCommitSuite.Place, new DriverWorld(Rolls.never))
    val claim          = query.driver().begin(0, slots = 1)
    says(query, _.copy(state = query.newest.state.copy(settings = Overwrite.noted)))
    assert(claim.seq === 0 && condition(place, query) === "STOPLOG_PATH_NOT_WRITABLE")
    place.refuseUnderWay("batch-1")
    assert(underWay(place).isEmpty)
  }

  test("an overwrite goes on beside a query that merges nothing, and behind one that has ended") {
    val (place, query) = (new CompactionCommitSuite.Place, new DriverWorld(Rolls.never))
    query.driver().begin(0, slots = 1)
    place.overwriting("batch-1", sinks(query)).begin()
    says(
      query,
      _.copy(kind = RecordKind.Release, state = query.newest.state.copy(settings = Overwrite.noted))
    )
    place.overwriting("batch-2", sinks(query)).begin()
  }

  test("a query that starts behind an overwrite sees it, until the overwrite is carried out") {
    val place = new CompactionCommitSuite.Place
    place.overwriting("batch-1").begin()
    assert(underWay(place).contains("batch-1"))
    place.overwrite("batch-1", "new")
    assert(underWay(place).isEmpty)
  }

  private def condition(place: CompactionCommitSuite.Place, query: DriverWorld): String =
    Samples.condition(place.overwriting("batch-1", sinks(query)).begin())

  private def underWay(place: CompactionCommitSuite.Place): Option[String] =
    Overwrite.underWay(Map("batch-1" -> place.jobLog("batch-1")), place.notes)

  private def sinks(query: DriverWorld): Map[String, CommitLog] = Map("main" -> query.log)

  private def says(query: DriverWorld, record: LogRecord => LogRecord): Unit = {
    val newest = query.newest
    query.log.append(record(newest).copy(seq = newest.seq + 1))
    ()
  }
}
