// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.{DateTimeException, Instant, ZoneId, ZoneOffset}
import java.time.format.DateTimeFormatter
import java.util.Locale
import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.log.TimeKind

/** Assigns buckets by time, by default a bucket for each hour.
  *
  * The time is the processing time or, with a column, the row's own time. Rows with a null time are assigned
  * to [[BucketId.OfNull]]. If every level of the pattern has the form `name=value`, such rows are assigned to
  * Hive's directories for null. A pattern with `/` creates nested directories.
  *
  * {{{
  * new DateTimeBucketAssigner()                                             // dt=2026-01-31/hour=23, UTC
  * new DateTimeBucketAssigner("yyyy/MM/dd", ZoneId.of("Europe/Berlin"))     // 2026/02/01
  * new DateTimeBucketAssigner("'day='yyyy-MM-dd", column = Some("at"))      // day=2026-01-31
  * }}}
  *
  * @param pattern a pattern of `java.time.format.DateTimeFormatter` with the English locale, for the names of
  *                buckets
  * @param zone    the time zone for the calendar and clock of the pattern. A `TIMESTAMP_NTZ` or `DATE` column
  *                has no zone: its values are formatted unchanged
  * @param column  a top-level column of type `TIMESTAMP`, `TIMESTAMP_NTZ` or `DATE`; `None` for the
  *                processing time
  * @throws stoplog.error.StoplogArgumentException `STOPLOG_INVALID_OPTIONS` if the pattern cannot name a
  *   bucket
  */
final class DateTimeBucketAssigner(
    pattern: String = DateTimeBucketAssigner.DefaultPattern,
    zone: ZoneId = ZoneOffset.UTC,
    column: Option[String] = None
) extends BucketAssigner {

  DateTimePattern.parse(pattern)

  @transient private var times: Option[ColumnTimes]          = _
  @transient private var names: DateTimePattern.DateTimeText = _
  @transient private var ofNull: String                      = _

  def this() = this(DateTimeBucketAssigner.DefaultPattern)

  /** Errors: `STOPLOG_OPTION_COLUMN` if the column has no times, `STOPLOG_INVALID_OPTIONS` if the pattern
    * contains a zone but the column has no zone.
    */
  override def open(schema: StructType): Unit = {
    val parsed = DateTimePattern.parse(pattern)
    times = column.map(ColumnTimes.of(_, schema))
    val hasZone = times.forall(_.column.kind == TimeKind.Instant)
    if (!hasZone && parsed.showsZone)
      throw Errors.bucketFormat(
        pattern,
        s"it prints a time zone, and the column ${column.mkString} has no time zone"
      )
    ofNull = parsed.ofNull
    names = new DateTimePattern.DateTimeText(parsed, if (hasZone) zone else ZoneOffset.UTC)
  }

  override def bucket(row: InternalRow, context: BucketContext): String = times match {
    case None => names.at(TimeUnit.MILLISECONDS.toMicros(context.processingTimeMillis))
    case Some(of) if of.isMissing(row) => ofNull
    case Some(of)                      => names.at(of.micros(row))
  }

  /** Returns the bucket of rows of this time. May be called before `open`. */
  private[stoplog] def bucketAt(millis: Long): String =
    DateTimePattern.parse(pattern).formatter.format(Instant.ofEpochMilli(millis).atZone(zone))

  override def toString: String = s"dateTime($pattern, $zone${column.fold("")(", " + _)})"
}

object DateTimeBucketAssigner {

  /** A bucket for each hour. Spark, pyarrow, DuckDB and pandas read `dt` and `hour` as columns by default. */
  val DefaultPattern: String = "'dt='yyyy-MM-dd'/hour='HH"
}

/** A pattern, and the span of time in which the formatted text is constant.
  *
  * @param granularityMicros a divisor of the hour, in microseconds. Within such a span of local time, and at
  *                          the same offset from UTC, the text cannot change
  * @param showsZone         whether the text contains the zone or offset
  * @param ofNull            the bucket of rows without a time
  */
private[bucket] final case class DateTimePattern(
    formatter: DateTimeFormatter,
    granularityMicros: Long,
    showsZone: Boolean,
    ofNull: String
)

