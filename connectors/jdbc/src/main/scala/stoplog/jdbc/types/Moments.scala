// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.sql.{Date, Timestamp}
import java.time._
import java.time.format.DateTimeFormatter
import java.util.{Calendar, GregorianCalendar, TimeZone}

/** The values that a driver expects for dates and times. */
private[jdbc] sealed trait Moments extends Serializable {
  def day(day: LocalDate): Any
  def local(at: LocalDateTime): Any
  def instant(at: Instant): Any
  def time(at: LocalTime): Any
}

private[jdbc] object Moments {

  /** Types of `java.time`, for drivers of JDBC 4.2. */
  case object JavaTime extends Moments {
    override def day(day: LocalDate): Any      = day
    override def local(at: LocalDateTime): Any = at
    override def instant(at: Instant): Any     = at.atOffset(ZoneOffset.UTC)
    override def time(at: LocalTime): Any      = at
  }

  /** Texts of the standard. */
  case object Texts extends Moments {
    override def day(day: LocalDate): Any      = day.toString
    override def local(at: LocalDateTime): Any = Spaced.format(at)
    override def instant(at: Instant): Any     = at.toString
    override def time(at: LocalTime): Any      = DateTimeFormatter.ISO_LOCAL_TIME.format(at)
  }

  /** Texts, for Derby: its driver knows no types of `java.time`, and converts others by the zone of the JVM.
    * The calendar of Derby lacks the days at which Rome changed the calendar. The engine moves local times
    * that the zone of its JVM skips.
    */
  case object DerbyTexts extends Moments {
    override def day(day: LocalDate): Any = {
      require(day)
      Texts.day(day)
    }

    override def local(at: LocalDateTime): Any = {
      require(at.toLocalDate)
      val zone = ZoneId.systemDefault
      if (zone.getRules.getValidOffsets(at).isEmpty) throw new Inexact(s"is not a time in the zone $zone")
      Texts.local(at)
    }

    override def instant(at: Instant): Any = Texts.instant(at)
    override def time(at: LocalTime): Any  = Texts.time(at)

    private def require(day: LocalDate): Unit =
      if (day.isAfter(LocalDate.of(1582, 10, 4)) && day.isBefore(LocalDate.of(1582, 10, 15)))
        throw new Inexact("is not a day of the database's calendar")
  }

  /** The milliseconds that SQLite's driver stores.
    *
    * @param zone the zone of local times, because tasks may run in JVMs with other zones
    */
  final case class Millis(zone: ZoneId) extends Moments {
    override def day(day: LocalDate): Any = {
      val (millis, found) = stored(day.atStartOfDay)
      same(new Date(millis))(found.toLocalDate == day)
    }

    override def local(at: LocalDateTime): Any = {
      val (millis, found) = stored(at)
      same(new Timestamp(millis))(found == at)
    }

    override def instant(at: Instant): Any = new Timestamp(at.toEpochMilli)

    override def time(at: LocalTime): Any = at.toString

    /** Returns the milliseconds of a local time in the calendar of JDBC, and the local time of the result. */
    private def stored(at: LocalDateTime): (Long, LocalDateTime) = {
      val calendar = new GregorianCalendar(TimeZone.getTimeZone(zone))
      calendar.clear()
      calendar.set(at.getYear, at.getMonthValue - 1, at.getDayOfMonth, at.getHour, at.getMinute, at.getSecond)
      calendar.set(Calendar.MILLISECOND, at.getNano / 1000000)
      val millis = calendar.getTimeInMillis
      val found  = LocalDateTime.of(
        calendar.get(Calendar.YEAR),
        calendar.get(Calendar.MONTH) + 1,
        calendar.get(Calendar.DAY_OF_MONTH),
        calendar.get(Calendar.HOUR_OF_DAY),
        calendar.get(Calendar.MINUTE),
        calendar.get(Calendar.SECOND),
        calendar.get(Calendar.MILLISECOND) * 1000000
      )
      (millis, if (calendar.get(Calendar.ERA) == GregorianCalendar.AD) found else LocalDateTime.MIN)
    }

    private def same[A](value: A)(fits: Boolean): A =
      if (fits) value else throw new Inexact(s"is not a time in the zone $zone")
  }

  private val Spaced = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS")
}
