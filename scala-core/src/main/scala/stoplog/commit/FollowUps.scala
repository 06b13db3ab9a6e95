// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{MarkerForm, TimeColumn, TimeKind, Totals}
import stoplog.storage.{FileStore, SinkDirectory}

/** The follow-ups that a sink was asked for once parts are visible, with their settings.
  *
  * @param sinkId   for whose files markers and manifests are; that of a batch job is not the name of its log
  * @param listener told of each marker once it is there; at least once
  */
final case class FollowUps(
    sinkId: String,
    rule: CompleteRule,
    form: MarkerForm,
    manifests: Manifests,
    notes: FileStore,
    listener: MarkedBucket => Unit
)

object FollowUps {

  /** Nothing but what records have decided already, by earlier runs that were asked for more. */
  def none(sinkId: String, notes: FileStore): FollowUps =
    FollowUps(sinkId, CompleteRule.Never, MarkerForm.Json, Manifests.Off, notes, _ => ())
}

/** Whether the files of each record are listed for loaders. */
sealed trait Manifests extends Product with Serializable {

  /** The settings from which [[Manifests.noted]] makes it again, but for how long lists are kept. */
  def toMap: Map[String, String]
}
object Manifests {
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
final case class MarkedBucket(bucket: String, version: Int, marker: String, total: Totals)
