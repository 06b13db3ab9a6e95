// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{FollowUp, Manifest, Marker, Totals}
import stoplog.part.Pending

/** The follow-ups of a batch job, after its parts: its input has an end, and with it every bucket is complete that
  * the job has written to.
  *
  * @param jobName tells its manifest from those of others
  */
private[commit] final class JobEnd(followUps: FollowUps, jobName: String, parallel: Parallel, retry: Retry) {
  import followUps.{form, manifests, notes, rule, sinkId}

  private val history = new MarkerHistory(notes, sinkId)

  /** Beside what is there. */
  def adding(publish: Vector[Pending], nowMillis: Long): FollowUp =
    followUp(publish, nowMillis)(bucket => retry(() => history.of(bucket)))

  /** In place of it, markers and all. */
  def replacing(publish: Vector[Pending], nowMillis: Long): FollowUp =
    followUp(publish, nowMillis)(_ => MarkerHistory.Past(0, Totals.nothing))

  private def followUp(publish: Vector[Pending], nowMillis: Long)(
      past: String => MarkerHistory.Past
  ): FollowUp = {
    val written = Completion.totals(publish)
    val markers = parallel.map(written.keys.toVector.sorted.filter(rule.covers)) { bucket =>
      val before = past(bucket)
      Marker(
        bucket,
        before.version + 1,
        form,
        sinkId,
        JobEnd.Cause,
        nowMillis,
        rule.endMillis(bucket),
        before.marked + written(bucket),
        written(bucket)
      )
    }
    FollowUp(manifest(written), markers.toVector)
  }

  private def manifest(written: Map[String, Totals]): Option[Manifest] = manifests match {
    case Manifests.Json(column, _) if written.nonEmpty =>
      Some(Manifest(Manifests.path(sinkId, jobName), column))
    case _ => None
  }
}

private object JobEnd {

  /** In place of a rule's word. */
  private val Cause = "end"
}
