// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.delta.kernel.commit.Committer
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.Assertions

import stoplog.announce._

/** A sink's directory with files of Spark. The suites read the log of the table as text: a file is in the table
  * if its newest action is `add`.
  */
private[delta] final class TableFixture(spark: SparkSession) extends Assertions {
  import TableFixture._

  private val root = Files.createTempDirectory("stoplog-delta").toRealPath()
  val sink: Path   = Files.createDirectory(root.resolve("sink"))
  val log: Path    = sink.resolve("_delta_log")

  private var files = 0

  def target(settings: (String, String)*): DeltaTarget = targetBy(identity, settings: _*)

  /** A target whose commits pass through a committer. */
  def targetBy(committer: Committer => Committer, settings: (String, String)*): DeltaTarget = {
    val all = Map("create" -> "ifMissing") ++ settings
    new DeltaTarget("lake", DeltaSettings.of(all.filter(_._2.nonEmpty).asJava), committer)
  }

  /** Moves the one file of the rows into a bucket, and returns the file. */
  def written(rows: DataFrame, bucket: String = "", format: String = "parquet"): AnnouncedFile = {
    files += 1
    val directory = root.resolve(s"written-$files")
    rows.coalesce(1).write.format(format).save(directory.toString)
    val from = Using.resource(Files.list(directory))(
      _.iterator.asScala.filter(_.toString.endsWith(s".$format")).next()
    )
    val relative = if (bucket.isEmpty) s"part-$files.$format" else s"$bucket/part-$files.$format"
    val to       = sink.resolve(relative)
    Files.createDirectories(to.getParent)
    Files.move(from, to)
    AnnouncedFile(relative, Some(rows.count()), Files.size(to))
  }

  def announced(sequence: Long, change: Change, number: Int = 0, log: LogId = Log): Announcement =
    Announcement(
      AnnouncementId(log, sequence, number),
      sink.toString,
      "events",
      change,
      decidedAtMillis = sequence
    )

  def added(sequence: Long, files: AnnouncedFile*): Announcement =
    announced(sequence, Change.Added(bucketOf(files.head), files.toVector))

  def position(target: DeltaTarget): Option[(Long, Int)] =
    target.position(sink.toString, Log.name).map(id => id.sequence -> id.number)

  /** The actions of each version, in order. */
  def versions: Vector[Vector[JsonNode]] =
    Using
      .resource(Files.list(log))(_.iterator.asScala.toVector)
      .filter(_.getFileName.toString.matches("\\d{20}\\.json"))
      .sorted
      .map(file => Files.readAllLines(file).asScala.toVector.map(Mapper.readTree))

  def actions(kind: String): Vector[JsonNode] = versions.flatten.flatMap(each => Option(each.get(kind)))

  /** The files of the table, by their relative paths. */
  def table: Map[String, JsonNode] =
    versions.flatten.foldLeft(Map.empty[String, JsonNode]) { (known, action) =>
      if (action.has("add")) known + (action.get("add").get("path").asText -> action.get("add"))
      else if (action.has("remove")) known - action.get("remove").get("path").asText
      else known
    }

  def ids: Vector[Long] = {
    val paths = table.keys.toVector.map(path => sink.resolve(new java.net.URI(path).getPath).toString)
    paths.flatMap(path => spark.read.parquet(path).select("id").collect().map(_.getLong(0))).sorted
  }

  /** Commits of another writer, by the rules of Delta's log. */
  def commitOther(actions: String*): Unit = {
    val next = versions.size
    Files.writeString(log.resolve(f"$next%020d.json"), actions.mkString("\n")): Unit
  }

  def delivered(target: DeltaTarget, announcements: Announcement*): Unit =
    assert(target.deliver(announcements.toVector) === Delivery.Delivered)

  def refused(target: DeltaTarget, announcements: Announcement*): String =
    target.deliver(announcements.toVector) match {
      case Delivery.Refused(reason) => reason
      case other                    => fail(s"not refused: $other")
    }

  private def bucketOf(file: AnnouncedFile): String = file.path.take(file.path.lastIndexOf('/').max(0))
}

private[delta] object TableFixture {
  val Log: LogId = LogId("events", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")

  private val Mapper = new ObjectMapper
}
