// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log._
import stoplog.part.{Part, Pending}

/** The bucket entries of the next record, before the parts are closed that it names.
  *
  * @param due      the parts that the driver closes
  * @param state    with the parts that stay open, and every bucket that has no marker yet
  * @param complete the buckets that get one
  * @param late     how many buckets have come back after theirs
  */
private[commit] final case class Completion(
    due: Vector[PartToClose],
    state: SinkState,
    complete: Set[String],
    late: Int,
    followUps: FollowUps,
    nowMillis: Long
) {
  import followUps.{form, manifests, rule, sinkId}

  /** Whether no record is needed for the sake of this. */
  def isEmpty: Boolean = due.isEmpty && complete.isEmpty

  /** Those that end with this record. A task may have written some in this very epoch, so that no record names them. */
  def sideFiles: Set[String] = due.iterator.flatMap(_.part.beside.files).map(_.token).toSet

  /** The state, and what follows, once it is known what is published.
    *
    * @param manifestPath where the record's files are listed
    */
  def decided(publish: Vector[Pending], manifestPath: => String): (SinkState, FollowUp) = {
    val counted       = counts(publish)
    val (done, going) = counted.partition(bucket => complete(bucket.bucket))
    val stillOpen     = state.open.iterator.map(_.bucket).toSet
    val markers       = done.filter(_.added.files > 0).map(marker)
    val live          = going.filter(bucket => bucket.added.files > 0 || stillOpen(bucket.bucket))
    (state.copy(live = live), FollowUp(manifest(publish, markers, manifestPath), markers))
  }

  private def counts(publish: Vector[Pending]): Vector[LiveBucket] = {
    val published = Completion.totals(publish)
    state.live.map(bucket =>
      bucket.copy(added = bucket.added + published.getOrElse(bucket.bucket, Totals.nothing))
    )
  }

  private def marker(bucket: LiveBucket): Marker = Marker(
    bucket.bucket,
    bucket.version + 1,
    form,
    sinkId,
    rule.word,
    nowMillis,
    rule.endMillis(bucket.bucket),
    bucket.marked + bucket.added,
    bucket.added
  )

  private def manifest(publish: Vector[Pending], markers: Vector[Marker], path: => String): Option[Manifest] =
    manifests match {
      case Manifests.Json(column, _) if markers.nonEmpty || publish.exists(Completion.isVisible) =>
        Some(Manifest(path, column))
      case _ => None
    }
}

private[commit] object Completion {

  /** A part without bytes has no file. */
  def isVisible(part: Part): Boolean = part.sizeBytes > 0

  /** By bucket, what comes to it with these parts. */
  def totals(parts: Vector[Pending]): Map[String, Totals] = parts
    .filter(isVisible)
    .groupMapReduce(_.bucket)(part => Totals(1, part.records, part.sizeBytes))(_ + _)
}
