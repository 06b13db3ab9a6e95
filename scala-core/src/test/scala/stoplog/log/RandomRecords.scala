// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import stoplog.part.{
  Closed, FinishedPart, LastWriter, Open, PartRows, Pending, RecordBytes, Resume, RunId, SchemaId, SpoolFile,
  Spooled, TimeRange
}

import stoplog.rolling.RollReason

/** Records with anything in them that a record can hold. */
final class RandomRecords(seed: Long) {
  private val random = new Random(seed)

  def next(): LogRecord = LogRecord(
    number(),
    kind(),
    run(),
    number(),
    several(pending()),
    state(),
    follow(),
    several(small())
  )

  private def kind(): RecordKind = random.nextInt(5) match {
    case 0 => RecordKind.Claim
    case 1 => RecordKind.Epoch(number())
    case 2 => RecordKind.Roll
    case 3 => RecordKind.Compact
    case _ => RecordKind.Release
  }

  private def state(): SinkState =
    SinkState(
      QueryEpoch(text(), maybe(number()), maybe(BatchDigest(text()))),
      several(open()),
      number(),
      several(text() -> text()).toMap ++ columns(),
      several(live()),
      several(small())
    )

  private def live(): LiveBucket =
    LiveBucket(path(), random.nextInt(3), totals(), number())

  private def totals(): Totals = Totals(number(), number(), number())

  private def follow(): FollowUp = FollowUp(maybe(manifest()), several(marker()))

  private def manifest(): Manifest =
    Manifest(path(), maybe(TimeColumn(text(), TimeKind.all(random.nextInt(TimeKind.all.size)))))

  private def marker(): Marker = Marker(
    path(),
    random.nextInt(1 << 20),
    MarkerForm.all(random.nextInt(MarkerForm.all.size)),
    text(),
    text(),
    number(),
    maybe(number()),
    totals()
  )

  private def times(): TimeRange = TimeRange(-number(), number())

  private def columns(): Map[String, String] = maybe(SinkState.SchemaKey -> text()).toMap

  private def small(): FinishedPart =
    FinishedPart(path(), name(), number(), number(), number(), random.nextInt(3), maybe(SchemaId(text())))

  private def open(): Open = Open(
    path(),
    name(),
    Resume(path()),
    number(),
    PartRows(
      number(),
      number(),
      number(),
      schema = maybe(SchemaId(text())),
      times = maybe(times()),
      firstEventTimeMillis = maybe(number())
    ),
    LastWriter(random.nextInt(1 << 20), maybe(run())),
    maybe(beside()).getOrElse(Spooled.nothing)
  )

  private def beside(): Spooled =
    Spooled(
      text() + "note", // without anything, it would be the same as none
      several(SpoolFile(path(), number(), random.nextInt(1 << 20))),
      number(),
      maybe(RecordBytes.of(text().getBytes(UTF_8))).getOrElse(RecordBytes.empty)
    )

  private def pending(): Pending = {
    val bucket = path()
    val token  = if (bucket.isEmpty) text() else path() // a sink that knows no files has tokens of its own
    val handle = if (random.nextBoolean()) Closed(token) else Resume(token)
    Pending(
      bucket,
      if (bucket.isEmpty) text() else name(),
      handle,
      number(),
      PartRows(number(), number(), number(), schema = maybe(SchemaId(text())), times = maybe(times())),
      reason()
    )
  }

  private def reason(): RollReason =
    if (random.nextBoolean()) reasons(random.nextInt(reasons.size)) else RollReason.Custom("own " + text())

  private val reasons = Vector(
    RollReason.Size,
    RollReason.Records,
    RollReason.Age,
    RollReason.Inactivity,
    RollReason.Checkpoint,
    RollReason.OpenLimit,
    RollReason.Complete,
    RollReason.End
  )

  private def run(): RunId = RunId(new java.util.UUID(random.nextLong(), random.nextLong()).toString)

  private def number(): Long = random.nextInt(4) match {
    case 0 => 0
    case 1 => Long.MaxValue
    case 2 => random.nextLong() & Long.MaxValue
    case _ => random.nextInt(1000).toLong
  }

  private def text(): String = Seq.fill(random.nextInt(12))(letters(random.nextInt(letters.size))).mkString

  /** Below the sink's path. */
  private def path(): String = text().replace("\u0000", "").dropWhile(_ == '/')

  private def name(): String = "n" + path().replace("/", "")

  // Single code points: control characters, what JSON escapes, and all widths of UTF-8.
  private val letters =
    Vector("\u0000", "\n", "\"", "\\", "/", " ", "=", "%", "a", "Z", "ß", "€", "東", "😀", "\u2028", "\ufeff",
      "{", "]")

  private def several[A](one: => A): Vector[A] = Vector.fill(random.nextInt(4))(one)

  private def maybe[A](one: => A): Option[A] = Option.when(random.nextBoolean())(one)
}
