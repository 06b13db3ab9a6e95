// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** Removes manifests that are older than they are to be kept. */
private[commit] final class ManifestSweeper(followUps: FollowUps, clock: Clock) {

  def sweep(): Unit = followUps.manifests match {
    case Manifests.Json(_, Some(retentionMillis)) =>
      val cutoff = clock.millis() - retentionMillis
      val old    = followUps.notes
        .list(Manifests.directory(followUps.sinkId), prefix = "")
        .filter(note => note.modifiedMillis.exists(_ < cutoff) && Manifests.isOne(note.name))
      followUps.notes.delete(old.map(_.path))
    case _ => ()
  }
}
