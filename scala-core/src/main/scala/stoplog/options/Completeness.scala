// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.ZoneId

import stoplog.log.MarkerForm

/** What is written for those who wait for whole buckets, and for loaders, as asked for.
  *
  * @param when     a bucket is complete
  * @param form     of its marker
  * @param listener to be told; a class name, or an instance in the form of [[UserObject.reference]]
  * @param manifest whether the files of each record are listed
  * @param zone     in which dates are days, and local times are times
  */
final case class Completeness(
    when: BucketComplete,
    form: MarkerForm,
    listener: Option[String],
    manifest: ManifestChoice,
    zone: ZoneId
)

/** When a bucket counts as complete, and how long after that its marker is written. */
sealed trait BucketComplete extends Product with Serializable

object BucketComplete {
  case object Never                                  extends BucketComplete
  final case class Watermark(delayMillis: Long)      extends BucketComplete
  final case class ProcessingTime(delayMillis: Long) extends BucketComplete
  final case class Idle(delayMillis: Long)           extends BucketComplete
}

/** Whether manifests are written. */
sealed trait ManifestChoice extends Product with Serializable

object ManifestChoice {
  case object None extends ManifestChoice

  /** @param retentionMillis how long they are kept; `None` for good */
  final case class Json(retentionMillis: Option[Long]) extends ManifestChoice
}
