// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.format.DateTimeFormatter
import java.time.{DateTimeException, Instant, ZoneOffset}
import java.util.Locale

import stoplog.error.Errors

/** A pattern, and for how long the text that it gives stays the same.
  *
  * @param granularityMicros
  *   a divisor of the hour in microseconds: within one such span of local time, and with the same offset from
  *   UTC, the text cannot change
  * @param showsZone
  *   whether the text has something of the zone in it
  * @param ofNull
  *   the bucket of rows without a time
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
}
