// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.storage.FileInfo
import stoplog.thread.{Clock, Stopwatch}

/** Deletes manifests after their retention time, for one run.
  *
  * Clocks may be wrong, so no run relies only on its own clock. At the first check, a run's time is the time
  * of the newest manifest, unless the clock shows an earlier time. Afterwards the run adds the time that has
  * passed for its process. So manifests are deleted only after two runs with agreeing clocks, and stay longer
  * while no query runs. The newest [[ManifestRetention.Kept]] manifests always stay.
  */
private[commit] final class ManifestRetention(followUps: FollowUps, clock: Clock) {
  import followUps.{notes, sinkId}

  private lazy val stopwatch = new Stopwatch(clock)
  private var firstMillis    = Option.empty[Long]

  def deleteOld(): Unit = followUps.manifests match {
    case Manifests.Json(_, Some(retentionMillis)) =>
      val lists = notes
        .list(Manifests.directory(sinkId), prefix = "")
        .filter(note => note.modifiedMillis.isDefined && note.name.endsWith(Manifests.Suffix))
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

  /** The number of manifests that stay regardless of their age. */
  private[commit] final val Kept = 10

  /** Returns the manifests older than this time, except the newest [[Kept]]. */
  def old(lists: Vector[FileInfo], cutoffMillis: Long): Vector[FileInfo] =
    lists
      .sortBy(list => (list.modifiedMillis, list.path))
      .dropRight(Kept)
      .filter(_.modifiedMillis.exists(_ < cutoffMillis))
}
