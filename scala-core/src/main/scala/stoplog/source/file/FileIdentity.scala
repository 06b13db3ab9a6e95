// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{Ending, FileId, SourceFile}

/** Distinguishes a file from earlier files of the same path. */
private[file] final case class FileIdentity(
    bytes: Long,
    modifiedMillis: Long,
    mark: FileMark = FileMark.Unknown
) {

  /** Whether the file has this length and this time. */
  def isOf(file: SourceFile): Boolean =
    bytes == FileIdentity.storedBytes(file) && modifiedMillis == file.modifiedMillis
}

private[file] object FileIdentity {
  def of(file: SourceFile): FileIdentity =
    FileIdentity(storedBytes(file), file.modifiedMillis, FileMark.of(file))

  private def storedBytes(file: SourceFile): Long = file.storedBytes.getOrElse(file.bytes)
}

/** Identifies a growing file across listings: half a hash of the id, and the ending. */
private[file] final case class FileMark(bits: Long) extends AnyVal {

  /** 0 if the id is unknown. */
  def id: Int        = (bits >>> 32).toInt
  def ending: Ending = Ending(bits.toInt)

  /** Whether both ids are known and differ. */
  def isOtherThan(file: SourceFile): Boolean = id != 0 && file.id.isKnown && id != FileMark.of(file).id
}

private[file] object FileMark {
  val Unknown: FileMark = FileMark(0)

  def of(file: SourceFile): FileMark = FileMark(
    (half(file.id).toLong << 32) | (file.ending.crc & 0xffffffffL)
  )

  private def half(id: FileId): Int =
    if (id.isKnown) scala.util.hashing.byteswap64(id.value).toInt | 1 else 0
}

/** The size of an entry for each remembered file. */
private[file] sealed abstract class SeenWidth(val longs: Int) {
  final def bytes: Int = 8 * longs
}

private[file] object SeenWidth {
  case object Plain extends SeenWidth(3)

  /** Entries with a [[FileMark]]. */
  case object Marked extends SeenWidth(4)

  def of(longs: Int): SeenWidth = if (longs == Marked.longs) Marked else Plain
}
