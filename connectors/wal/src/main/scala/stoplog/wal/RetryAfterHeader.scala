// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.http.HttpResponse
import java.time.{LocalDateTime, ZoneOffset, ZonedDateTime}
import java.time.format.DateTimeFormatter
import java.time.temporal.ChronoField
import java.util.Locale

import scala.util.Try

import stoplog.thread.Clock

/** The pause that a server requests by the header `Retry-After` (RFC 9110, section 10.2.3). */
private[wal] object RetryAfterHeader {

  /** Returns the milliseconds from now; `None` without a valid header, and for a time that has passed.
    *
    * @param clock the time, unless the response has a `Date`: the clocks of server and task may differ
    */
  def millis(answer: HttpResponse[_], clock: Clock): Option[Long] = {
    def header(name: String) = Option(answer.headers.firstValue(name).orElse(null)).map(_.trim)
    header("Retry-After").flatMap(millis(_, header("Date").flatMap(date).getOrElse(clock.millis())))
  }

  /** Returns whole seconds, in milliseconds.
    *
    * @param nowMillis the time of the response, in milliseconds since 1970
    */
  def millis(value: String, nowMillis: Long): Option[Long] =
    seconds(value).orElse(
      date(value).map(_ - nowMillis).filter(_ > 0).map(left => (left + 999) / 1000 * 1000)
    )

  private def seconds(text: String): Option[Long] =
    Option.when(text.nonEmpty && text.forall(c => c >= '0' && c <= '9')) {
      text.toLongOption.getOrElse(Long.MaxValue).min(Int.MaxValue.toLong) * 1000L
    }

  /** Returns the time in milliseconds since 1970. A recipient must accept the three forms of RFC 9110. */
  private[wal] def date(text: String): Option[Long] =
    Try(ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant.toEpochMilli)
      .orElse(Try(utc(text, Rfc850)))
      .orElse(Try(utc(text.replaceAll(" +", " "), Asctime)))
      .toOption

  private def utc(text: String, format: DateTimeFormatter): Long =
    LocalDateTime.parse(text, format).toInstant(ZoneOffset.UTC).toEpochMilli

  // A year with two digits is at most 50 years in the future; a base of this century suffices until 2049.
  private val Rfc850: DateTimeFormatter = new java.time.format.DateTimeFormatterBuilder()
    .appendPattern("EEEE, dd-MMM-")
    .appendValueReduced(ChronoField.YEAR, 2, 2, 2000)
    .appendPattern(" HH:mm:ss 'GMT'")
    .toFormatter(Locale.US)

  private val Asctime: DateTimeFormatter = DateTimeFormatter.ofPattern("EEE MMM d HH:mm:ss yyyy", Locale.US)
}
