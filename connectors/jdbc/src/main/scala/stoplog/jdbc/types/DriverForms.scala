// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.time.ZoneId

/** The forms of values that a driver expects.
  *
  * @param moments the values of dates and times
  * @param arrays  the form of arrays
  * @param zone    the zone of local times that stand for points in time: the zone of the JVM that checked the
  *                table, because executors may have other zones
  */
private[jdbc] final case class DriverForms(moments: Moments, arrays: DriverForms.Arrays, zone: ZoneId)

private[jdbc] object DriverForms {

  /** The form of arrays for a driver. */
  sealed trait Arrays extends Serializable

  object Arrays {

    /** A text that the database parses, as in PostgreSQL. */
    case object AsText extends Arrays

    /** An array of the driver. */
    case object OfDriver extends Arrays
  }
}
