// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.UUID

/** One run of one driver: new at each start, so nothing that is named after it can be named twice. */
final case class RunId(value: String) {

  /** The short form that goes into the names of parts: 48 random bits as 12 hexadecimal digits. */
  def uid: String = value.filter(_ != '-').take(12)
}

object RunId {
  def random(): RunId = RunId(UUID.randomUUID().toString)
}

/** The names of finished parts: `<prefix>-<uid>-<n><suffix>`.
  *
  * The uid is that of the run that opened the part and the number is given out by the log, so no name is ever made
  * twice, whatever Spark counts anew after a restart.
  */
private[stoplog] final case class PartNaming(prefix: String, suffix: String) {
  def name(run: RunId, number: Long): String = s"$prefix-${run.uid}-$number$suffix"

  /** The name of a part that a merge has written: `<prefix>-<uid>-m<n><suffix>`, counted by the run itself. */
  def merged(run: RunId, number: Long): String = s"$prefix-${run.uid}-m$number$suffix"
}

/** Stands for the columns that a part's rows have: as short as can be, since it may be in the record of every epoch. */
private[stoplog] final case class SchemaId(value: String)

private[stoplog] object SchemaId {

  /** The first 48 bits of a digest. `text` are the columns as the log keeps them. */
  def of(text: String): SchemaId =
    SchemaId(digest(text).take(6).map(byte => f"${byte & 0xff}%02x").mkString)

  private def digest(text: String): Array[Byte] =
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8))
}

/** Paths as records have them: of files below the sink's path, names with `/` between them.
  *
  * A user who may write into a log must not get a file read, renamed, cut or deleted that lies elsewhere. So each path
  * is looked at when its record is read, and again when a store goes there. Symbolic links on the way are the user's.
  */
object PathBelow {

  /** The reason why the path may lead elsewhere, if it may. The empty one is the sink's path itself. */
  def problem(path: String): Option[String] =
    if (path.startsWith("/")) Some("it is absolute")
    else if (path.contains('\u0000')) Some("there is a NUL in it")
    else Option.when(path.split('/').contains(".."))("there is a '..' in it")

  /** The same of one name in a directory. */
  def problemOfName(name: String): Option[String] =
    if (name.isEmpty || name == ".") Some("it is no name")
    else if (name.contains('/')) Some("there is a '/' in it")
    else problem(name)
}
