// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.TimeZone

/** The default zone of the JVM. */
object Zones {

  /** Runs `work` with another default zone. */
  def in[A](zone: String)(work: => A): A = {
    val before = TimeZone.getDefault
    TimeZone.setDefault(TimeZone.getTimeZone(zone))
    try work
    finally TimeZone.setDefault(before)
  }
}
