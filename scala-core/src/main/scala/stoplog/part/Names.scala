// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.UUID
import java.util.regex.Pattern

/** A run of a driver. Every start creates a new id, so names derived from the id are unique. */
final case class RunId(value: String) {

  /** The short form for the names of parts: 48 random bits as 12 hexadecimal digits. */
  def uid: String = value.filter(_ != '-').take(RunId.UidDigits)
}

object RunId {
  private[part] final val UidDigits = 12

  def random(): RunId = RunId(UUID.randomUUID().toString)
}

/** The names of finished parts: `<prefix>-<uid>-<letter><n><suffix>`. The letter states the kind of the part:
  * none for added rows, `r` for parts that replace the rows of partitions, `m` for compacted parts.
  *
  * The uid identifies the run that opened the part, and the log assigns the number. So each name is unique,
  * although Spark restarts its own counters after a restart.
  */
private[stoplog] final case class PartNaming(
    prefix: String,
    suffix: String,
    kind: PartNaming.Kind = PartNaming.Kind.Added
) {
  def name(run: RunId, number: Long): String = s"$prefix-${run.uid}-${kind.letter}$number$suffix"

  /** Returns the name of a compacted part. The run itself counts these parts. */
  def compacted(run: RunId, number: Long): String =
    copy(kind = PartNaming.Kind.Compacted).name(run, number)
}

private[stoplog] object PartNaming {

  /** The relation of a part's rows to rows that readers have seen before. */
  sealed abstract class Kind(private[PartNaming] val letter: String) extends Product with Serializable
  object Kind {
    case object Added extends Kind("")

    /** A reader of the replaced rows must not add these rows. */
    case object Replacing extends Kind("r")

    /** The rows of smaller parts, which a compaction has replaced. */
    case object Compacted extends Kind("m")

    private[PartNaming] val all: Vector[Kind] = Vector(Added, Replacing, Compacted)
  }

  /** Returns the kind of the finished part at this path; `None` if the path is not the path of a part. */
  def kindOf(path: String): Option[Kind] = {
    val name = Name.matcher(path)
    Option.when(name.matches())(name.group(1)).flatMap(letter => Kind.all.find(_.letter == letter))
  }

  private val Name = {
    val letters = Kind.all.map(_.letter).mkString("|")
    Pattern.compile(s"(?s).*-[0-9a-f]{${RunId.UidDigits}}-($letters)\\d+(\\.[^/]*)?")
  }
}

/** Identifies the columns of a part's rows. The id is short, because every epoch's record may contain it. */
private[stoplog] final case class SchemaId(value: String)

private[stoplog] object SchemaId {

  /** Returns the first 48 bits of a digest. `text` is the log's representation of the columns. */
  def of(text: String): SchemaId =
    SchemaId(digest(text).take(6).map(byte => f"${byte & 0xff}%02x").mkString)

  private def digest(text: String): Array[Byte] =
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8))
}

/** Paths in records: files below the sink's path, with names separated by `/`.
  *
  * A user with write access to a log must not cause reads, renames, truncation or deletion of files outside
  * the sink's path. So each path is checked when its record is read, and again before a store accesses the
  * file. Symbolic links within the path remain the user's responsibility.
  */
object PathBelow {

  /** Returns the reason why the path may leave the sink's path, if any. The empty path, the sink's path
    * itself, is valid.
    */
  def problem(path: String): Option[String] =
    if (path.startsWith("/")) Some("it is absolute")
    else if (path.contains('\u0000')) Some("it contains a NUL character")
    else Option.when(path.split('/').contains(".."))("it contains '..'")

  /** Returns the same check for a single name in a directory. */
  def problemOfName(name: String): Option[String] =
    if (name.isEmpty || name == ".") Some("it is not a name")
    else if (name.contains('/')) Some("it contains '/'")
    else problem(name)
}
