// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.SourceFiles

/** How the files of a source are found.
  *
  * @param rules             which files
  * @param framing           where they can be cut
  * @param onChangedFile     what becomes of a file that has been read and is another now
  * @param readiness         which files are complete
  * @param cleaning          what becomes of files that have been read
  * @param listEveryMillis   how much time passes between two listings at least
  * @param listingThreads    how many directories are listed at a time
  * @param onMergedPart      what becomes of files that a sink has merged
  * @param heldFiles         how many unread files are held in memory; the oldest of them, and the others later
  * @param finder            finds the files in another way than by listing all directories
  * @param wholeListingMillis how much time may pass without a listing of all directories
  */
final case class Enumeration(
    files: SourceFiles,
    rules: PathRules,
    framing: FileSplitter,
    onChangedFile: OnChangedFile,
    readiness: Readiness,
    cleaning: Cleaning,
    listEveryMillis: Long,
    onMergedPart: OnMergedPart = OnMergedPart.Fail,
    listingThreads: Int = DirectoryWalker.Threads,
    heldFiles: Int = 500 * 1000,
    finder: Option[FileFinder] = None,
    wholeListingMillis: Long = 10 * 60 * 1000L
) {
  def listing: Listing = if (onChangedFile == OnChangedFile.Ignore) Listing.Changed else Listing.All
}

/** The handling of a file that has been read, and has another length or time now. */
sealed trait OnChangedFile
object OnChangedFile {

  /** Nothing: its rows were read. */
  case object Ignore extends OnChangedFile

  /** It is read again, as if it were new. */
  case object Reread extends OnChangedFile

  /** If it is longer, what was added is read, as far as its records are whole; if it is shorter, it is read again. */
  case object Tail extends OnChangedFile
}

/** Which directories are listed, each time. */
sealed trait Listing
object Listing {

  /** All. */
  case object All extends Listing

  /** Those that have changed, where the storage tells, and all only now and then. What changes in a file changes nothing in
    * its directory: only for those who do not ask for it.
    */
  case object Changed extends Listing
}
