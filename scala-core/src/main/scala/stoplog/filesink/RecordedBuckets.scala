// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import stoplog.bucket.Bucketing
import stoplog.error.Redaction
import stoplog.log.LogRecord
import stoplog.options.{BucketOptions, ColumnNames}
import stoplog.util.UserObject

/** By what rows go to directories, as the log of a sink has it, so that a change is not silent. */
private[stoplog] object RecordedBuckets {

  /** For the next run. An older release leaves it out, and its runs write none: that takes no new version of the record. */
  def noted(bucketing: Bucketing): Map[String, String] = Map(Key -> text(bucketing))

  /** What to tell a user whose directories come to be of another kind than those so far.
    *
    * @param newest record of the sink's log
    */
  def change(bucketing: Bucketing, newest: Option[LogRecord]): Option[String] = for {
    before <- newest.flatMap(_.state.settings.get(Key))
    asked = text(bucketing)
    if asked != before
  } yield s"New buckets are by $asked, and the buckets so far by $before. The files so far stay where they are; " +
    "spark.read refuses a path whose directories do not all name the same columns. For one layout alone, write to a " +
    "new path."

  private def text(bucketing: Bucketing): String = bucketing match {
    case _: Bucketing.DateTime                => "dateTime"
    case Bucketing.BasePath                   => "basePath"
    case Bucketing.Expression(sql)            => s"${BucketOptions.BucketBy.key} = $sql"
    case Bucketing.PartitionColumns(names, _) =>
      s"${BucketOptions.PartitionBy.key} = ${ColumnNames.render(names)}"
    case Bucketing.UserAssigner(reference) =>
      val parameters = UserObject.parameters(reference)
      if (parameters.isEmpty) UserObject.shown(reference)
      else Redaction.options(reference.takeWhile(_ != '{'), parameters)
  }

  private final val Key = "buckets"
}
