// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.storage.DirectoryState

/** Directories in which nothing has changed since they were listed, on storages that tell when an entry was last added
  * to a directory, or removed from it.
  *
  * The time is asked for before the listing. A file that is added after the listing, but at the same tick of the
  * storage's clock, does not change it any more: so a directory counts as known only if its time lies back far enough
  * when it is listed. That also covers clocks that do not agree by a few seconds. The next listing of all directories
  * finds what nothing covers.
  *
  * Holds paths and times of directories, and no names of files.
  */
private[file] final class KnownDirectories(wholeEveryMillis: Long) {
  import DirectoryWalker.ListedDirectory
  import KnownDirectories._

  private var known                 = Map.empty[String, Known]
  private var wholeAt: Option[Long] = None
  private var next                  = mutable.Map.empty[String, Known]
  private var listing               = nothing

  /** Begins a listing: of all directories, or of those only that may have changed. */
  def begin(elapsedMillis: Long): Coverage = {
    val whole = known.isEmpty || wholeAt.forall(elapsedMillis - _ >= wholeEveryMillis)
    listing = if (whole) nothing else known
    next = mutable.Map.empty
    if (whole) Whole else Changed
  }

  /** The directories in a directory that need not be listed. */
  def unchanged(directory: String, now: DirectoryState): Option[Vector[ListedDirectory]] =
    listing.get(directory).filter(_.state == now).map { same =>
      synchronized(next(directory) = same)
      same.below
    }

  /** A directory was listed, and there is nothing in it that has to be looked at again.
    *
    * @param state     before it was listed
    * @param nowMillis when the listing began
    */
  def listed(
      directory: String,
      state: DirectoryState,
      nowMillis: Long,
      below: Vector[ListedDirectory]
  ): Unit =
    if (nowMillis - state.changedMillis >= MarginMillis)
      synchronized(next(directory) = Known(state, below))

  /** The listing is over, and all that it found is held. */
  def end(coverage: Coverage, elapsedMillis: Long): Unit = {
    known = next.toMap
    if (coverage == Whole) wholeAt = Some(elapsedMillis)
  }

  /** The next listing is one of all directories: not all that was found could be held, the listing failed, or a directory
    * is another one.
    */
  def forgetAll(): Unit = {
    known = nothing
    wholeAt = None
  }
}

private[file] object KnownDirectories {

  /** The time for which a directory must not have changed when it is listed. */
  final val MarginMillis = 10 * 1000L

  final case class Known(state: DirectoryState, below: Vector[DirectoryWalker.ListedDirectory])

  private val nothing = Map.empty[String, Known]

  /** The directories that a listing lists. */
  sealed trait Coverage

  /** All of them. */
  case object Whole extends Coverage

  /** The directories that may have changed. */
  case object Changed extends Coverage
}
