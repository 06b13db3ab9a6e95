// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.util.UUID
import java.util.regex.Pattern

/** The layout of unfinished parts below the sink's path. The in-progress path of a part is its token. */
sealed trait PartLayout extends Serializable {

  /** Returns the in-progress path of a new part; `unique` is globally unique. */
  def inProgress(part: NewPart, unique: String): String

  /** Returns the in-progress path of a copy of the part with this token. */
  def another(token: String, unique: String): String = token.take(token.lastIndexOf('-') + 1) + unique

  /** Returns the path of the part between close and publication, if it differs from the token. */
  def pending(token: String): Option[String]

  /** The directory, below the sink's path, that contains the unfinished files. */
  def root: String

  /** Returns the token of an unfinished file of this sink, from its path; `None` for any other file. */
  def tokenOf(path: String): Option[String]
}

object PartLayout {

  /** Creates a globally unique suffix for an unfinished name. */
  def unique(): String = UUID.randomUUID().toString.filter(_ != '-').take(16)

  /** Returns the layout for the settings of a log record. The keys are the names of the sink's options. */
  def recorded(sinkId: String, settings: Map[String, String]): PartLayout = {
    def marker(key: String): String = settings.getOrElse(key, "")
    if (!settings.get("inProgress").contains("bucket")) Staging(sinkId)
    else
      InBucket(
        sinkId,
        marker("inProgressPrefix"),
        marker("inProgressSuffix"),
        marker("pendingPrefix"),
        marker("pendingSuffix")
      )
  }

  /** Under `_stoplog/<sinkId>/open/<bucket>/`, hidden and without the data suffix: the default. */
  final case class Staging(sinkId: String) extends PartLayout {
    override val root: String = SinkDirectory(sinkId).open

    override def inProgress(part: NewPart, unique: String): String =
      join(root, part.bucket, s".${part.name}.inprogress.${part.run.uid}-$unique")

    override def pending(token: String): Option[String] = None

    override def tokenOf(path: String): Option[String] = Some(path)
  }

  /** Next to the finished parts, with the markers of the BucketingSink:
    * `<prefix><name><suffix>.<sinkId>-<run>-<unique>`, with `~` for a dot of the sink id. The suffix
    * `<unique>` gives each attempt a separate file (I1).
    */
  final case class InBucket(
      sinkId: String,
      inProgressPrefix: String,
      inProgressSuffix: String,
      pendingPrefix: String,
      pendingSuffix: String
  ) extends PartLayout {
    override val root: String = ""

    // A name ends with the id after its last dot. So no other sink's id can end like this id.
    private def id: String = sinkId.replace('.', '~')

    override def inProgress(part: NewPart, unique: String): String =
      join("", part.bucket, s"$inProgressPrefix${part.name}$inProgressSuffix.$id-${part.run.uid}-$unique")

    override def pending(token: String): Option[String] =
      unmarked(inProgressName, token).map { case (directory, name, end) =>
        s"$directory$pendingPrefix$name$pendingSuffix$end"
      }

    override def tokenOf(path: String): Option[String] =
      unmarked(inProgressName, path).orElse(unmarked(pendingName, path)).map { case (directory, name, end) =>
        s"$directory$inProgressPrefix$name$inProgressSuffix$end"
      }

    /** Returns the directory, the finished name and the suffix of a file under these markers. */
    private def unmarked(markers: Pattern, path: String): Option[(String, String, String)] = {
      val (directory, file) = path.splitAt(path.lastIndexOf('/') + 1)
      val matcher           = markers.matcher(file)
      Option.when(matcher.matches())((directory, matcher.group(1), matcher.group(2)))
    }

    @transient private lazy val inProgressName = markers(inProgressPrefix, inProgressSuffix)
    @transient private lazy val pendingName    = markers(pendingPrefix, pendingSuffix)

    private def markers(prefix: String, suffix: String): Pattern = {
      val end = s"\\.${Pattern.quote(id)}-[0-9a-f]{12}-[0-9a-f]{16}"
      Pattern.compile(s"${Pattern.quote(prefix)}(.+)${Pattern.quote(suffix)}($end)", Pattern.DOTALL)
    }
  }

  private def join(root: String, bucket: String, file: String): String =
    Seq(root, bucket, file).filter(_.nonEmpty).mkString("/")
}
