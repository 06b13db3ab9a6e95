// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.announce

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.sql.{SQLTransientException, Types}
import java.time.{Instant, ZoneOffset}
import java.time.format.DateTimeFormatter
import java.util.HexFormat

import scala.util.control.NonFatal

import stoplog.announce._
import stoplog.jdbc.client.{Dialect, FailureKind, Session, Upserts}
import stoplog.jdbc.rows.{Column, JdbcRow}

/** The table of announced files: a row for each new or removed file, and a row for each announcement without
  * files. The primary key is the id of the announcement with the number of the row.
  */
private[announce] final case class FilesTable(table: String) {
  import FilesTable._

  def create: String =
    s"CREATE TABLE $table (log_identity VARCHAR(64) NOT NULL, record_sequence BIGINT NOT NULL, " +
      "announcement_number BIGINT NOT NULL, file_number BIGINT NOT NULL, log_name VARCHAR(255) NOT NULL, " +
      "sink_path VARCHAR(1024) NOT NULL, sink_id VARCHAR(64) NOT NULL, change_kind VARCHAR(32) NOT NULL, " +
      "bucket VARCHAR(1024), file_path VARCHAR(2048), file_rows BIGINT, file_bytes BIGINT, " +
      "min_time VARCHAR(64), max_time VARCHAR(64), bucket_version BIGINT, epoch BIGINT, " +
      "decided_at VARCHAR(32) NOT NULL, " +
      "PRIMARY KEY (log_identity, record_sequence, announcement_number, file_number))"

  /** Inserts the rows of the announcements in a transaction of the caller. */
  def insert(session: Session, announcements: Vector[Announcement]): Unit =
    announcements.flatMap(rows).grouped(MostRows).foreach { batch =>
      Upserts.insertion(table, columns.map(_.quoted)).execute(session, columns, batch)
    }

  private def rows(of: Announcement): Vector[JdbcRow] = {
    val entries = of.change match {
      case Change.Added(_, files)              => files.map(added(of.change.word, _))
      case Change.Snapshot(_, files)           => files.map(added(of.change.word, _))
      case Change.Replaced(_, files, replaced) => files.map(added(of.change.word, _)) ++ replaced.map(removed)
      case Change.Removed(_, paths)            => paths.map(removed)
      case Change.PartitionComplete(_, version) =>
        Vector(Entry(of.change.word, version = Some(version.toLong)))
      case Change.Gap(_, _) => Vector(Entry(of.change.word))
    }
    entries.zipWithIndex.map { case (entry, number) => row(of, number.toLong, entry) }
  }

  private def row(of: Announcement, number: Long, entry: Entry): JdbcRow = new JdbcRow(
    Array[Any](
      of.id.log.identity,
      of.id.sequence,
      of.id.number.toLong,
      number,
      of.id.log.name,
      of.path,
      of.sinkId,
      entry.kind,
      of.change.bucket.orNull,
      entry.path.orNull,
      entry.file.flatMap(_.rows).map(Long.box).orNull,
      entry.file.map(file => Long.box(file.bytes)).orNull,
      entry.file.flatMap(_.times).map(_.min).orNull,
      entry.file.flatMap(_.times).map(_.max).orNull,
      entry.version.map(Long.box).orNull,
      of.epoch.map(Long.box).orNull,
      Decided.format(Instant.ofEpochMilli(of.decidedAtMillis))
    ),
    null
  )
}

private object FilesTable {

  /** @param path    of a file
    * @param version of a complete bucket
    */
  private final case class Entry(
      kind: String,
      path: Option[String] = None,
      file: Option[AnnouncedFile] = None,
      version: Option[Long] = None
  )

  private def added(kind: String, file: AnnouncedFile): Entry = Entry(kind, Some(file.path), Some(file))

  private def removed(path: String): Entry = Entry("removed", Some(path))

  private val columns = {
    def text(names: String*)   = names.map(name => Column(name, name, Types.VARCHAR))
    def number(names: String*) = names.map(name => Column(name, name, Types.BIGINT))
    text("log_identity") ++ number("record_sequence", "announcement_number", "file_number") ++
      text("log_name", "sink_path", "sink_id", "change_kind", "bucket", "file_path") ++
      number("file_rows", "file_bytes") ++ text("min_time", "max_time") ++
      number("bucket_version", "epoch") ++ text("decided_at")
  }.toVector

  // Of one length, so that texts compare as times in every database.
  private val Decided = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC)

  private final val MostRows = 1000
}

/** The table with the position of each log. */
private[announce] final case class PositionTable(table: String, dialect: Dialect) {

  def create: String =
    s"CREATE TABLE $table (position_key VARCHAR(64) NOT NULL PRIMARY KEY, sink_path VARCHAR(1024) NOT NULL, " +
      "log_name VARCHAR(255) NOT NULL, log_identity VARCHAR(64) NOT NULL, record_sequence BIGINT NOT NULL, " +
      "announcement_number BIGINT NOT NULL)"

  // The methods below run in a transaction of the caller.

  /** Locks and returns the position: no other transaction changes the position before this transaction ends.
    */
  def lock(session: Session, path: String, logName: String): Option[AnnouncementId] = {
    val key = keyOf(path, logName)
    if (session.update(s"UPDATE $table SET log_name = log_name WHERE position_key = ?", key) == 0) None
    else
      session.query(
        s"SELECT log_identity, record_sequence, announcement_number FROM $table WHERE position_key = ?",
        key
      ) { result =>
        Option.when(result.next()) {
          AnnouncementId(LogId(logName, result.getString(1)), result.getLong(2), result.getInt(3))
        }
      }
  }

  /** Inserts the first position. Error: `SQLTransientException` if another driver was first. */
  def insert(session: Session, path: String, id: AnnouncementId): Unit =
    try
      session.update(
        s"INSERT INTO $table (position_key, sink_path, log_name, log_identity, record_sequence, " +
          "announcement_number) VALUES (?, ?, ?, ?, ?, ?)",
        keyOf(path, id.log.name),
        path,
        id.log.name,
        id.log.identity,
        id.sequence,
        id.number.toLong
      ): Unit
    catch {
      case NonFatal(e) if FailureKind.of(e, dialect) == FailureKind.BadRow && FailureKind.isDuplicateKey(e) =>
        throw new SQLTransientException("another driver was first", PositionTable.Conflict, e)
    }

  def update(session: Session, path: String, id: AnnouncementId): Unit = {
    session.update(
      s"UPDATE $table SET record_sequence = ?, announcement_number = ? WHERE position_key = ?",
      id.sequence,
      id.number.toLong,
      keyOf(path, id.log.name)
    )
    ()
  }

  // A digest, because some databases limit the length of keys, and some compare texts without case.
  private def keyOf(path: String, logName: String): String =
    HexFormat
      .of()
      .formatHex(
        MessageDigest.getInstance("SHA-256").digest(s"$logName\n${path.stripSuffix("/")}".getBytes(UTF_8))
      )
}

private object PositionTable {

  // The SQLSTATE of a transaction that conflicts with another transaction.
  final val Conflict = "40001"
}
