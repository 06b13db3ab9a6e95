// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** Metrics of the listings of one run. */
private[file] final class ListingCounts {
  private var listings    = 0L
  private var lastMillis  = 0L
  private var totalMillis = 0L
  private var lastFiles   = 0L
  private var remembered  = 0L
  private var lastWaiting = 0L

  /** Directories that were listed: each is a call of the storage, or several if it is large. */
  var directories: Long = 0

  /** Directories that were not, since nothing had changed in them. */
  var skipped: Long = 0

  /** Files that the running listing has come by. */
  var files: Long = 0

  /** Unread files among them that are not ready. */
  var waiting: Long = 0

  /** Times that a listing came by a file that has changed since it was read, and was left alone. */
  var ignored: Long = 0

  def begin(): Unit = {
    files = 0
    waiting = 0
  }

  def ended(millis: Long, seen: Int): Unit = {
    listings += 1
    lastMillis = millis
    totalMillis += millis
    lastFiles = files
    lastWaiting = waiting
    remembered = seen.toLong
  }

  def metrics: Map[String, String] = Map(
    "listings"            -> listings,
    "listedDirectories"   -> directories,
    "skippedDirectories"  -> skipped,
    "listingMillis"       -> totalMillis,
    "lastListingMillis"   -> lastMillis,
    "lastListedFiles"     -> lastFiles,
    "unreadyFiles"        -> lastWaiting,
    "rememberedFiles"     -> remembered,
    "changedFilesIgnored" -> ignored
  ).map { case (name, value) => name -> value.toString }
}
