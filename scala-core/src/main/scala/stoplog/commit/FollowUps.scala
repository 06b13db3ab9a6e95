// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{Manifest, Marker, MarkerForm, TimeColumn, TimeKind, Totals}
import stoplog.storage.{FileStore, SinkDirectory}

/** The follow-ups that a sink was asked for once parts are visible, with their settings.
  *
  * @param sinkId   for whose files markers and manifests are; that of a batch job is not the name of its log
  * @param listener told of each marker once it is there; at least once
  */
private[stoplog] final case class FollowUps(
    sinkId: String,
    rule: CompleteRule,
    form: MarkerForm,
    manifests: Manifests,
    notes: FileStore,
    listener: MarkedBucket => Unit
) {

  /** The marker of a bucket that is complete.
    *
    * @param newestVersion of the markers that the bucket has; 0 without one
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

  /** A list of files under this path, if lists are asked for. */
  private[commit] def manifest(path: => String): Option[Manifest] = manifests match {
    case Manifests.Json(column, _) => Some(Manifest(path, column))
    case Manifests.Off             => None
  }

}

private[stoplog] object FollowUps {

  /** Nothing but what records have decided already, by earlier runs that were asked for more. */
  def none(sinkId: String, notes: FileStore): FollowUps =
    FollowUps(sinkId, CompleteRule.Never, MarkerForm.Json, Manifests.Off, notes, _ => ())
}

/** Whether the files of each record are listed for loaders. */
private[stoplog] sealed trait Manifests extends Product with Serializable {

  /** The settings from which [[Manifests.noted]] makes it again, but for how long lists are kept. */
  def toMap: Map[String, String]
}
private[stoplog] object Manifests {
  case object Off extends Manifests {
    override def toMap: Map[String, String] = Map.empty
  }

  /** @param column          whose times the parts know
    * @param retentionMillis how long a list is kept; `None` for good
    */
  final case class Json(column: Option[TimeColumn], retentionMillis: Option[Long]) extends Manifests {
    override def toMap: Map[String, String] =
      Map(Key -> column.fold(Plain)(c => s"$Plain ${c.kind.word} ${c.name}"))
  }

  /** The manifests of the run that wrote a log's settings, as these say. It removes no list. */
  def noted(settings: Map[String, String]): Manifests = settings.get(Key).fold[Manifests](Off) { text =>
    text.split(" ", 3) match {
      case Array(Plain, kind, name) =>
        Json(TimeKind.all.find(_.word == kind).map(TimeColumn(name, _)), retentionMillis = None)
      case _ => Json(None, retentionMillis = None)
    }
  }

  private final val Key   = "manifest"
  private final val Plain = "json"

  /** The directory of a sink's lists. */
  def directory(sinkId: String): String = SinkDirectory(sinkId).manifests

  /** The list of one record's files. */
  def path(sinkId: String, seq: Long): String = f"${directory(sinkId)}/$seq%020d.$Suffix"

  /** The list of one batch job's files. */
  def path(sinkId: String, jobName: String): String = s"${directory(sinkId)}/$jobName.$Suffix"

  /** Whether a file of that directory is a list, also one of an earlier version. */
  private[commit] def isOne(name: String): Boolean = name.endsWith(s".$Suffix") || name.endsWith(".json")

  // Which no pattern for files of data finds.
  private final val Suffix = "manifest"
}

/** A bucket with a marker.
  *
  * @param marker its path under the sink's path
  * @param total  what this sink has put into the bucket
  */
private[stoplog] final case class MarkedBucket(bucket: String, version: Int, marker: String, total: Totals)

/** The rule by which a bucket counts as complete: no more rows of it are expected. Later rows are late rows. */
private[stoplog] sealed abstract class CompleteRule(val word: String) extends Product with Serializable {

  /** Whether the rule has anything to say of this bucket, ever. */
  def covers(bucket: String): Boolean

  /** The end of the bucket's time, if the rule goes by it. */
  def endMillis(bucket: String): Option[Long] = None

  /** Whether it is complete now, in the eyes of the rule.
    *
    * @param last when the newest row of the bucket was written, in milliseconds
    * @param now  by the driver's clock, in milliseconds
    * @param mark the query's watermark, in milliseconds; `None` while it is not known
    */
  def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean
}

private[stoplog] object CompleteRule {

  /** Says when a bucket's time ends, in milliseconds since 1970-01-01T00:00:00Z; `None` for one that has no time. */
  type Ends = String => Option[Long]

  /** No bucket ever is. */
  case object Never extends CompleteRule("none") {
    override def covers(bucket: String): Boolean                                               = false
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean = false
  }

  /** No bucket is complete for a run with this rule; the given ones wait for a run that knows their completion. */
  final case class Later(waiting: Set[String]) extends CompleteRule("later") {
    override def covers(bucket: String): Boolean = waiting(bucket)
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean = false
  }

  /** A rule that goes by the end of the bucket's time. */
  sealed abstract class ByEnd(word: String, ends: Ends) extends CompleteRule(word) {
    override def covers(bucket: String): Boolean         = ends(bucket).isDefined
    override def endMillis(bucket: String): Option[Long] = ends(bucket)
  }

  /** So long after the bucket's end, as the rows' own times tell it. */
  final case class ByWatermark(delayMillis: Long, ends: Ends) extends ByEnd("watermark", ends) {
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      mark.exists(time => ends(bucket).exists(_ + delayMillis <= time))
  }

  /** So long after the bucket's end, as the driver's clock tells it. */
  final case class ByClock(delayMillis: Long, ends: Ends) extends ByEnd("processingTime", ends) {
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      ends(bucket).exists(_ + delayMillis <= now)
  }

  /** So long after its last row. */
  final case class ByIdleness(delayMillis: Long) extends CompleteRule("idle") {
    override def covers(bucket: String): Boolean                                               = true
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      last + delayMillis <= now
  }

  /** All rules but the buckets that are not for readers. */
  final case class Except(rule: CompleteRule, hidden: String => Boolean) extends CompleteRule(rule.word) {
    override def covers(bucket: String): Boolean         = !hidden(bucket) && rule.covers(bucket)
    override def endMillis(bucket: String): Option[Long] = rule.endMillis(bucket)
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      rule.isReached(bucket, last, now, mark)
  }
}
