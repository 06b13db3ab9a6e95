// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.commit.Samples
import stoplog.part.{
  Closed, FinishedPart, LastWriter, Open, PartRows, Pending, RecordBytes, Resume, RunId, SchemaId, SpoolFile,
  Spooled
}
import stoplog.rolling.RollReason

/** What the golden files say. Neither these values nor the files are ever edited: a new version gets new ones. */
object GoldenRecords {
  private val first    = RunId("6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f")
  private val second   = RunId("0b9d8c7e-1f2a-4b3c-8d4e-5f60718293a4")
  private val start    = 1767225600000L
  private val query    = "d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60"
  private val settings = Map("timeZone" -> "UTC", "content" -> "json|gzip")
  private val hour     = "2026-01-01--00"
  private val awkward  = "köln & \"東京\"/day=2026-01-01/100%25"

  private def name(number: Int): String = s"part-${first.uid}-$number.json.gz"

  private def token(bucket: String, number: Int, by: RunId, end: String): String = {
    val directory = if (bucket.isEmpty) "" else s"$bucket/"
    s"_stoplog/main/open/$directory.${name(number)}.inprogress.${by.uid}-00112233445566$end"
  }

  private val ownerless =
    Open(
      "",
      name(3),
      Resume(token("", 3, first, "ad")),
      0,
      PartRows(1, start + 12, start + 12),
      LastWriter(1, None)
    )

  private val claim = LogRecord(
    0,
    RecordKind.Claim,
    first,
    start,
    Vector.empty,
    SinkState(QueryEpoch(query, None), Vector.empty, 0, settings)
  )

  private val batch = LogRecord(
    1,
    RecordKind.Epoch(0),
    first,
    start + 1000,
    Vector.empty,
    claim.state.after(
      Some(0),
      Some(BatchDigest.of("v1\n{\"batchTimestampMs\":1767225600000}\n{\"logOffset\":0}".getBytes("UTF-8")))
    )
  )

  private val epoch = LogRecord(
    1,
    RecordKind.Epoch(0),
    first,
    start + 1000,
    Vector(
      Pending(
        hour,
        name(0),
        Closed(token(hour, 0, first, "aa")),
        134217800,
        PartRows(1000000, start + 10, start + 900),
        RollReason.Size
      ),
      Pending(
        awkward,
        name(1),
        Closed(token(awkward, 1, first, "ab")),
        17,
        PartRows(1, start + 11, start + 11),
        RollReason.Custom("my own reason")
      )
    ),
    SinkState(
      QueryEpoch(query, Some(0)),
      Vector(
        Open(
          hour,
          name(2),
          Resume(token(hour, 2, first, "ac")),
          4096,
          PartRows(31, start + 901, start + 950),
          LastWriter(0, Some(first))
        ),
        ownerless
      ),
      4,
      settings
    )
  )

  private val eventTime = epoch.copy(
    publish = epoch.publish.take(1).map(_.copy(reason = RollReason.EventTime)),
    state = epoch.state.copy(
      open = Vector(
        Samples.withRows(epoch.state.open.head)(_.copy(firstEventTimeMillis = Some(-62135596800001L))),
        ownerless
      ),
      settings = settings ++ Map("rollingPolicy" -> "default", "eventTimeInterval" -> "10m")
    )
  )

  private val roll = LogRecord(
    2,
    RecordKind.Roll,
    first,
    start + 301000,
    Vector(
      Pending(
        hour,
        name(2),
        Resume(token(hour, 2, first, "ac")),
        4096,
        PartRows(31, start + 901, start + 950),
        RollReason.Inactivity
      )
    ),
    SinkState(QueryEpoch(query, Some(0)), Vector(ownerless), 4, settings)
  )

  private val release = LogRecord(
    4,
    RecordKind.Release,
    second,
    start + 900000,
    Vector(
      Pending(
        "",
        name(3),
        Closed(token("", 3, second, "ae")),
        2147483648L,
        PartRows(9007199254740993L, start + 12, start + 800000),
        RollReason.End
      )
    ),
    SinkState(QueryEpoch(query, Some(Long.MaxValue - 1)), Vector.empty, Long.MaxValue, settings)
  )

  private def side(number: Int, end: String, sizeBytes: Long, level: Int): SpoolFile =
    SpoolFile(s"_stoplog/main/beside/part-${first.uid}-$number.parquet.${first.uid}-$end", sizeBytes, level)

