// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{AnnouncedFile, Announcement, Change, LogId, TimeRange}
import stoplog.log._
import stoplog.part.{FinishedPart, Pending, TimeRange => PartTimes}
import stoplog.rolling.RollReason
import stoplog.storage.VisibleFile

class AnnouncementsSuite extends AnyFunSuite {
  import Samples.{done, mine}

  private val log    = LogId("main", "7e57")
  private val origin = Announcements.Origin("/data/out", "main", log)

  private def decision(
      publish: Vector[Pending],
      replace: Vector[FinishedPart] = Vector.empty,
      follow: FollowUp = FollowUp.nothing,
      kind: RecordKind = RecordKind.Epoch(4)
  ): Decision = Decision(7, kind, mine, 1000, publish, follow, replace)

  private def announced(
      decision: Decision,
      outcome: RecordOutcome = RecordOutcome.Done,
      from: Announcements.Origin = origin
  ): Vector[Announcement] = Announcements.of(decision, outcome, from)

  private def finished(path: String): FinishedPart = {
    val at = path.lastIndexOf('/')
    FinishedPart(path.take(at), path.drop(at + 1), 4, 1, 0)
  }

  private def marker(bucket: String): Marker =
    Marker(bucket, 2, MarkerForm.Json, "main", "idle", 1000, None, Totals.nothing)

  test("an epoch announces each bucket in sorted order, and then the complete buckets") {
    val found = announced(
      decision(
        Vector(done("p1", "b"), done("p2", "a"), done("p3", "b"), done("empty", "c", sizeBytes = 0)),
        follow = FollowUp(None, Vector(marker("a")))
      )
    )
    assert(
      found.map(_.change) === Vector(
        Change.Added("a", Vector(AnnouncedFile("a/p2", Some(1), 4))),
        Change.Added("b", Vector(AnnouncedFile("b/p1", Some(1), 4), AnnouncedFile("b/p3", Some(1), 4))),
        Change.PartitionComplete("a", 2)
      )
    )
    assert(found.map(_.id.toString) === Vector("main/7e57/7/0", "main/7e57/7/1", "main/7e57/7/2"))
    assert(found.map(_.epoch).distinct === Vector(Some(4L)))
    assert(
      found.map(one => (one.path, one.sinkId, one.decidedAtMillis)).distinct ===
        Vector(("/data/out", "main", 1000L))
    )
  }

  test("a replacement announces replaced and removed files per bucket") {
    val compacted = done("new", "a").copy(reason = RollReason.Custom(LogRecord.CompactionReason))
    val replaced  = decision(
      Vector(compacted),
      Vector(finished("a/old"), finished("a/_SUCCESS"), finished("b/old")),
      kind = RecordKind.Compact
    )
    assert(
      announced(replaced).map(_.change) === Vector(
        Change.Replaced("a", Vector(AnnouncedFile("a/new", Some(1), 4)), Vector("a/old")),
        Change.Removed("b", Vector("b/old"))
      )
    )
    assert(announced(replaced).map(_.epoch).distinct === Vector(None))
  }

  test("a rewind announces removed files, and then the files with the first rows") {
    val rewound = decision(
      Vector(done("first", "a").copy(reason = RollReason.Custom("rewind"))),
      Vector(finished("a/old"), finished("b/old")),
      kind = RecordKind.Compact
    )
    assert(
      announced(rewound).map(one => one.id.number -> one.change) === Vector(
        0 -> Change.Removed("a", Vector("a/old")),
        1 -> Change.Added("a", Vector(AnnouncedFile("a/first", Some(1), 4))),
        2 -> Change.Removed("b", Vector("b/old"))
      )
    )
  }

  test("a record that was called off announces nothing, and lost parts are omitted") {
    val some = decision(Vector(done("p1", "a"), done("p2", "b")))
    assert(announced(some, RecordOutcome.CalledOff).isEmpty)
    assert(announced(some, RecordOutcome.Skipped(Set("a/p1"))).map(_.change.bucket) === Vector(Some("b")))
  }

  test("rejected rows and other hidden files are not announced") {
    val hidden = decision(
      Vector(done("p1", "_rejected/a"), done("p2", "_a=1")),
      follow = FollowUp(None, Vector(marker("_rejected/a")))
    )
    assert(announced(hidden).map(_.change.bucket) === Vector(Some("_a=1")))
  }

  test("times are those of the manifest's column") {
    val part     = Samples.withRows(done("p1", "a"))(_.copy(times = Some(PartTimes(0, 1500000))))
    val manifest = Manifest("m", Some(TimeColumn("at", TimeKind.Instant)))
    val found    = announced(decision(Vector(part), follow = FollowUp(Some(manifest), Vector.empty)))
    assert(
      found.head.change === Change.Added(
        "a",
        Vector(
          AnnouncedFile(
            "a/p1",
            Some(1),
            4,
            Some(TimeRange("1970-01-01T00:00:00Z", "1970-01-01T00:00:01.500Z"))
          )
        )
      )
    )
  }

  test("a batch job has no epoch") {
    val job = Announcements.Origin("/data/out", "main", LogId("batch-1", "7e57"))
    assert(announced(decision(Vector(done("p1"))), from = job).map(_.epoch) === Vector(None))
    assert(done("p1").reason === RollReason.Size)
  }

  test("a snapshot lists the visible files of each bucket") {
    val files = Vector("b/p2", "a/p1", "p0").map(path => VisibleFile(path, 9, 8, None))
    val found = Announcements.snapshot(files, sequence = 7, atMillis = 5, origin)
    assert(
      found.map(_.change) === Vector(
        Change.Snapshot("", Vector(AnnouncedFile("p0", None, 8))),
        Change.Snapshot("a", Vector(AnnouncedFile("a/p1", None, 8))),
        Change.Snapshot("b", Vector(AnnouncedFile("b/p2", None, 8)))
      )
    )
    assert(found.map(_.id.number) === Vector(0, 1, 2))
  }
}
