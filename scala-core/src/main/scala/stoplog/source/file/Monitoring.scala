// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** The manner in which a streaming query follows its directories.
  *
  * @param intervalMillis     how much time passes between two listings at least
  * @param wholeListingMillis how much time may pass without a listing of all directories
  * @param absence            the handling of files that listings do not find
  * @param cleaning           the handling of files that have been read
  */
private[stoplog] final case class Monitoring(
    onChangedFile: Monitoring.OnChangedFile = Monitoring.OnChangedFile.Ignore,
    onMergedPart: Monitoring.OnMergedPart = Monitoring.OnMergedPart.Fail,
    intervalMillis: Long = 0,
    wholeListingMillis: Long = 10 * 60 * 1000L,
    cleaning: CleanSource = CleanSource.Keep,
    absence: Monitoring.AbsenceLimits = Monitoring.AbsenceLimits()
) {

  /** Whether a listing passes over directories that have not changed, where the storage tells, but for now and then. A
    * file that changes does not change its directory: so not for a user who asks for changed files.
    */
  def passesOver: Boolean = onChangedFile == Monitoring.OnChangedFile.Ignore
}

private[stoplog] object Monitoring {

  /** @param forgetMillis the time for which a file has to be absent before it is forgotten
    * @param onOther      the handling of a directory that is not the one in which files were read
    * @param waitMillis   the time after which a query fails that waits for a path without any file
    */
  final case class AbsenceLimits(
      forgetMillis: Long = 24 * 60 * 60 * 1000L,
      onOther: OtherDirectory = OtherDirectory.Wait,
      waitMillis: Long = 24 * 60 * 60 * 1000L
  )

  /** The handling of a directory that is not the one in which files were read. */
  sealed trait OtherDirectory

  object OtherDirectory {

    /** The files that were read there do not count as removed. */
    case object Wait extends OtherDirectory

    /** It is taken for the same directory. */
    case object Accept extends OtherDirectory
  }

  /** The handling of a file that has been read, and has another length or time now. */
  sealed trait OnChangedFile

  object OnChangedFile {

    /** Nothing: its rows were read. */
    case object Ignore extends OnChangedFile

    /** It is read again, as if it were new. */
    case object Reread extends OnChangedFile

    /** If it is longer, the added bytes are read, as far as their records are whole: a compressed file is an error. If it is
      * shorter, it is read again.
      */
    case object Tail extends OnChangedFile
  }

  /** A streaming query's handling of a part that a merge of the sink's has written: a new file, whose rows it may have
    * read from the parts that are gone for it. Decision 0019.
    */
  sealed trait OnMergedPart extends Serializable

  object OnMergedPart {

    /** The query fails: it cannot be known which of the rows are new. */
    case object Fail extends OnMergedPart

    /** It is read as any file: of a directory in which nothing is merged any more. */
    case object Read extends OnMergedPart

    /** It is left out, because its rows were read before they were merged. */
    case object Skip extends OnMergedPart
  }
}
