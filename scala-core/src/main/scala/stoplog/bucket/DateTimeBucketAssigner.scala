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

/** Buckets by time: one for each hour unless the pattern says otherwise.
  *
  * By the time of processing or, with a column, by the time that the row itself carries. Rows whose time is
  * null go to [[BucketId.OfNull]], or, where every level of the pattern is `name=value`, to the directories that
  * stand for null in Hive's layout. A pattern with `/` in it makes nested directories.
  *
  * {{{
  * new DateTimeBucketAssigner()                                             // dt=2026-01-31/hour=23, UTC
  * new DateTimeBucketAssigner("yyyy/MM/dd", ZoneId.of("Europe/Berlin"))     // 2026/02/01
  * new DateTimeBucketAssigner("'day='yyyy-MM-dd", column = Some("at"))      // day=2026-01-31
  * }}}
  *
  * @param pattern of `java.time.format.DateTimeFormatter`, in English; it gives each bucket's name
  * @param zone    the pattern shows its calendar and clock. A `TIMESTAMP_NTZ` or `DATE` column has no zone: its values
  *                are shown as they are, whatever the zone
  * @param column  a top-level column of type `TIMESTAMP`, `TIMESTAMP_NTZ` or `DATE`; none for the time of processing
  * @throws stoplog.error.StoplogArgumentException `STOPLOG_BUCKET_FORMAT` if the pattern cannot name a bucket
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

  /** Errors: `STOPLOG_BUCKET_COLUMN` if the column has no times, `STOPLOG_BUCKET_FORMAT` if the pattern shows a zone that
    * the column lacks.
    */
  override def open(schema: StructType): Unit = {
    val parsed = DateTimePattern.parse(pattern)
    times = column.map(ColumnTimes.of(_, schema))
    val hasZone = times.forall(_.column.kind == TimeKind.Instant)
    if (!hasZone && parsed.showsZone)
      throw Errors.bucketFormat(pattern, s"it shows a time zone, and the column ${column.mkString} has none")
    ofNull = parsed.ofNull
    names = new DateTimePattern.DateTimeText(parsed, if (hasZone) zone else ZoneOffset.UTC)
  }

  override def bucket(row: InternalRow, context: BucketContext): String = times match {
    case None => names.at(TimeUnit.MILLISECONDS.toMicros(context.processingTimeMillis))
    case Some(of) if of.isMissing(row) => ofNull
    case Some(of)                      => names.at(of.micros(row))
  }

  /** The bucket of rows of this time. Works before tasks open the assigner, too. */
  private[stoplog] def bucketAt(millis: Long): String =
    DateTimePattern.parse(pattern).formatter.format(Instant.ofEpochMilli(millis).atZone(zone))

  override def toString: String = s"dateTime($pattern, $zone${column.fold("")(", " + _)})"
}

object DateTimeBucketAssigner {

  /** A bucket for each hour, which Spark, pyarrow, DuckDB and pandas read without options, as columns `dt` and `hour`. */
  val DefaultPattern: String = "'dt='yyyy-MM-dd'/hour='HH"

  /** The default of logs that record a zone for their buckets and no pattern; and Flink's. */
  private[stoplog] val FormerPattern: String = "yyyy-MM-dd--HH"
}

/** A pattern, and the time for which its text stays the same.
  *
  * @param granularityMicros a divisor of the hour in microseconds: within one such span of local time, and with the same
  *                          offset from UTC, the text cannot change
  * @param showsZone         whether the text has something of the zone in it
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

  // By pattern letter of DateTimeFormatter; the others change at full hours only. The names of zones (z, v) can change
  // between standard and summer time without a change of the offset, so nothing coarser is safe for them.
  private val granularities: Seq[(String, Long)] =
    Seq("SnAN" -> 1L, "szv" -> Second, "mB" -> 60 * Second)

  private val hour = 3600 * Second

  /** @throws stoplog.error.StoplogArgumentException `STOPLOG_BUCKET_FORMAT` if it cannot name a bucket */
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
        // In one language on every machine: a name must not depend on where a task runs.
        val formatter = DateTimeFormatter.ofPattern(pattern, Locale.US)
        (formatter, formatter.format(Instant.EPOCH.atZone(ZoneOffset.UTC)))
      } catch {
        case e @ (_: DateTimeException | _: IllegalArgumentException) =>
          throw Errors.bucketFormat(pattern, e.getMessage)
      }
    BucketId
      .problem(sample)
      .foreach(why => throw Errors.bucketFormat(pattern, s"it gives '$sample', and $why"))
    formatter
  }

  // Text in single quotes stands for itself; two of them for one quote, inside or outside of such text.
  private def unquoted(pattern: String): String =
    pattern.split("'", -1).zipWithIndex.collect { case (text, i) if i % 2 == 0 => text }.mkString

  /** Times as text, each text made once for as long as it holds.
    *
    * Keeps the latest few spans of time, so that rows whose event times go back and forth between hours cost no
    * more than rows in order. The same span gives the same `String` object.
    */
  final class DateTimeText(pattern: DateTimePattern, zone: ZoneId) {
    import DateTimeText._

    private val granularity = pattern.granularityMicros
    private val rules       = zone.getRules
    private val spans       = new Array[Span](SlotCount)
    private var latest      = Span.Empty

    /** @param micros since 1970-01-01T00:00:00Z */
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

    // A span of local time, cut where the zone's offset changes: a text may then begin anew, or come back.
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

    // Transitions are whole seconds; those of the far past or future lie outside of what microseconds can say.
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
