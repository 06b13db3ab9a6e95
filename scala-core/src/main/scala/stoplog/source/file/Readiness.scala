// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.SourceFile

/** The conditions for a file to count as complete. All that is asked for has to hold.
  *
  * @param leastAgeMillis  how long it has not been written to
  * @param stableForMillis how long it has had its length, as listings at least so far apart see it
  * @param marker          a file that says so
  */
private[stoplog] final case class Readiness(
    leastAgeMillis: Long,
    stableForMillis: Option[Long] = None,
    marker: Option[ReadyMarker] = None
) {
  def isOldEnough(file: SourceFile, nowMillis: Long): Boolean =
    nowMillis - file.modifiedMillis >= leastAgeMillis
}

private[stoplog] object Readiness {

  /** As soon as it is there. */
  val atOnce: Readiness = Readiness(Long.MinValue)

  /** The time for which each unread file has had its length, as far as this run has seen it. 24 bytes for each. */
  private[file] final class StableLengths(forMillis: Long) {
    private var before = new SeenTable
    private var now    = new SeenTable

    /** Files that the listing does not come by are forgotten. */
    def beginListing(): Unit = {
      before = now
      now = new SeenTable
    }

    /** The listing failed: files that it did not come by are still known. */
    def abandonListing(): Unit = now = before

    /** A listing that began then came by the file. Whether an earlier one, long enough before, found the same length. */
    def isStable(file: SourceFile, elapsedMillis: Long): Boolean = {
      val hash  = PathHash.of(file.path)
      val slot  = before.find(hash)
      val known = Option.when(slot >= 0)(before.identity(slot)).filter(_.bytes == file.bytes)
      val since = known.fold(elapsedMillis)(_.modifiedMillis)
      now.put(hash, FileIdentity(file.bytes, since))
      elapsedMillis - since >= forMillis
    }
  }
}

/** A file that says that others are complete. It is itself never read. */
private[stoplog] sealed trait ReadyMarker

private[stoplog] object ReadyMarker {

  /** All in its directory, and none in directories below. */
  final case class InDirectory(name: String) extends ReadyMarker

  /** The one whose name is between these two. */
  final case class PerFile(before: String, after: String) extends ReadyMarker {
    def isMarker(name: String): Boolean =
      name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length

    /** Of which file it tells. */
    def fileOf(marker: String): String = marker.substring(before.length, marker.length - after.length)
  }
}
