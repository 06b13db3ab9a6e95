// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.{Instant, ZoneId}

import stoplog.bucket.DateTimeText.{SlotCount, Span}

/** Times as text, each text made once for as long as it holds.
  *
  * Keeps the latest few spans of time, so that rows whose event times go back and forth between hours cost no
  * more than rows in order. The same span gives the same `String` object.
  */
private[bucket] final class DateTimeText(pattern: DateTimePattern, zone: ZoneId) {

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
    math.max(Long.MinValue / 1000000L, math.min(Long.MaxValue / 1000000L, instant.getEpochSecond)) * 1000000L
}

private[bucket] object DateTimeText {

  private val SlotCount = 64

  private final case class Span(fromMicros: Long, untilMicros: Long, text: String) {
    def contains(micros: Long): Boolean = micros >= fromMicros && micros < untilMicros
  }

  private object Span {
    val Empty: Span = Span(0L, 0L, "")
  }
}
