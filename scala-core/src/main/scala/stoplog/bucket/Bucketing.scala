// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.ZoneId

import org.apache.spark.sql.catalyst.InternalRow

/** The choice of a directory under the path for each row, as the options have it. */
private[stoplog] sealed trait Bucketing extends Product with Serializable

private[stoplog] object Bucketing {

  /** A directory named after a time.
    *
    * @param pattern of `java.time.format.DateTimeFormatter`
    * @param zone    in which the time is written
    * @param column  a timestamp or date; none for the time of processing
    */
  final case class DateTime(pattern: String, zone: ZoneId, column: Option[String]) extends Bucketing

  /** The path itself. */
  case object BasePath extends Bucketing

  /** The value of a SQL expression over the row. */
  final case class Expression(sql: String) extends Bucketing

  /** Directories `column=value`, and files without these columns.
    *
    * @param names at least one, in the order of the directories
    * @param zone  in which timestamps are written; none for that of the session
    */
  final case class PartitionColumns(names: Seq[String], zone: Option[ZoneId] = None) extends Bucketing

  /** The user's own [[BucketAssigner]].
    *
    * @param reference a class name, or an instance in the form of [[stoplog.util.UserObject.reference]]
    */
  final case class UserAssigner(reference: String) extends Bucketing
}

/** Puts every row into the sink's path itself: no buckets. */
final class BasePathBucketAssigner extends BucketAssigner {
  override def bucket(row: InternalRow, context: BucketContext): String = BucketId.Base
}
