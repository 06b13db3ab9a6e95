// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.Assertions

import stoplog.announce._
import stoplog.announce.table.{ComparedTable, TableContent}

/** The directory of a sink with files of Spark, and a table without files. */
private[stoplog] abstract class TableUnderTest(spark: SparkSession) extends Assertions {
  protected val root: Path = Files.createTempDirectory("stoplog-table").toRealPath()
  val sink: Path           = Files.createDirectory(root.resolve("sink"))

  /** The log of the announcements, with a file in place of its records. */
  final val records: Path = Files.createDirectories(sink.resolve(s"_stoplog/${TableUnderTest.Log.name}/log"))
  Files.createFile(records.resolve("records"))

  private var writes = 0

  /** Creates a target that delivers to the table, and creates the table if missing. */
  def target(settings: (String, String)*): ComparedTable

  /** Creates a target whose first commit has a fault. */
  def faultyTarget(fault: CommitFault): PositionedTarget

  /** Returns the values of the column `id` in ascending order, as a reader of the table returns them. */
  def ids: Seq[Long]

  /** Returns the number of commits that changed the table, except commits of the position alone. */
  def commits: Int

  /** Removes the table, and no file of the sink. */
  def drop(): Unit

  /** Removes a file from the table by a commit of another writer. */
  def removeByOther(path: String): Unit

  /** Restores the table to its state before the newest commit that changed the table. */
  def restore(): Unit

  /** Returns the properties of the table. */
  def properties: Map[String, String]

  /** Returns the stored paths of announced files that did not exist. */
  final def absent: Seq[String] =
    properties.toSeq
      .filter(_._1.startsWith("stoplog.absent."))
      .flatMap(_._2.split("\n"))
      .filter(_.nonEmpty)

  /** Returns the paths of all files of the table that are in the sink. */
  def files: Set[String]

  final def written(ids: Range): AnnouncedFile = written(frame(ids))

  final def frame(ids: Range): DataFrame = spark.range(ids.head.toLong, ids.last + 1L).toDF()

  /** Writes the rows into a file of a bucket, and returns the file. */
  final def written(rows: DataFrame, bucket: String = "", format: String = "parquet"): AnnouncedFile = {
    writes += 1
    val relative = if (bucket.isEmpty) s"part-$writes.$format" else s"$bucket/part-$writes.$format"
    val to       = sink.resolve(relative)
    val file     = WrittenFiles.of(spark, rows, format)
    Files.createDirectories(to.getParent)
    Files.write(to, file.bytes)
    AnnouncedFile(relative, Some(file.rows), file.bytes.length.toLong)
  }

  final def announced(
      sequence: Long,
      change: Change,
      number: Int = 0,
      log: LogId = TableUnderTest.Log
  ): Announcement =
    Announcement(
      AnnouncementId(log, sequence, number),
      sink.toString,
      "events",
      change,
      decidedAtMillis = sequence
    )

  final def added(sequence: Long, files: AnnouncedFile*): Announcement =
    announced(sequence, Change.Added(bucketOf(files.head), files.toVector))

  /** Returns the sequence and the number of the stored position. */
  final def position(target: PositionedTarget): Option[(Long, Int)] =
    target.position(sink.toString, TableUnderTest.Log.name).map(id => id.sequence -> id.number)

  final def content: TableContent =
    target().content(sink.toString).getOrElse(fail("the table does not exist"))

  final def delivered(target: AnnouncementTarget, announcements: Announcement*): Unit =
    assert(target.deliver(announcements.toVector) === Delivery.Delivered)

  /** Returns the reason of [[Delivery.Refused]]. */
  final def refused(target: AnnouncementTarget, announcements: Announcement*): String =
    refusal(target, announcements: _*).reason

  final def refusal(target: AnnouncementTarget, announcements: Announcement*): Delivery.Refused =
    target.deliver(announcements.toVector) match {
      case refused: Delivery.Refused => refused
      case other                     => fail(s"not refused: $other")
    }

  /** Replaces the bytes of a file, and returns the file. */
  final def overwritten(file: AnnouncedFile)(change: Array[Byte] => Array[Byte]): AnnouncedFile = {
    val path  = sink.resolve(file.path)
    val bytes = change(Files.readAllBytes(path))
    Files.write(path, bytes)
    file.copy(bytes = bytes.length.toLong)
  }

  /** Moves a path out of the sink, and returns its new place. */
  final def parked(path: Path): Path = Files.move(path, root.resolve(s"parked-${path.getFileName}"))

  /** Hides a file as a process does for record 5 of the log `main`, and returns its hidden place. */
  final def hidden(file: AnnouncedFile): Path = {
    val place = sink.resolve(s"_stoplog/main/replaced/5/${file.path}.aside")
    Files.createDirectories(place.getParent)
    Files.move(sink.resolve(file.path), place)
  }

  private def bucketOf(file: AnnouncedFile): String = file.path.take(file.path.lastIndexOf('/').max(0))
}

private[stoplog] object TableUnderTest {
  val Log: LogId = LogId("events", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
}

/** Files of Spark, by the plans of their rows. Most tests write the same few rows, and a job of Spark takes
  * longer than all else in these tests.
  */
private object WrittenFiles {

  /** The content of a file. */
  final case class Written(bytes: Array[Byte], rows: Long)

  private val all = new ConcurrentHashMap[Any, Written]()

  /** Returns a file with these rows. The settings of the session are settings of the writer. */
  def of(spark: SparkSession, rows: DataFrame, format: String): Written =
    all.computeIfAbsent(
      (rows.queryExecution.analyzed.canonicalized, rows.schema, format, spark.conf.getAll),
      _ => write(rows, format)
    )

  private def write(rows: DataFrame, format: String): Written = {
    val directory = Files.createTempDirectory("stoplog-written")
    rows.coalesce(1).write.format(format).mode("overwrite").save(directory.toString)
    val file = Using.resource(Files.list(directory))(
      _.iterator.asScala.filter(_.toString.endsWith(s".$format")).next()
    )
    Written(Files.readAllBytes(file), rows.count())
  }
}
