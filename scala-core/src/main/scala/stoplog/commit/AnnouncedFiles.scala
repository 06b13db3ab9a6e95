// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.time.{Instant, LocalDate, ZoneOffset}
import java.time.format.DateTimeFormatter.ISO_LOCAL_DATE_TIME

import stoplog.announce.{AnnouncedFile, TimeRange}
import stoplog.log.{TimeColumn, TimeKind}
import stoplog.part.Pending

/** The form of a finished part in manifests and announcements. */
private[commit] object AnnouncedFiles {

  /** A part of unknown rows has zero records: the compaction of a directory reads no row counts.
    *
    * @param column the time column of the sink, if its times are known
    */
  def of(part: Pending, column: Option[TimeColumn]): AnnouncedFile = {
    val range = for {
      known <- column
      times <- part.times
    } yield TimeRange(time(times.minMicros, known.kind), time(times.maxMicros, known.kind))
    AnnouncedFile(part.finishedPath, Some(part.records).filter(_ > 0), part.sizeBytes, range)
  }

  private def time(micros: Long, kind: TimeKind): String = {
    val moment =
      Instant.ofEpochSecond(Math.floorDiv(micros, 1000000L), Math.floorMod(micros, 1000000L) * 1000L)
    kind match {
      case TimeKind.Instant => moment.toString
      case TimeKind.Local   => ISO_LOCAL_DATE_TIME.format(moment.atOffset(ZoneOffset.UTC))
      case TimeKind.Day     => LocalDate.ofInstant(moment, ZoneOffset.UTC).toString
    }
  }
}
