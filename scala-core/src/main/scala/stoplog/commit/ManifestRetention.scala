// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.storage.FileInfo
import stoplog.thread.{Clock, Stopwatch}

/** Deletes lists of files that are older than they are to be kept, for one run.
  *
  * A clock may be wrong, so no run goes by its own reading of it alone. The time of a run is the time of the newest list
  * that it finds when it first looks, unless the clock shows an earlier one, and from then on the time that has passed
  * for its process. So lists go only after two runs whose clocks agree, and stay longer while no query runs. The newest
  * [[ManifestRetention.Kept]] lists stay in any case.
  */
private[commit] final class ManifestRetention(followUps: FollowUps, clock: Clock) {
  import followUps.{notes, sinkId}

  private lazy val stopwatch = new Stopwatch(clock)
  private var firstMillis    = Option.empty[Long]

  def deleteOld(): Unit = followUps.manifests match {
    case Manifests.Json(_, Some(retentionMillis)) =>
      val lists = notes
        .list(Manifests.directory(sinkId), prefix = "")
        .filter(note => note.modifiedMillis.isDefined && Manifests.isOne(note.name))
      notes.delete(ManifestRetention.old(lists, nowMillis(lists) - retentionMillis).map(_.path))
    case _ => ()
  }

  private def nowMillis(lists: Vector[FileInfo]): Long = {
    val first = firstMillis.getOrElse {
      val now = clock.millis()
      lists.flatMap(_.modifiedMillis).maxOption.fold(now)(_.min(now))
    }
    firstMillis = Some(first)
    first + stopwatch.millis
  }
}

private[commit] object ManifestRetention {

  /** The number of lists that stay however old they are. */
  private[commit] final val Kept = 10

  /** Those that are older than this time, but for the newest ones. */
  def old(lists: Vector[FileInfo], cutoffMillis: Long): Vector[FileInfo] =
    lists
      .sortBy(list => (list.modifiedMillis, list.path))
      .dropRight(Kept)
      .filter(_.modifiedMillis.exists(_ < cutoffMillis))
}
