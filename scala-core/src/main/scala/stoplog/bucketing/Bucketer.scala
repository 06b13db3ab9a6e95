// SPDX-License-Identifier: Apache-2.0
package stoplog.bucketing

import java.time.ZoneId

import stoplog.bucket.{BucketAssigner, Bucketing}
import stoplog.options.BucketOptions
import stoplog.util.UserObject

/** The choice of a directory for each row of a [[stoplog.BucketingSink]]. */
sealed trait Bucketer {

  /** The equivalent options of the file sink. */
  private[stoplog] def options: Map[String, String]
}

object Bucketer {

  /** Creates a user-defined bucketer. Flink's BucketingSink passes clock, path and element; stoplog passes
    * the row and a context with the time.
    *
    * @param assigner a serializable assigner; each task opens its copy
    */
  def of(assigner: BucketAssigner): Bucketer = new Of(assigner)

  private final class Of(assigner: BucketAssigner) extends Bucketer {
    override private[stoplog] def options =
      BucketOptions.toMap(Bucketing.UserAssigner(UserObject.reference(assigner, "bucketAssigner")))
  }
}

/** Directories named after the time at which a row is written, by default a directory for each hour.
  *
  * @param format a pattern of `java.time.format.DateTimeFormatter`
  * @param zone   the time zone for the calendar and clock of the format. Flink uses the zone of the machine
  */
final case class DateTimeBucketer(format: String, zone: ZoneId) extends Bucketer {
  override private[stoplog] def options = BucketOptions.toMap(Bucketing.DateTime(format, zone, column = None))
}

object DateTimeBucketer {

  /** The default of Flink, such as `2026-01-31--20`. */
  val DefaultFormat: String = "yyyy-MM-dd--HH"

  /** Creates a bucketer in UTC. */
  def apply(format: String = DefaultFormat): DateTimeBucketer = DateTimeBucketer(format, ZoneId.of("UTC"))
}

/** No directories: all files are located directly under the sink's path. */
case object BasePathBucketer extends Bucketer {
  override private[stoplog] def options = BucketOptions.toMap(Bucketing.BasePath)
}
