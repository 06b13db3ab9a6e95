// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.types.StructType

import stoplog.bucket.{BucketEnds, BucketId, Bucketing, ColumnTimes}
import stoplog.commit.{CompleteRule, FollowUps, Manifests}
import stoplog.error.Errors
import stoplog.log.MarkerForm
import stoplog.options.Completeness.ManifestChoice
import stoplog.options.{BucketComplete, SinkOptions}
import stoplog.stores.SinkStorage
import stoplog.writing.OnBadRow

/** The follow-ups of a sink after parts become visible, created from options. Only on the driver. */
private[stoplog] object SinkFollowUps {

  /** @param schema  the schema of the rows
    * @param storage the storage of the log; a batch job has a separate log
    *
    * Error: `STOPLOG_INVALID_OPTIONS`.
    */
  def of(options: SinkOptions, schema: StructType, storage: SinkStorage): FollowUps = FollowUps(
    options.recovery.sinkId,
    rule(options, schema),
    MarkerForm.Json,
    manifests(options, schema),
    storage.files
  )

  /** Returns the manifest settings for the log. */
  def noted(options: SinkOptions, schema: StructType): Map[String, String] = manifests(options, schema).toMap

  private def manifests(options: SinkOptions, schema: StructType): Manifests =
    options.buckets.completeness.manifest match {
      case ManifestChoice.None            => Manifests.Off
      case ManifestChoice.Json(retention) => Manifests.Json(times(options, schema).map(_.column), retention)
    }

  /** Returns the times that tasks extract from rows, if manifests contain times. */
  def times(options: SinkOptions, schema: StructType): Option[ColumnTimes] =
    (options.buckets.completeness.manifest, options.buckets.bucketing) match {
      case (_: ManifestChoice.Json, Bucketing.DateTime(_, _, Some(column))) =>
        Some(ColumnTimes.of(column, schema))
      case _ => None
    }

  /** Returns the rule, checked before any action. Error: `STOPLOG_INVALID_OPTIONS`. */
  def rule(options: SinkOptions, schema: StructType): CompleteRule = {
    val completeness = options.buckets.completeness
    // The days of partitionBy are days of the zone that names their directories.
    val zone = RecordedBuckets.zoneOf(options.buckets.bucketing).getOrElse(completeness.zone)
    def ends = BucketEnds
      .of(options.buckets.bucketing, schema, zone)
      .fold(
        why =>
          throw Errors.invalidOptions(Seq(s"bucketComplete cannot determine the end of a bucket: $why.")),
        identity
      )
    val chosen = completeness.when match {
      case BucketComplete.Never                 => CompleteRule.Never
      case BucketComplete.Watermark(delay)      => CompleteRule.ByWatermark(delay, ends)
      case BucketComplete.ProcessingTime(delay) => CompleteRule.ByClock(delay, ends)
      case BucketComplete.Idle(delay)           => CompleteRule.ByIdleness(delay)
    }
    (chosen, options.rejects.onBadRow) match {
      case (CompleteRule.Never, _) | (_, OnBadRow.Fail) => chosen
      case (_, OnBadRow.Reject) => CompleteRule.Except(chosen, BucketId.isUnder(options.rejects.path, _))
    }
  }
}
