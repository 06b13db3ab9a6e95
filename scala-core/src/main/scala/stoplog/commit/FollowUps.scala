// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{Manifest, Marker, MarkerForm, TimeColumn, TimeKind, Totals}
import stoplog.storage.{Digits, FileStore, SinkDirectory}

/** The follow-ups of a sink with their settings: work after parts are visible.
  *
  * @param sinkId the sink of the files in markers and manifests; for a batch job, not the name of its log
  */
private[stoplog] final case class FollowUps(
    sinkId: String,
    rule: CompleteRule,
    form: MarkerForm,
    manifests: Manifests,
    notes: FileStore
) {

  /** Returns the marker of a complete bucket.
    *
    * @param newestVersion the version of the bucket's newest marker; 0 without a marker
    */
  private[commit] def marker(
      bucket: String,
      newestVersion: Int,
      added: Totals,
      cause: String,
      nowMillis: Long
  ): Marker = Marker(
    bucket,
    newestVersion + 1,
    form,
    sinkId,
    cause,
    nowMillis,
    rule.endMillis(bucket),
    added
  )

  /** Returns a manifest with this path, if manifests are enabled. */
  private[commit] def manifest(path: => String): Option[Manifest] = manifests match {
    case Manifests.Json(column, _) => Some(Manifest(path, column))
    case Manifests.Off             => None
  }

}

private[stoplog] object FollowUps {

  /** Creates follow-ups that add nothing. The follow-ups in records of earlier runs are still carried out. */
  def none(sinkId: String, notes: FileStore): FollowUps =
    FollowUps(sinkId, CompleteRule.Never, MarkerForm.Json, Manifests.Off, notes)
}

/** Whether manifests list the files of each record for loaders. */
private[stoplog] sealed trait Manifests extends Product with Serializable {

  /** Returns the settings from which [[Manifests.noted]] restores this value, except the retention time. */
  def toMap: Map[String, String]
}
private[stoplog] object Manifests {
  case object Off extends Manifests {
    override def toMap: Map[String, String] = Map.empty
  }

  /** @param column          the column whose time range each part records
    * @param retentionMillis how long a manifest is kept; `None` for ever
    */
  final case class Json(column: Option[TimeColumn], retentionMillis: Option[Long]) extends Manifests {
    override def toMap: Map[String, String] =
      Map(Key -> column.fold(Plain)(c => s"$Plain ${c.kind.word} ${c.name}"))
  }

  /** Returns the manifest settings of the run that wrote these log settings, without a retention time. */
  def noted(settings: Map[String, String]): Manifests = settings.get(Key).fold[Manifests](Off) { text =>
    text.split(" ", 3) match {
      case Array(Plain, kind, name) =>
        Json(TimeKind.all.find(_.word == kind).map(TimeColumn(name, _)), retentionMillis = None)
      case _ => Json(None, retentionMillis = None)
    }
  }

  private final val Key   = "manifest"
  private final val Plain = "json"

  /** Returns the directory of a sink's manifests. */
  def directory(sinkId: String): String = SinkDirectory(sinkId).manifests

  /** Returns the path of the manifest of one record. */
  def path(sinkId: String, seq: Long): String = s"${directory(sinkId)}/${Digits.of(seq)}$Suffix"

  /** Returns the path of the manifest of one batch job. */
  def path(sinkId: String, jobName: String): String = s"${directory(sinkId)}/$jobName$Suffix"

  // Patterns for data files do not match this suffix.
  private[commit] final val Suffix = ".manifest"
}

/** The rule that decides when a bucket is complete: no more rows are expected. Later rows are late. */
private[stoplog] sealed abstract class CompleteRule(val word: String) extends Product with Serializable {

  /** Returns whether the rule can ever apply to this bucket. */
  def covers(bucket: String): Boolean

  /** Returns the end of the bucket's time range, if the rule uses this end. */
  def endMillis(bucket: String): Option[Long] = None

  /** Returns whether the bucket is complete now, according to the rule.
    *
    * @param last when the newest row of the bucket was written, in milliseconds
    * @param now  the driver's clock, in milliseconds
    * @param mark the query's watermark, in milliseconds; `None` while the watermark is unknown
    */
  def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean
}

private[stoplog] object CompleteRule {

  /** Returns the end of a bucket's time in milliseconds since 1970-01-01T00:00:00Z; `None` without time. */
  type Ends = String => Option[Long]

  /** Completes no bucket. */
  case object Never extends CompleteRule("none") {
    override def covers(bucket: String): Boolean                                               = false
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean = false
  }

  /** Completes no bucket: the given buckets wait for a run with a rule for their completion. */
  final case class Later(waiting: Set[String]) extends CompleteRule("later") {
    override def covers(bucket: String): Boolean = waiting(bucket)
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean = false
  }

  /** A rule that uses the end of the bucket's time range. */
  sealed abstract class ByEnd(word: String, ends: Ends) extends CompleteRule(word) {
    override def covers(bucket: String): Boolean         = ends(bucket).isDefined
    override def endMillis(bucket: String): Option[Long] = ends(bucket)
  }

  /** Completes a bucket `delayMillis` after its end, according to the query's watermark. */
  final case class ByWatermark(delayMillis: Long, ends: Ends) extends ByEnd("watermark", ends) {
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      mark.exists(time => ends(bucket).exists(_ + delayMillis <= time))
  }

  /** Completes a bucket `delayMillis` after its end, according to the driver's clock. */
  final case class ByClock(delayMillis: Long, ends: Ends) extends ByEnd("processingTime", ends) {
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      ends(bucket).exists(_ + delayMillis <= now)
  }

  /** Completes a bucket `delayMillis` after its last row. */
  final case class ByIdleness(delayMillis: Long) extends CompleteRule("idle") {
    override def covers(bucket: String): Boolean                                               = true
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      last + delayMillis <= now
  }

  /** Applies `rule` to all buckets except buckets that are hidden from readers. */
  final case class Except(rule: CompleteRule, hidden: String => Boolean) extends CompleteRule(rule.word) {
    override def covers(bucket: String): Boolean         = !hidden(bucket) && rule.covers(bucket)
    override def endMillis(bucket: String): Option[Long] = rule.endMillis(bucket)
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      rule.isReached(bucket, last, now, mark)
  }
}
