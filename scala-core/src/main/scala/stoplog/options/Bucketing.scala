// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.ZoneId

import stoplog.options.{SinkOptionRegistry => Registry}

/** Which directory under the path a row goes to, as asked for. */
sealed trait Bucketing extends Product with Serializable {

  /** The options that stand for it. */
  def toMap: Map[String, String]
}

object Bucketing {

  /** A directory named after a time.
    *
    * @param pattern
    *   of `java.time.format.DateTimeFormatter`
    * @param zone
    *   in which the time is written
    * @param column
    *   a timestamp or date; none for the time of processing
    */
  final case class DateTime(pattern: String, zone: ZoneId, column: Option[String]) extends Bucketing {
    override def toMap: Map[String, String] =
      Map(
        Registry.BucketAssigner.key -> "dateTime",
        Registry.BucketFormat.key   -> pattern,
        Registry.BucketTimeZone.key -> zone.getId
      ) ++ column.map(Registry.BucketColumn.key -> _)
  }

  /** The path itself. */
  case object BasePath extends Bucketing {
    override def toMap: Map[String, String] = Map(Registry.BucketAssigner.key -> "basePath")
  }

  /** The value of a SQL expression over the row. */
  final case class Expression(sql: String) extends Bucketing {
    override def toMap: Map[String, String] = Map(Registry.BucketBy.key -> sql)
  }

  /** Directories `column=value`, and files without these columns.
    *
    * @param names
    *   at least one, in the order of the directories
    * @param zone
    *   in which timestamps are written; none for that of the session
    */
  final case class PartitionColumns(names: Seq[String], zone: Option[ZoneId] = None) extends Bucketing {
    override def toMap: Map[String, String] =
      Map(Registry.PartitionBy.key -> ColumnNames.render(names)) ++ zone.map(Registry.TimeZone.key -> _.getId)
  }

  /** The user's own [[stoplog.bucket.BucketAssigner]].
    *
    * @param reference
    *   a class name, or an instance in the form of [[UserObject.reference]]
    */
  final case class UserAssigner(reference: String) extends Bucketing {
    override def toMap: Map[String, String] = Map(Registry.BucketAssigner.key -> reference)
  }
}
