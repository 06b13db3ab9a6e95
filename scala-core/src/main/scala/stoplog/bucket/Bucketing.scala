// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.ZoneId

import org.apache.spark.sql.catalyst.InternalRow

/** The configured choice of a directory under the sink's path for each row. */
private[stoplog] sealed trait Bucketing extends Product with Serializable {

  /** The columns that the files do not contain, because the directory names contain their values. */
  def columnsOfDirectories: Seq[String] = Nil
}

private[stoplog] object Bucketing {

  /** A directory named after a time.
    *
    * @param pattern a pattern of `java.time.format.DateTimeFormatter`
    * @param zone    the time zone for formatting
    * @param column  a timestamp or date column; `None` for the processing time
    */
  final case class DateTime(pattern: String, zone: ZoneId, column: Option[String]) extends Bucketing

  /** The sink's path itself. */
  case object BasePath extends Bucketing

  /** The value of a SQL expression over the row. */
  final case class Expression(sql: String) extends Bucketing

  /** The value of a column of strings; the files do not contain the column. */
  final case class FromColumn(name: String) extends Bucketing {
    override def columnsOfDirectories: Seq[String] = Seq(name)
  }

  /** Directories `column=value`; the files do not contain these columns.
    *
    * @param names at least one name, in the order of the directories
    * @param zone  the time zone for timestamps; `None` for the session's zone
    */
  final case class PartitionColumns(names: Seq[String], zone: Option[ZoneId] = None) extends Bucketing {
    override def columnsOfDirectories: Seq[String] = names
  }

  /** A user-defined [[BucketAssigner]].
    *
    * @param reference a class name, or an instance in the form of [[stoplog.util.UserObject.reference]]
    */
  final case class UserAssigner(reference: String) extends Bucketing
}

/** Assigns every row to the sink's path itself, without buckets. */
final class BasePathBucketAssigner extends BucketAssigner {
  override def bucket(row: InternalRow, context: BucketContext): String = BucketId.Base
}
