// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.{Closed, LastWriter, Open, PartRows, Pending, Resume, RunId, TimeRange}
import stoplog.rolling.RollReason

/** What the golden file of a record with markers and a manifest says. Never edited, like [[GoldenRecords]]. */
object GoldenCompletion {
  private val run   = RunId("6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f")
  private val start = 1767225600000L
  private val hour  = "2026-01-01--00"
  private val next  = "2026-01-01--01"

  private val complete = LogRecord(
    9,
    RecordKind.Epoch(7),
    run,
    start + 3600500,
    Vector(
      Pending(
        hour,
        s"part-${run.uid}-3.json",
        Closed(s"_stoplog/main/open/$hour/.part-${run.uid}-3.json.inprogress.${run.uid}-aa"),
        4711,
        PartRows(
          31,
          start + 10,
          start + 900,
          times = Some(TimeRange(start * 1000 + 1, start * 1000 + 3599999999L))
        ),
        RollReason.Complete
      )
    ),
    SinkState(
      QueryEpoch("d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60", Some(7)),
      Vector(
        Open(
          next,
          s"part-${run.uid}-4.json",
          Resume(s"_stoplog/main/open/$next/.part-${run.uid}-4.json.inprogress.${run.uid}-ab"),
          64,
          PartRows(
            1,
            start + 3600100,
            start + 3600200,
            times = Some(TimeRange(start * 1000 + 3600000000L, start * 1000 + 3600000000L))
          ),
          LastWriter(0, Some(run))
        )
      ),
      5,
      Map("content" -> "json", "timeZone" -> "UTC"),
      Vector(
        LiveBucket(next, 0, Totals.nothing, start + 3600200),
        LiveBucket("köln/2025-12-31--23", 2, Totals(1, 3, 99), start - 5)
      )
    ),
    FollowUp(
      Some(
        Manifest(
          "_stoplog/main/manifests/00000000000000000009.manifest",
          Some(TimeColumn("at", TimeKind.Instant))
        )
      ),
      Vector(
        Marker(
          hour,
          1,
          MarkerForm.Json,
          "main",
          "watermark",
          start + 3600499,
          Some(start + 3600000),
          Totals(4, 400, 50000)
        ),
        Marker(
          "",
          3,
          MarkerForm.Empty,
          "main",
          "idle",
          start + 3600499,
          None,
          Totals(1, 1, 1)
        )
      )
    )
  )

  /** File name to content. */
  val whole: Map[String, LogRecord] = Map("record-v1-complete.json" -> complete)
}
