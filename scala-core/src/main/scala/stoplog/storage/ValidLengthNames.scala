// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream, IOException}

/** The names and the content of valid-length files. The file `<prefix><name><suffix>` next to a finished file
  * contains the number of committed bytes. The finished file may be longer. `docs/storage/valid-length.md`
  * describes the files for readers.
  *
  * @param prefix starts with `.` or `_`, so that readers do not treat the file as data
  */
private[stoplog] final case class ValidLengthNames(prefix: String, suffix: String) {

  /** Returns the path of the valid-length file of a finished file. */
  def of(path: String): String =
    FileStore.path(FileStore.directoryOf(path), s"$prefix${FileStore.nameOf(path)}$suffix")

  /** Returns the path of the finished file to which a valid-length file belongs; `None` if the name is not
    * the name of a valid-length file.
    */
  def fileOf(path: String): Option[String] = {
    val name  = FileStore.nameOf(path)
    val isOne =
      name.length > prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
    Option.when(isOne)(
      FileStore.path(
        FileStore.directoryOf(path),
        name.substring(prefix.length, name.length - suffix.length)
      )
    )
  }
}

private[stoplog] object ValidLengthNames {

  /** The names without `validLengthPrefix` and `validLengthSuffix`. */
  val standard: ValidLengthNames = ValidLengthNames(Truncation.DefaultPrefix, Truncation.DefaultSuffix)

  /** Returns whether a hidden file may be a valid-length file of any name, by its length. */
  def mayBeOne(file: FileInfo): Boolean =
    file.bytes > LengthBytes && file.bytes <= LengthBytes + MostDigits && !file.name.endsWith(".crc")

  /** Returns the longest name in the same directory that this name contains after a prefix, as a path. The
    * name of a part with number 12 does not contain the name of the part with number 1.
    */
  def longestIn(path: String)(isFile: String => Boolean): Option[String] = {
    val (directory, name) = (FileStore.directoryOf(path), FileStore.nameOf(path))
    val inside            = for {
      length <- (name.length - 1 to 1 by -1).iterator
      start  <- (1 to name.length - length).iterator
      if !cutsNumber(name, start) && !cutsNumber(name, start + length)
    } yield FileStore.path(directory, name.substring(start, start + length))
    inside.find(isFile)
  }

  /** Returns the longest name in the same directory with which this name ends, after a prefix. */
  def longestEnd(path: String)(isFile: String => Boolean): Option[String] = {
    val (directory, name) = (FileStore.directoryOf(path), FileStore.nameOf(path))
    (1 until name.length).iterator
      .filterNot(cutsNumber(name, _))
      .map(start => FileStore.path(directory, name.substring(start)))
      .find(isFile)
  }

  private def cutsNumber(name: String, at: Int): Boolean =
    at < name.length && name(at).isDigit && name(at - 1).isDigit

  /** Returns the names that a user has configured. */
  def of(truncation: Truncation): ValidLengthNames = ValidLengthNames(truncation.prefix, truncation.suffix)

  /** Encodes the content: two bytes with the digit count, then the digits in Java's modified UTF-8. */
  def encoded(validBytes: Long): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    new DataOutputStream(bytes).writeUTF(validBytes.toString)
    bytes.toByteArray
  }

  /** Decodes the content. Returns `None` if the content is not valid. */
  def decoded(bytes: Array[Byte]): Option[Long] =
    try new DataInputStream(new ByteArrayInputStream(bytes)).readUTF().toLongOption
    catch { case _: IOException => None }

  private final val LengthBytes = 2
  private final val MostDigits  = 19
}
