// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

/** Directories in which nothing has changed since they were listed, on storages that tell when an entry was last added
  * to a directory, or removed from it.
  *
  * The time is asked for before the listing. What is added after the listing, but at the same tick of the storage's
  * clock, does not change it any more: so a directory counts as known only if its time lies back far enough when it is
  * listed. That also covers clocks that do not agree by a few seconds. What nothing covers, the next listing of all
  * directories finds.
  *
  * Holds paths and times of directories, and no names of files.
  */
private[file] final class KnownDirectories(wholeEveryMillis: Long) {
  private var known                 = Map.empty[String, KnownDirectories.Known]
  private var wholeAt: Option[Long] = None
  private var next                  = mutable.Map.empty[String, KnownDirectories.Known]
  private var listing               = KnownDirectories.nothing

  /** Begins a listing: of all directories, or of those only that may have changed. */
  def begin(nowMillis: Long): Coverage = {
    val whole = known.isEmpty || wholeAt.forall(nowMillis - _ >= wholeEveryMillis)
    listing = if (whole) KnownDirectories.nothing else known
    next = mutable.Map.empty
    if (whole) Coverage.Whole else Coverage.Changed
  }

  /** The directories in a directory that need not be listed. */
  def unchanged(directory: String, modifiedMillis: Long): Option[Vector[ListedDirectory]] =
    listing.get(directory).filter(_.modifiedMillis == modifiedMillis).map { same =>
      synchronized(next(directory) = same)
      same.below
    }

  /** A directory was listed, and there is nothing in it that has to be looked at again.
    *
    * @param modifiedMillis its time before it was listed
    * @param nowMillis      when the listing began
    */
  def listed(directory: String, modifiedMillis: Long, nowMillis: Long, below: Vector[ListedDirectory]): Unit =
    if (nowMillis - modifiedMillis >= KnownDirectories.MarginMillis)
      synchronized(next(directory) = KnownDirectories.Known(modifiedMillis, below))

  /** The listing is over, and all that it found is held. */
  def end(coverage: Coverage, nowMillis: Long): Unit = {
    known = next.toMap
    if (coverage == Coverage.Whole) wholeAt = Some(nowMillis)
  }

  /** Not all that was found could be held, or the listing failed: whatever was found has to be found again. */
  def forgetAll(): Unit = {
    known = KnownDirectories.nothing
    wholeAt = None
  }
}

private[file] object KnownDirectories {

  /** How long a directory must not have changed when it is listed. */
  final val MarginMillis = 10 * 1000L

  final case class Known(modifiedMillis: Long, below: Vector[ListedDirectory])

  private val nothing = Map.empty[String, Known]
}

/** Which directories a listing lists. */
private[file] sealed trait Coverage
private[file] object Coverage {

  /** All: what it does not find is not there. */
  case object Whole extends Coverage

  /** Those that may have changed. */
  case object Changed extends Coverage
}
