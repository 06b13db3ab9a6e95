// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.log._
import stoplog.part.{FinishedPart, Pending, TimeRange}
import stoplog.storage.MarkerNames
import stoplog.thread.Parallel

/** What markers and lists of files are called, and what is in them. */
class MarkerFilesSuite extends AnyFunSuite {

  test("a marker's name encodes its version, and other names are not markers") {
    for ((version, name) <- Seq(1 -> "_SUCCESS", 2 -> "_SUCCESS.2", 12 -> "_SUCCESS.12")) {
      assert(MarkerNames.path("b", version) === s"b/$name")
      assert(MarkerNames.version(name) === Some(version))
    }
    assert(MarkerNames.path("", 1) === "_SUCCESS")
    for (name <- Seq("_SUCCESS.", "_SUCCESS.x", "_SUCCESS2", "SUCCESS.2", "part-1"))
      assert(MarkerNames.version(name) === None, name)
  }

  test("an empty marker has no bytes and no totals") {
    val marker = Marker("b", 1, MarkerForm.Empty, "main", "idle", 0, None, Totals(1, 2, 3))
    assert(Markers.bytes(marker, 1, Markers.Identity("main", 3, mine), Totals(1, 2, 3)).isEmpty)
    assert(Markers.content(Array.emptyByteArray) === None)
  }

  test("manifest settings are restored as written, without the retention") {
    val columns = TimeKind.all.map(kind => Some(TimeColumn("at this time", kind))) :+ None
    for (column <- columns) {
      val kept = Manifests.Json(column, retentionMillis = Some(5))
      assert(Manifests.noted(kept.toMap) === Manifests.Json(column, None))
    }
    assert(Manifests.noted(Manifests.Off.toMap) === Manifests.Off)
    assert(Manifests.Off.toMap === Map.empty)
    assert(Manifests.noted(Map("manifest" -> "json later at")) === Manifests.Json(None, None))
    assert(Manifests.path("main", 12) === "_stoplog/main/manifests/00000000000000000012.manifest")
  }

  private def list(kind: RecordKind, column: Option[TimeColumn], replace: Vector[FinishedPart])(
      parts: Pending*
  ): String = {
    val state  = SinkState(QueryEpoch("q", Some(9)), Vector.empty, 0, Map.empty)
    val record = LogRecord(4, kind, mine, 0, parts.toVector, state, FollowUp.nothing, replace)
    new String(MarkerWriter.ManifestJson.bytes(Manifest("list", column), record), UTF_8)
  }

  test("a manifest lists files with time ranges in the column's type, and omits empty files") {
    val seen  = Some(TimeRange(-1L, 86400000000L))
    val files =
      Seq(
        Samples.withRows(done("1"))(_.copy(times = seen)),
        done("2", bucket = "", sizeBytes = 0),
        done("3", bucket = "")
      )
    val times = Seq(
      TimeKind.Instant -> """"min":"1969-12-31T23:59:59.999999Z","max":"1970-01-02T00:00:00Z"""",
      TimeKind.Local   -> """"min":"1969-12-31T23:59:59.999999","max":"1970-01-02T00:00:00"""",
      TimeKind.Day     -> """"min":"1969-12-31","max":"1970-01-02""""
    )
    for ((kind, minAndMax) <- times) {
      val text = list(RecordKind.Roll, Some(TimeColumn("at", kind)), Vector.empty)(files: _*)
      assert(
        text === s"""{"format":1,"seq":4,"kind":"roll","run":"${mine.value}",""" +
          """"decidedAt":"1970-01-01T00:00:00Z","timeColumn":"at","files":[""" +
          s"""{"path":"b/1","bucket":"b","rows":1,"bytes":4,$minAndMax},""" +
          """{"path":"3","bucket":"","rows":1,"bytes":4}],"completed":[]}""" + "\n"
      )
    }
    assert(!list(RecordKind.Roll, None, Vector.empty)(files: _*).contains("min"))
  }

  test("a manifest names its epoch and the replaced files") {
    val gone = Vector(FinishedPart("b", "0", 4, 1, 0))
    assert(list(RecordKind.Epoch(9), None, gone)(done("1")).contains(""""epoch":9,"run""""))
    assert(list(RecordKind.Compact, None, gone)(done("1")).contains(""""replaced":["b/0"]"""))
    assert(!list(RecordKind.Compact, None, Vector.empty)(done("1")).contains("replaced"))
  }

  private final class Job(manifests: Manifests, covered: String => Boolean = _ => true) {
    val notes = new MemoryNotes
    val rule  = CompleteRule.Except(CompleteRule.ByIdleness(0), bucket => !covered(bucket))
    val end   = new JobCommit.JobEnd(
      FollowUps("main", rule, MarkerForm.Json, manifests, notes),
      "batch-1",
      Parallel.sequential,
      StorageRetry.never
    )
    def marker(bucket: String, version: Int, added: Totals, cause: String = "end"): Marker =
      Marker(bucket, version, MarkerForm.Json, "main", cause, 77, None, added)
  }

  test("a job marks each covered bucket in order and lists its files") {
    val job   = new Job(Manifests.Json(None, None), covered = _ != "hidden")
    val parts = Vector(
      done("1", "b"),
      done("2", "a"),
      done("3", "b"),
      done("4", "hidden"),
      done("5", "c", sizeBytes = 0)
    )
    val one = Totals(1, 1, 4)
    assert(
      job.end.adding(parts, nowMillis = 77) === FollowUp(
        Some(Manifest("_stoplog/main/manifests/batch-1.manifest", None)),
        Vector(job.marker("a", 1, one), job.marker("b", 1, one + one))
      )
    )
    assert(job.end.adding(Vector(done("5", sizeBytes = 0)), 77) === FollowUp.nothing)
    assert(new Job(Manifests.Off).end.adding(parts, 77).manifest === None)
  }

  test("an appending job continues the marker versions, and a replacing job restarts them") {
    val job = new Job(Manifests.Off)
    job.notes.putIfAbsent("b/_SUCCESS", Array.emptyByteArray)
    val one = Totals(1, 1, 4)
    assert(job.end.adding(Vector(done("1")), 77).markers === Vector(job.marker("b", 2, one)))
    assert(
      job.end.replacing(Vector(done("1")), 77).markers === Vector(job.marker("b", 1, one, "overwrite"))
    )
  }
}
