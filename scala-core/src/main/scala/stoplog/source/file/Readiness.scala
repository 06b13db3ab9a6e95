// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.SourceFile

/** The conditions for a complete file. All configured conditions must hold.
  *
  * @param leastAgeMillis  the minimum time since the last write
  * @param stableForMillis the minimum time with the same length, as seen by listings with at least this
  *                        distance
  * @param marker          a file that marks other files as complete
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

  /** Files are complete as soon as they exist. */
  val atOnce: Readiness = Readiness(Long.MinValue)

  /** The time for which each unread file has had its length, as seen by this run. Uses 24 bytes per file. */
  private[file] final class StableLengths(forMillis: Long) {
    private var before = new SeenTable
    private var now    = new SeenTable

    /** Starts a listing. Files that the listing does not find are forgotten. */
    def beginListing(): Unit = {
      before = now
      now = new SeenTable
    }

    /** Called when the listing failed: files that the listing did not find are still known. */
    def abandonListing(): Unit = now = before

    /** Called for each file of a listing that started at this time. Returns whether an earlier listing, at
      * least `forMillis` before, found the same length.
      */
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

/** A file that marks other files as complete. A marker is never read as data. */
private[stoplog] sealed trait ReadyMarker

private[stoplog] object ReadyMarker {

  /** Marks all files in its directory, but no files in nested directories. */
  final case class InDirectory(name: String) extends ReadyMarker

  /** Marks the file whose name is between `before` and `after`. */
  final case class PerFile(before: String, after: String) extends ReadyMarker {
    def isMarker(name: String): Boolean =
      name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length

    /** Returns the file that the marker describes. */
    def fileOf(marker: String): String = marker.substring(before.length, marker.length - after.length)
  }
}
