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
}
