// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.log._
import stoplog.part.{FinishedPart, Open, Pending}
import stoplog.rolling.RollReason.{Age, Size}

class SinkStatsSuite extends AnyFunSuite {
  private val parts = Vector(
    Samples.withRows(done("1", sizeBytes = 10))(_.copy(count = 3)),
    Samples.withRows(done("2", sizeBytes = 20))(_.copy(count = 4)).copy(reason = Age)
  )

  private def record(
      publish: Vector[Pending],
      replace: Vector[FinishedPart] = Vector.empty,
      open: Vector[Open] = Vector.empty,
      markers: Int = 0
  ): LogRecord = {
    val marker = Marker("b", 1, MarkerForm.Json, "main", "idle", 0, None, Totals.nothing)
    LogRecord(
      7,
      RecordKind.Epoch(5),
      mine,
      0,
      publish,
      SinkState(QueryEpoch("query-1", Some(5)), open, 0, Map.empty),
      FollowUp(None, Vector.fill(markers)(marker)),
      replace
    )
  }

  test("a record is counted when written, and its parts once visible") {
    val rest     = Vector(open("3"))
    val written  = record(parts, open = rest, markers = 2)
    val recorded = SinkStats.empty.recorded(written, tookMillis = 11, epochs = 1)
    assert(recorded.open === rest)
    assert((recorded.pendingParts, recorded.published.files, recorded.counts.epochs) === ((2, 0L, 1L)))
    assert(
      (
        recorded.counts.markedBuckets,
        recorded.lastRecord.recordMillis,
        recorded.lastRecord.publishMillis
      ) === ((2L, 11L, 0L))
    )
    assert(recorded.rolled === Map(Size -> 1L, Age -> 1L))
    val published = recorded.published(written, tookMillis = 13)
    assert((published.pendingParts, published.published.files) === ((0, 2L)))
    assert((published.published.bytes, published.published.rows) === ((30L, 7L)))
    assert((published.lastRecord.recordMillis, published.lastRecord.publishMillis) === ((11L, 13L)))
    assert(published.compacted === SinkStats.Compacted(0, 0, 0), "nothing was merged")
  }

  test("counts accumulate across records, and only epochs count as epochs") {
    val written = record(parts, markers = 1)
    val twice   = (1 to 2).foldLeft(SinkStats.empty) { (stats, _) =>
      stats.recorded(written, tookMillis = 1, epochs = 1).published(written, tookMillis = 1)
    }
    val after = twice.recorded(record(Vector.empty), tookMillis = 5, epochs = 0)
    assert((after.counts.epochs, after.counts.markedBuckets, after.pendingParts) === ((2L, 2L, 0)))
    assert((after.published.files, after.published.bytes, after.published.rows) === ((4L, 60L, 14L)))
    assert(after.rolled === Map(Size -> 2L, Age -> 2L))
    assert(after.lastRecord.recordMillis === 5)
  }

  test("a compaction is counted separately, and its rows are not counted again") {
    val inputs = Vector(FinishedPart("b", "1", 10, 3, 0), FinishedPart("b", "2", 20, 4, 0))
    val merge  = record(Vector(done("m", sizeBytes = 30)), inputs)
    val stats  = (1 to 2).foldLeft(SinkStats.empty) { (stats, _) =>
      stats.recorded(merge, tookMillis = 1, epochs = 0).published(merge, tookMillis = 1)
    }
    assert(stats.compacted === SinkStats.Compacted(compactions = 2, parts = 4, bytes = 60))
    assert((stats.published.files, stats.published.bytes, stats.published.rows) === ((0L, 0L, 0L)))
    assert(stats.rolled.isEmpty)
  }

  test("a compaction that was called off, lost parts and parts without bytes are not counted as published") {
    val inputs    = Vector(FinishedPart("b", "1", 10, 3, 0), FinishedPart("b", "2", 20, 4, 0))
    val calledOff = record(Vector(done("m", sizeBytes = 30)), inputs).as(RecordOutcome.CalledOff)
    val none      = SinkStats.empty.recorded(calledOff, tookMillis = 1, epochs = 0).published(calledOff, 1)
    assert(none.compacted === SinkStats.Compacted(0, 0, 0))
    val lost = record(parts :+ done("3", sizeBytes = 0)).as(RecordOutcome.Skipped(Set("b/1")))
    assert(SinkStats.empty.published(lost, 1).published === Totals(1, 4, 20))
  }

  test("the start and the end of a run are in the metrics") {
    val stats   = SinkStats.empty.claimed(Vector(open("3")), tookMillis = 17).fenced
    val metrics = stats.metrics.toMap
    assert((metrics("openParts"), metrics("recoveryMillis"), metrics("fencedRuns")) === ((1L, 17L, 1L)))
  }

  test("rejected rows and late buckets accumulate") {
    val stats = SinkStats.empty.rejected(3).rejected(4).late(1).late(2)
    assert((stats.counts.rejectedRows, stats.counts.lateBuckets) === ((7L, 3L)))
  }
}
