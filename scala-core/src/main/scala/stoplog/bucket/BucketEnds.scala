// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.{LocalDate, ZoneId}

import scala.util.Try

import org.apache.spark.sql.types.{DateType, StructType}

import stoplog.util.UserObject

/** The ends of buckets, for each way to assign them that can tell them. */
private[stoplog] object BucketEnds {
  type Ends = String => Option[Long]

  /** @param zone in which dates are days
    * @return the problem, as the end of a sentence, if the ends cannot be told
    */
  def of(bucketing: Bucketing, schema: StructType, zone: ZoneId): Either[String, Ends] = bucketing match {
    case Bucketing.DateTime(pattern, in, _) =>
      DateTimeEnds
        .of(pattern, in)
        .map(ends => ends.endMillis(_))
        .toRight("the pattern does not say the whole time")
    case Bucketing.PartitionColumns(names, _) => dateColumn(PartitionColumns.of(schema, names), zone)
    case Bucketing.UserAssigner(reference)    =>
      UserObject.load(reference, classOf[BucketAssigner], "bucketAssigner") match {
        case timed: TimedBuckets => Right(timed.bucketEndMillis(_))
        case other               => Left(s"${other.getClass.getName} is not a stoplog.bucket.TimedBuckets")
      }
    case Bucketing.BasePath | _: Bucketing.Expression => Left("these buckets have no time")
  }

  /** The end of the day that the one date column names. */
  private def dateColumn(columns: PartitionColumns, zone: ZoneId): Either[String, Ends] =
    columns.ordinals.zipWithIndex.filter { case (i, _) => columns.schema(i).dataType == DateType } match {
      case Seq((_, level)) =>
        Right { bucket =>
          for {
            segment <- bucket.split('/').lift(level)
            day     <- Try(LocalDate.parse(segment.substring(segment.indexOf('=') + 1))).toOption
          } yield day.plusDays(1).atStartOfDay(zone).toInstant.toEpochMilli
        }
      case dates =>
        Left(s"partitionBy must have one column of type DATE, which says the day, and has ${dates.size}")
    }
}
