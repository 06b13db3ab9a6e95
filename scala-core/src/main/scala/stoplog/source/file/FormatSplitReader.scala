// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.net.URI

import scala.util.control.NonFatal

import stoplog.source.Fetched
import stoplog.storage.SourceFiles

/** Reads the records of files of a format of the user's. */
private[file] final class FormatSplitReader[R](
    files: SourceFiles,
    opening: FormatOpening[R],
    onMissing: OnMissingFile
) extends FileByFile[OpenRecords[R], FormatRecord[R]](files, onMissing) {

  override protected def begin(split: FileSplit): OpenRecords[R] = opening.open(files, split)

  override protected def hasMore(records: OpenRecords[R]): Boolean = !records.isAtEnd

  override protected def records(
      split: FileSplit,
      records: OpenRecords[R]
  ): Fetched.Records[FileSplit, FormatRecord[R]] = new Fetchable(split, records)

  override protected def position(split: FileSplit, open: Option[OpenRecords[R]]): String =
    open.flatMap(_.passed).fold(split.extent.toString)(at => unit(split.extent) + at)

  private def unit(extent: Extent): String = extent match {
    case _: Extent.Bytes   => "byte "
    case _: Extent.Records => "record "
  }

  /** Up to a number of records, so that whoever wakes the reader need not wait for the whole file. */
  private final class Fetchable(override val split: FileSplit, records: OpenRecords[R])
      extends Fetched.Records[FileSplit, FormatRecord[R]]
      with FormatRecord[R] {
    private var left = FormatSplitReader.AtOnce

    override val fileName: String = files.describe(split.file.path)

    override def location: URI = files.locate(split.file.path)

    override def advance(): Boolean = left > 0 && {
      left -= 1
      guarded(split)(records.advance(), leftOut = false)
    }

    override def record: FormatRecord[R] = this

    override def value: R =
      try records.record
      catch { case NonFatal(e) => throw unreadable(split, e) }

    override def position: Option[Long] = records.begins

    override def rest: Option[FileSplit] = records.passed.flatMap(split.rest)
  }
}

private object FormatSplitReader {
  final val AtOnce = 4096
}
