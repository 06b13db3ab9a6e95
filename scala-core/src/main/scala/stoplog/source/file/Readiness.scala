// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{FileStore, SourceFile, SourceFiles}

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

  /** Whether a file of this name marks other files. */
  def isMarker(name: String): Boolean = marker.exists(_.of(name).isEmpty)

  /** Whether a single look finds the file complete. Looks up the marker. A file that is the root itself needs
    * no marker.
    */
  def isReady(files: SourceFiles, file: SourceFile, nowMillis: Long): Boolean =
    isOldEnough(file, nowMillis) && (file.path.isEmpty || marker.forall(_.marks(files, file)))
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
private[stoplog] sealed trait ReadyMarker {

  /** Returns the name of the marker of a file; `None` if the file is a marker. */
  def of(name: String): Option[String]

  /** Whether the marker of the file exists. */
  def marks(files: SourceFiles, file: SourceFile): Boolean =
    of(files.nameOf(file)).exists(name => files.find(FileStore.path(DirectoryNames.of(file), name)).isDefined)
}

private[stoplog] object ReadyMarker {

  /** Marks all files in its directory, but no files in nested directories. */
  final case class InDirectory(name: String) extends ReadyMarker {
    override def of(file: String): Option[String] = Option.when(file != name)(name)
  }

  /** Marks the file whose name is between `before` and `after`. */
  final case class PerFile(before: String, after: String) extends ReadyMarker {
    override def of(name: String): Option[String] = Option.unless(isMarker(name))(before + name + after)

    def isMarker(name: String): Boolean =
      name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length

    /** Returns the file that the marker describes. */
    def fileOf(marker: String): String = marker.substring(before.length, marker.length - after.length)
  }
}