private[bucket] object DateTimePattern {

  private val Second = 1000000L

  // The granularity in microseconds, by pattern letter of DateTimeFormatter. All other letters change only at
  // full hours. Names of zones (z, v) can change between standard and summer time while the offset stays the
  // same, so seconds are the only safe granularity.
  private val granularities: Seq[(String, Long)] =
    Seq("SnAN" -> 1L, "szv" -> Second, "mB" -> 60 * Second)

  private val hour = 3600 * Second

  /** Parses a pattern.
    *
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_INVALID_OPTIONS` if the pattern cannot name a
    *   bucket
    */
  def parse(pattern: String): DateTimePattern = {
    val letters   = unquoted(pattern)
    val formatter = formatterOf(pattern)
    DateTimePattern(
      formatter,
      granularities
        .collectFirst { case (of, micros) if letters.exists(of.contains(_)) => micros }
        .getOrElse(hour),
      letters.exists("VvzOXxZ".contains(_)),
      PartitionDiscovery.ofNull(formatter.format(Instant.EPOCH.atZone(ZoneOffset.UTC)))
    )
  }

  private def formatterOf(pattern: String): DateTimeFormatter = {
    val (formatter, sample) =
      try {
        // The locale is fixed, because a name must not depend on the machine of the task.
        val formatter = DateTimeFormatter.ofPattern(pattern, Locale.US)
        (formatter, formatter.format(Instant.EPOCH.atZone(ZoneOffset.UTC)))
      } catch {
        case e @ (_: DateTimeException | _: IllegalArgumentException) =>
          throw Errors.bucketFormat(pattern, e.getMessage)
      }
    BucketId
      .problem(sample)
      .foreach(why => throw Errors.bucketFormat(pattern, s"it returns '$sample', and $why"))
    formatter
  }

  // Text in single quotes is literal. Two single quotes represent a quote, inside and outside of literals.
  private def unquoted(pattern: String): String =
    pattern.split("'", -1).zipWithIndex.collect { case (text, i) if i % 2 == 0 => text }.mkString

  /** Formats times as text. Each text is created once per span of time.
    *
    * Caches the most recent spans, so that rows with event times in alternating hours cost as little as rows
    * in order. The same span always returns the same `String` object.
    */
  final class DateTimeText(pattern: DateTimePattern, zone: ZoneId) {
    import DateTimeText._

    private val granularity = pattern.granularityMicros
    private val rules       = zone.getRules
    private val spans       = new Array[Span](SlotCount)
    private var latest      = Span.Empty

    /** Returns the text for a time.
      *
      * @param micros microseconds since 1970-01-01T00:00:00Z
      */
    def at(micros: Long): String = {
      if (!latest.contains(micros)) latest = find(micros)
      latest.text
    }

    private def find(micros: Long): Span = {
      val slot = Math.floorMod(Math.floorDiv(micros, granularity), SlotCount)
      val kept = spans(slot)
      if (kept != null && kept.contains(micros)) kept
      else {
        spans(slot) = spanAround(micros)
        spans(slot)
      }
    }

    // A span of local time, cut at changes of the zone's offset, because the text may restart or recur there.
    private def spanAround(micros: Long): Span = {
      val instant  = instantOf(micros)
      val offset   = rules.getOffset(instant).getTotalSeconds * 1000000L
      val start    = micros - Math.floorMod(micros + offset, granularity)
      val previous = Option(rules.previousTransition(instant.plusNanos(1))).map(t => microsOf(t.getInstant))
      val next     = Option(rules.nextTransition(instant)).map(t => microsOf(t.getInstant))
      Span(
        previous.foldLeft(start)(math.max),
        next.foldLeft(start + granularity)(math.min),
        pattern.formatter.format(instant.atZone(zone))
      )
    }

    private def instantOf(micros: Long): Instant =
      Instant.ofEpochSecond(Math.floorDiv(micros, 1000000L), Math.floorMod(micros, 1000000L) * 1000L)

    // Transitions are whole seconds. Transitions in the far past or future exceed the range of microseconds.
    private def microsOf(instant: Instant): Long =
      math.max(
        Long.MinValue / 1000000L,
        math.min(Long.MaxValue / 1000000L, instant.getEpochSecond)
      ) * 1000000L
  }

  object DateTimeText {

    private val SlotCount = 64

    private final case class Span(fromMicros: Long, untilMicros: Long, text: String) {
      def contains(micros: Long): Boolean = micros >= fromMicros && micros < untilMicros
    }

    private object Span {
      val Empty: Span = Span(0L, 0L, "")
    }
  }
}
