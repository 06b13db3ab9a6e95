// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** The way in which a streaming query monitors its directories.
  *
  * @param onMergedPart       the handling of a part that a sink's compaction has written
  * @param onReplacedPart     the handling of a part that a job has written to replace partitions
  * @param intervalMillis     the minimum time between two listings
  * @param wholeListingMillis the maximum time without a listing of all directories
  * @param absence            the handling of files that listings do not find
  * @param cleaning           the handling of files that have been read
  */
private[stoplog] final case class Monitoring(
    onChangedFile: Monitoring.OnChangedFile = Monitoring.OnChangedFile.Ignore,
    onMergedPart: Monitoring.OnMergedPart = Monitoring.OnMergedPart.Fail,
    intervalMillis: Long = 0,
    wholeListingMillis: Long = Monitoring.WholeListingMillis,
    cleaning: CleanSource = CleanSource.Keep,
    absence: Monitoring.AbsenceLimits = Monitoring.AbsenceLimits(),
    onReplacedPart: Monitoring.OnMergedPart = Monitoring.OnMergedPart.Fail
) {

  /** Whether a listing skips unchanged directories, if the storage reports changes. All directories are still
    * listed at intervals. A change of a file does not change its directory, so no directory is skipped if
    * changed files are read.
    */
  def passesOver: Boolean = onChangedFile == Monitoring.OnChangedFile.Ignore
}

private[stoplog] object Monitoring {

  /** The maximum time without a listing of all directories, if files are not forgotten much sooner. */
  final val WholeListingMillis = 10 * 60 * 1000L

  /** @param forgetMillis the time for which a file has to be absent before it is forgotten
    * @param onOther      the handling of a directory that is not the directory in which files were read
    * @param waitMillis   the time after which a query fails that waits for a path without any file
    */
  final case class AbsenceLimits(
      forgetMillis: Long = 24 * 60 * 60 * 1000L,
      onOther: OtherDirectory = OtherDirectory.Wait,
      waitMillis: Long = 24 * 60 * 60 * 1000L
  )

  /** The handling of a directory that is not the directory in which files were read. */
  sealed trait OtherDirectory

  object OtherDirectory {

    /** The files that were read there do not count as removed. */
    case object Wait extends OtherDirectory

    /** The directory is treated as the same directory. */
    case object Accept extends OtherDirectory
  }

  /** The handling of a file that has been read, and now has another length or time. */
  sealed trait OnChangedFile

  object OnChangedFile {

    /** The file is ignored: its rows were read. */
    case object Ignore extends OnChangedFile

    /** The file is read again, as a new file. */
    case object Reread extends OnChangedFile

    /** If the file is longer, the added bytes are read, up to the last complete record: a compressed file is
      * an error. If the file is shorter, the file is read again.
      */
    case object Tail extends OnChangedFile
  }

  /** A streaming query's handling of a part that replaces others: the sink's compaction has written the part,
    * or a job that replaces partitions. The part is a new file, and the query may have read the replaced
    * parts. Decision 0019.
    */
  sealed trait OnMergedPart extends Serializable

  object OnMergedPart {

    /** The query fails, because it cannot determine the new rows. */
    case object Fail extends OnMergedPart

    /** The part is read as any file, for a directory without further replacements. */
    case object Read extends OnMergedPart

    /** The part is skipped, because the query has read the replaced parts. */
    case object Skip extends OnMergedPart
  }
}
