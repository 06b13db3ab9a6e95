// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.SourceFile

/** The conditions for a file to count as complete. All that is asked for has to hold.
  *
  * @param leastAgeMillis  how long it has not been written to
  * @param stableForMillis how long it has had its length, as listings at least so far apart see it
  * @param marker          a file that says so
  */
final case class Readiness(
    leastAgeMillis: Long,
    stableForMillis: Option[Long] = None,
    marker: Option[ReadyMarker] = None
) {
  def isOldEnough(file: SourceFile, nowMillis: Long): Boolean =
    nowMillis - file.modifiedMillis >= leastAgeMillis
}

object Readiness {

  /** As soon as it is there. */
  val atOnce: Readiness = Readiness(Long.MinValue)
}

/** A file that says that others are complete. It is itself never read. */
sealed trait ReadyMarker

object ReadyMarker {

  /** All in its directory, and none in directories below. */
  final case class InDirectory(name: String) extends ReadyMarker

  /** The one whose name is between these two. */
  final case class Beside(before: String, after: String) extends ReadyMarker {
    def isMarker(name: String): Boolean =
      name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length

    /** Of which file it tells. */
    def fileOf(marker: String): String = marker.substring(before.length, marker.length - after.length)
  }
}