  private val besides = LogRecord(
    5,
    RecordKind.Epoch(41),
    first,
    start + 2000,
    Vector.empty,
    SinkState(
      QueryEpoch(query, Some(41)),
      Vector(
        Open(
          awkward,
          s"part-${first.uid}-5.parquet",
          Resume(token(awkward, 5, first, "af")),
          134217728,
          PartRows(2000000, start + 902, start + 1900),
          LastWriter(0, Some(first)),
          Spooled("4096000", Vector(side(5, "b0", 65536, 1), side(5, "b1", 4097, 0)), 1300000)
        ),
        ownerless,
        Open(
          hour,
          s"part-${first.uid}-6.parquet",
          Resume(token(hour, 6, first, "b2")),
          0,
          PartRows(1, start + 1000, start + 1000),
          LastWriter(2, None),
          Spooled("48 \"näher\"", Vector(side(6, "b3", 0, 0)), 0)
        )
      ),
      7,
      settings
    )
  )

  private def small(number: Int, epoch: Long, compactions: Int, schema: Option[SchemaId]): FinishedPart =
    FinishedPart(awkward, name(number), 4096L + number, 31, epoch, compactions, schema)

  private val compaction = LogRecord(
    6,
    RecordKind.Compact,
    first,
    start + 3000,
    Vector(
      Pending(
        awkward,
        s"part-${first.uid}-m0.json.gz",
        Closed(token(awkward, 7, first, "b4")),
        8195,
        PartRows(62, start + 2500, start + 2500),
        RollReason.Custom("compaction")
      )
    ),
    SinkState(
      QueryEpoch(query, Some(42)),
      Vector(ownerless),
      9,
      settings,
      small = Vector(small(3, 41, 0, None), small(4, 42, 1, Some(SchemaId("0a1b2c3d4e5f"))))
    ),
    replace = Vector(small(1, 39, 0, None), small(2, -1, 0, None))
  )

  private val afterwards = LogRecord(
    7,
    RecordKind.Epoch(43),
    first,
    start + 4000,
    Vector(
      Pending(
        "",
        name(3),
        Resume(token("", 3, first, "ad")),
        64,
        PartRows(2, start + 12, start + 3800),
        RollReason.Age
      )
    ),
    compaction.state.copy(
      newest = QueryEpoch(query, Some(43)),
      nextPart = 10,
      open = Vector(
        Open(
          hour,
          name(9),
          Resume(token(hour, 9, first, "b5")),
          512,
          PartRows(20, start + 3500, start + 3900, schema = Some(SchemaId("0a1b2c3d4e5f"))),
          LastWriter(2, Some(first))
        )
      ),
      live = Vector(LiveBucket(hour, 0, Totals(1, 12, 900), start + 3900)),
      small = compaction.state.small.tail :+ FinishedPart(hour, name(8), 900, 12, 43)
    )
  )

  private val atLast = LogRecord(
    8,
    RecordKind.Roll,
    first,
    start + 5000,
    Vector.empty,
    afterwards.state.copy(
      settings = settings + ("maxPartSize" -> "1k"),
      open = Vector.empty,
      live = Vector.empty
    )
  )

  /** The first part of [[besides]], whose last rows are in the record. */
  private def inRecord: Open = {
    val part = besides.state.open.head
    part.copy(spooled =
      part.spooled
        .copy(files = part.spooled.files.take(1), inRecord = RecordBytes.of("köln\n".getBytes("UTF-8")))
    )
  }

  /** File names to contents, in their order: each is based on its predecessor, the first one on the compaction. */
  val deltas: Vector[(String, LogRecord)] =
    Vector("record-v1-delta-epoch.json" -> afterwards, "record-v1-delta-roll.json" -> atLast)

  /** File names to contents, of records with their whole state. */
  val whole: Map[String, LogRecord] = Map(
    "record-v1-claim.json"      -> claim,
    "record-v1-epoch.json"      -> epoch,
    "record-v1-roll.json"       -> roll,
    "record-v1-release.json"    -> release,
    "record-v1-batch.json"      -> batch,
    "record-v1-event-time.json" -> eventTime,
    "record-v1-beside.json"     -> besides,
    "record-v1-rows.json"       -> besides.copy(state =
      besides.state.copy(open = inRecord +: besides.state.open.tail)
    ),
    "record-v1-compact.json" -> compaction
  )
}
