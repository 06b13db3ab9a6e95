// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{Ending, FileId, SourceFile}

/** By what a storage tells a file from what was there before under its name. */
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

/** What tells whether a file that grows is still the one that was read: half a hash of its id, and its ending. */
private[file] final case class FileMark(bits: Long) extends AnyVal {

  /** 0 if it is not known. */
  def id: Int        = (bits >>> 32).toInt
  def ending: Ending = Ending(bits.toInt)

  /** Whether both ids are known, and are of two files. */
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

/** What is remembered of each file. */
private[file] sealed abstract class SeenWidth(val longs: Int) {
  final def bytes: Int = 8 * longs
}

private[file] object SeenWidth {

  /** The version of state that names it. */
  final val Since = 3

  case object Plain extends SeenWidth(3)

  /** With its [[FileMark]]. */
  case object Marked extends SeenWidth(4)

  def of(longs: Int): SeenWidth = if (longs == Marked.longs) Marked else Plain
}
