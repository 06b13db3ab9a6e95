// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.util.zip.CRC32C

import scala.util.Using

/** A digest of the last bytes before a position of a file: a program that only adds to the file does not change it. A file
  * of another content has another one, but for one in four billion.
  */
final case class Ending(crc: Int) extends AnyVal {
  def isKnown: Boolean = this != Ending.Unknown

  /** Whether both are known, and differ. */
  def isOther(than: Ending): Boolean = isKnown && than.isKnown && this != than
}

object Ending {
  val Unknown: Ending = Ending(0)

  /** The number of bytes, if there are so many. */
  final val Bytes: Int = 64 * 1024

  /** The ending that these bytes are; unknown of no byte. */
  def of(bytes: Array[Byte]): Ending =
    if (bytes.isEmpty) Unknown
    else {
      val crc = new CRC32C()
      crc.update(bytes, 0, bytes.length)
      Ending(if (crc.getValue == 0) 1 else crc.getValue.toInt)
    }

  /** Reads the ending of a file as long as it was when it was listed. Errors: those of [[SourceFiles.open]]. */
  def read(files: SourceFiles, file: SourceFile): Ending = {
    val from = (file.bytes - Bytes).max(0L)
    of(Using.resource(files.open(file, from))(_.readNBytes((file.bytes - from).toInt)))
  }
}
