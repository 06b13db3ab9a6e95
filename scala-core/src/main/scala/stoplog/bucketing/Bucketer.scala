// SPDX-License-Identifier: Apache-2.0
package stoplog.bucketing

import java.time.ZoneId

import stoplog.bucket.{BucketAssigner, Bucketing, DateTimeBucketAssigner}
import stoplog.options.BucketOptions
import stoplog.util.UserObject

/** The choice of a directory for each row of a [[stoplog.BucketingSink]]. */
sealed trait Bucketer {

  /** The options of the sink of files that stand for it. */
  private[stoplog] def options: Map[String, String]
}

object Bucketer {

  /** A bucketer of one's own: where the BucketingSink calls it with clock, path and element, stoplog calls it with the
    * row and a context that has the time.
    *
    * @param assigner is serializable, and opened in each task
    */
  def of(assigner: BucketAssigner): Bucketer = new Of(assigner)

  private final class Of(assigner: BucketAssigner) extends Bucketer {
    override private[stoplog] def options =
      BucketOptions.toMap(Bucketing.UserAssigner(UserObject.reference(assigner, "bucketAssigner")))
  }
}

/** Directories named after the time at which a row is written; one for each hour by default.
  *
  * @param format of `java.time.format.DateTimeFormatter`
  * @param zone   whose calendar and clock the format shows. Flink takes the zone of the machine
  */
final case class DateTimeBucketer(format: String, zone: ZoneId) extends Bucketer {
  override private[stoplog] def options = BucketOptions.toMap(Bucketing.DateTime(format, zone, column = None))
}

object DateTimeBucketer {

  /** `yyyy-MM-dd--HH`, such as `2026-01-31--20`. */
  val DefaultFormat: String = DateTimeBucketAssigner.FormerPattern

  /** A bucketer in UTC. */
  def apply(format: String = DefaultFormat): DateTimeBucketer = DateTimeBucketer(format, ZoneId.of("UTC"))
}

/** No directories: all files lie right under the sink's path. */
case object BasePathBucketer extends Bucketer {
  override private[stoplog] def options = BucketOptions.toMap(Bucketing.BasePath)
}
