// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.delta.kernel.internal.SnapshotImpl
import org.apache.hadoop.fs.Path

import stoplog.announce.table.TableContent
import stoplog.storage.{Digits, FileStore}

/** The files of a table, and the removed files in the retained commits.
  *
  * @param files  under the path of the table
  * @param target the name of the target
  */
private[delta] final class TableFiles(table: DeltaTable, files: FileStore, target: String) {
  import TableFiles._

  private val root = new Path(table.root).toUri.getPath + "/"

  def content(snapshot: SnapshotImpl): TableContent = {
    val paths      = table.ofFiles(snapshot)(_.map(file => relative(file.getPath)).toVector)
    val commits    = history(snapshot.getVersion)
    val properties = snapshot.getMetadata.getConfiguration.asScala.toMap
    new TableContent(
      paths.flatten,
      elsewhere = paths.count(_.isEmpty),
      removed = commits.filter(_.isOfSink).flatMap(_.removed).toSet,
      removedByOthers = commits
        .filterNot(_.isOfSink)
        .flatMap(commit => commit.removed.map(_ -> commit.toString))
        .toMap,
      sinceMillis = commits.lastOption match {
        case Some(oldest) if oldest.version == 0 => None
        case oldest                              => Some(oldest.fold(Long.MaxValue)(_.millis))
      },
      isListed = LogFacts.listedIn(properties, target).isDefined
    )
  }

  /** Returns the commits up to a version that are still in the log, newest first. */
  private def history(newest: Long): Vector[Commit] = {
    val versions =
      files.names(DeltaTable.LogDirectory).collect { case Version(digits) => digits.toLong }.toSet
    Iterator.iterate(newest)(_ - 1).takeWhile(versions).flatMap(commit).toVector
  }

  private def commit(version: Long): Option[Commit] =
    files.read(s"${DeltaTable.LogDirectory}/${Digits.of(version)}.json").map { bytes =>
      val actions =
        new String(bytes, UTF_8).linesIterator.filterNot(_.startsWith(Addition)).map(Mapper.readTree)
      val found = actions.toVector
      val info  = found.map(_.path("commitInfo")).find(_.isObject)
      Commit(
        version,
        info.fold(Long.MaxValue)(_.path("timestamp").asLong(Long.MaxValue)),
        info.map(_.path("operation").asText("")).filter(_.nonEmpty),
        found.exists(each => StoredPosition.isPosition(textOf(each, "txn", "appId"))),
        found.filter(_.has("remove")).flatMap(each => relative(textOf(each, "remove", "path")))
      )
    }

  /** A path in the log is a URI. `None` for a file outside of the directory. */
  private def relative(path: String): Option[String] =
    Try(new URI(path).getPath).toOption.collect {
      case inside if inside.startsWith(root) => inside.drop(root.length)
      case other if !other.startsWith("/")   => other
    }
}

private object TableFiles {
  private val Mapper   = new ObjectMapper()
  private val Version  = "(\\d{20})\\.json".r
  private val Addition = "{\"add\":"

  private def textOf(action: JsonNode, kind: String, field: String): String =
    action.path(kind).path(field).asText("")

  /** @param millis   the time of the commit; the largest time if the commit does not contain its time
    * @param isOfSink whether the commit stores a position
    * @param removed  the paths of the removed files
    */
  private final case class Commit(
      version: Long,
      millis: Long,
      operation: Option[String],
      isOfSink: Boolean,
      removed: Vector[String]
  ) {
    override def toString: String = s"version $version${operation.fold("")(name => s" ($name)")}"
  }
}
