// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream, IOException}

/** The names and the content of valid-length files: `<prefix><name><suffix>` next to a finished file holds the number of
  * its committed bytes. The file itself may be longer. `docs/storage/valid-length.md` describes them for readers.
  *
  * @param prefix begins with `.` or `_`, so that readers do not take the file for data
  */
private[stoplog] final case class ValidLengthNames(prefix: String, suffix: String) {

  /** The path of the valid-length file of a finished file. */
  def of(path: String): String =
    FileStore.path(FileStore.directoryOf(path), s"$prefix${FileStore.nameOf(path)}$suffix")

  /** The path of the finished file to which a valid-length file belongs; `None` if the name is not one of a valid-length file. */
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

  /** The names that a user has chosen. */
  def of(asked: Truncation): ValidLengthNames = ValidLengthNames(asked.prefix, asked.suffix)

  /** The content: decimal digits in Java's modified UTF-8, after two bytes with the number of digits. */
  def encoded(validBytes: Long): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    new DataOutputStream(bytes).writeUTF(validBytes.toString)
    bytes.toByteArray
  }

  /** `None` if the content is not one of a valid-length file. */
  def decoded(bytes: Array[Byte]): Option[Long] =
    try new DataInputStream(new ByteArrayInputStream(bytes)).readUTF().toLongOption
    catch { case _: IOException => None }
}
