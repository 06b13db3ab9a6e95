// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.util.zip.CRC32C

import scala.util.Using

/** A digest of the last bytes before a position of a file. Appending to the file does not change the digest.
  * Different content has a different digest, except with a probability of one in four billion.
  */
final case class Ending(crc: Int) extends AnyVal {
  def isKnown: Boolean = this != Ending.Unknown

  /** Whether both endings are known and differ. */
  def isOther(than: Ending): Boolean = isKnown && than.isKnown && this != than
}

object Ending {
  val Unknown: Ending = Ending(0)

  /** The maximum number of bytes in the digest. */
  final val Bytes: Int = 64 * 1024

  /** Returns the ending of these bytes, or unknown if empty. */
  def of(bytes: Array[Byte]): Ending =
    if (bytes.isEmpty) Unknown
    else {
      val crc = new CRC32C()
      crc.update(bytes, 0, bytes.length)
      Ending(if (crc.getValue == 0) 1 else crc.getValue.toInt)
    }

  /** Reads the ending of a file at the listed length. Errors: those of [[SourceFiles.open]]. */
  def read(files: SourceFiles, file: SourceFile): Ending = {
    val from = (file.bytes - Bytes).max(0L)
    of(Using.resource(files.open(file, from))(_.readNBytes((file.bytes - from).toInt)))
  }
}
