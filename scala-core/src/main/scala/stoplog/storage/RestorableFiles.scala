// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import org.apache.hadoop.conf.Configuration

/** The finished files of a path that a replacement has hidden, and that may become visible again (P-144).
  *
  * Files are hidden before the end of their replacement is known. A slow process may also hide a file of a
  * replacement that was called off. So an absent file is known to be removed only if the file is not hidden.
  *
  * A caller looks at the file, calls a method of this class, and looks at the file again: the file may be
  * restored between the first look and the call.
  */
private[stoplog] final class RestorableFiles(files: FileStore) {
  import RestorableFiles._

  /** Returns the hidden place of one of these files, for messages; `None` if none of the files is hidden. */
  def placeOf(paths: Iterable[String]): Option[String] =
    records.flatMap(record => paths.iterator.map(record.place)).find(files.exists).map(files.describe)

  /** Returns the hidden place of any file, for messages. Ignores a file whose path another file has: such a
    * file stays hidden.
    */
  def anyPlace: Option[String] = records
    .flatMap { record =>
      files.walk(record.directory)(_ => true).find(hidden => !files.exists(record.pathAt(hidden.path)))
    }
    .nextOption()
    .map(hidden => files.describe(hidden.path))

  /** Returns whether a hidden file of the bucket would be visible to readers. */
  def isIn(bucket: String): Boolean = records.exists { record =>
    files
      .names(record.directoryOf(bucket))
      .exists(name => name.endsWith(ReplacedFiles.Unseen) && !HiddenNames.isHidden(name))
  }

  /** The records with hidden files. Usually empty: one list for each log. */
  private def records: Iterator[Record] = files.names(SinkDirectory.Root).iterator.flatMap { sinkId =>
    new ReplacedFiles(files, sinkId).hiddenFor().map(Record(sinkId, _)).filter(mayReturn)
  }

  /** Where hiding takes several steps, only the process that carries out the newest record restores files.
    * Any other hidden file may be an old copy, which stays hidden (P-87).
    */
  private def mayReturn(record: Record): Boolean =
    files.capabilities.moves == Moves.Atomically || {
      val log = files.names(SinkDirectory(record.sinkId).log)
      !log.exists(name => name == record.mark || numberOf(name).exists(_ > record.seq))
    }
}

private[stoplog] object RestorableFiles {

  /** Returns the files of a path. A failed look-up of a mount is an error of the first read, which the caller
    * repeats. Errors: those of [[Storage.state]].
    */
  def at(path: String, configuration: Configuration): RestorableFiles =
    new RestorableFiles(Storage.state(path, configuration))

  /** The number at the start of each name in a log. */
  private def numberOf(name: String): Option[Long] = name.takeWhile(_ != '.').toLongOption

  private final case class Record(sinkId: String, seq: Long) {
    val directory: String = ReplacedFiles.directory(sinkId, seq)

    def mark: String = s"${Digits.of(seq)}${SinkDirectory.Mark}"

    def place(path: String): String = ReplacedFiles.place(sinkId, seq, path)

    def pathAt(place: String): String =
      place.stripPrefix(s"$directory/").stripSuffix(ReplacedFiles.Unseen)

    def directoryOf(bucket: String): String = if (bucket.isEmpty) directory else s"$directory/$bucket"
  }
}
