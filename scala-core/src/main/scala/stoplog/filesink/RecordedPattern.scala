// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import stoplog.util.UserObject
import stoplog.bucket.Bucketing
import stoplog.log.LogRecord

import stoplog.bucket.DateTimeBucketAssigner
import stoplog.error.Redaction
import stoplog.options.{ColumnNames, SinkOptions}
import stoplog.options.BucketOptions
import stoplog.options.BucketOptions.{BucketFormat, TimeZone}

/** How buckets by time are called, as the log of a sink has it: a run whose options name no pattern goes on with it, so
  * that a default of another release moves no directory.
  */
private[stoplog] object RecordedPattern {

  /** For the next run. An older release leaves it out, and its runs write none: that takes no new version of the record. */
  def noted(bucketing: Bucketing): Map[String, String] = bucketing match {
    case Bucketing.DateTime(pattern, _, _) => Map(BucketFormat.key -> pattern)
    case _                                 => Map.empty
  }

  /** The options that a run goes by.
    *
    * @param newest record of the sink's log
    */
  def resumed(options: SinkOptions, newest: Option[LogRecord]): SinkOptions =
    newest.flatMap(recorded) match {
      case Some(before) if patternOf(options).exists(_ != before) && !isNamed(options) =>
        SinkOptions.parse(options.toMap + (BucketFormat.key -> before))
      case _ => options
    }

  /** A message for the user if the pattern is not the one so far, or not the documented default. */
  def change(options: SinkOptions, newest: Option[LogRecord]): Option[String] = for {
    settings <- newest.map(_.state.settings)
    asked    <- patternOf(options)
    before   <- if (isNamed(options)) settings.get(BucketFormat.key) else newest.flatMap(recorded)
    if asked != before
  } yield
    if (isNamed(options))
      s"New buckets are called by bucketFormat = $asked, and the buckets so far by $before. Other readers find both; " +
        "spark.read refuses a path whose directories do not all name the same columns."
    else
      s"Buckets go on by the pattern $before, as the log of this sink has it, and not by the default $asked. To change " +
        "to the default, write to a new path."

  /** A log that has a zone is one of buckets by time; none named its pattern before the default became another. */
  private def recorded(newest: LogRecord): Option[String] = {
    val settings = newest.state.settings
    settings
      .get(BucketFormat.key)
      .orElse(Option.when(settings.contains(TimeZone.key))(DateTimeBucketAssigner.FormerPattern))
  }

  private def patternOf(options: SinkOptions): Option[String] =
    noted(options.buckets.bucketing).get(BucketFormat.key)

  private def isNamed(options: SinkOptions): Boolean = options.toMap.contains(BucketFormat.key)
}

/** By what rows go to directories, as the log of a sink has it, so that a change is not silent. */
private[stoplog] object RecordedBuckets {

  /** For the next run. An older release leaves it out, and its runs write none: that takes no new version of the record. */
  def noted(bucketing: Bucketing): Map[String, String] = Map(Key -> text(bucketing))

  /** A message for a user whose new directories are of another kind than those so far.
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
