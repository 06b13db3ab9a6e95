// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.storage.DirectoryState

/** Directories without changes since their listing, on storages that report when an entry was last added to a
  * directory or removed from a directory.
  *
  * The time is read before the listing. If a file is added after the listing, but at the same tick of the
  * storage's clock, the time does not change any more. So a directory counts as known only if its time is
  * sufficiently old when the directory is listed. The margin also covers clocks that differ by a few seconds.
  * The next listing of all directories finds all remaining changes.
  *
  * Holds paths and times of directories, but no names of files.
  */
private[file] final class KnownDirectories(wholeEveryMillis: Long) {
  import DirectoryWalker.ListedDirectory
  import KnownDirectories._

  private var known                 = Map.empty[String, Known]
  private var wholeAt: Option[Long] = None
  private var next                  = mutable.Map.empty[String, Known]
  private var listing               = nothing

  /** Starts a listing: of all directories, or only of directories that may have changed. */
  def begin(elapsedMillis: Long): Coverage = {
    val whole = known.isEmpty || wholeAt.forall(elapsedMillis - _ >= wholeEveryMillis)
    listing = if (whole) nothing else known
    next = mutable.Map.empty
    if (whole) Whole else Changed
  }

  /** Returns the directories in an unchanged directory, which need not be listed. */
  def unchanged(directory: String, now: DirectoryState): Option[Vector[ListedDirectory]] =
    listing.get(directory).filter(_.state == now).map { same =>
      synchronized(next(directory) = same)
      same.below
    }

  /** Called when a directory was listed and contains nothing that must be checked again.
    *
    * @param state     before the listing of the directory
    * @param nowMillis the start time of the listing
    */
  def listed(
      directory: String,
      state: DirectoryState,
      nowMillis: Long,
      below: Vector[ListedDirectory]
  ): Unit =
    if (nowMillis - state.changedMillis >= MarginMillis)
      synchronized(next(directory) = Known(state, below))

  /** Called when the listing has ended, and all files that it found are held. */
  def end(coverage: Coverage, elapsedMillis: Long): Unit = {
    known = next.toMap
    if (coverage == Whole) wholeAt = Some(elapsedMillis)
  }

  /** Makes the next listing a listing of all directories. Called if not all found files could be held, if the
    * listing failed, or if a directory was replaced.
    */
  def forgetAll(): Unit = {
    known = nothing
    wholeAt = None
  }
}

private[file] object KnownDirectories {

  /** The minimum age of a directory's last change when the directory is listed. */
  final val MarginMillis = 10 * 1000L

  final case class Known(state: DirectoryState, below: Vector[DirectoryWalker.ListedDirectory])

  private val nothing = Map.empty[String, Known]

  /** The directories that a listing covers. */
  sealed trait Coverage

  /** All directories. */
  case object Whole extends Coverage

  /** The directories that may have changed. */
  case object Changed extends Coverage
}
