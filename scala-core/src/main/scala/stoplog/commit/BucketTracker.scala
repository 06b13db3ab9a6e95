// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.log._
import stoplog.part.{FinishedPart, Open, Part, Pending}
import stoplog.rolling.RollReason
import stoplog.thread.Parallel

/** Decides with each record which buckets are complete, and keeps the totals of all other buckets. */
private[commit] final class BucketTracker(followUps: FollowUps, parallel: Parallel, retry: StorageRetry) {
  import BucketTracker.Completion
  import followUps.{notes, rule, sinkId}

  private val replaced = new ReplacedBuckets(notes, parallel, retry)

  @volatile private var watermark = Option.empty[Long]

  /** Sets the query's watermark: rows with an earlier time are late. The watermark never decreases. */
  def reached(watermarkMillis: Long): Unit = synchronized {
    watermark = Some(watermark.fold(watermarkMillis)(_.max(watermarkMillis)))
  }

  /** Returns whether [[next]] would mark a bucket now. */
  def isDue(state: SinkState, nowMillis: Long): Boolean =
    rule != CompleteRule.Never && ready(
      tracked(state.live, Vector.empty, state.open),
      state.open,
      nowMillis
    ).nonEmpty

  /** Returns whether a bucket gets no more rows, according to the rule: its small parts do not wait. */
  def closing(state: SinkState, nowMillis: Long): String => Boolean = {
    lazy val reached = ready(state.live, state.open, nowMillis) // not evaluated if nothing is compacted
    bucket => rule != CompleteRule.Never && reached(bucket)
  }

  /** Returns the state without small parts of marked buckets: their files stay, as a marker counts them. */
  def compactable(state: SinkState): SinkState =
    if (rule == CompleteRule.Never || state.small.isEmpty) state
    else {
      val live = state.live.iterator.map(_.bucket).toSet
      state.copy(small = state.small.filter(part => live(part.bucket) || !rule.covers(part.bucket)))
    }

  /** Returns the completion for a record with a compacted part: no marker follows, no row counts twice. */
  def replacing(state: SinkState, inputs: Vector[FinishedPart], nowMillis: Long): Completion = {
    val gone = inputs.groupMapReduce(_.bucket)(part => Totals(1, part.records, part.sizeBytes))(_ + _)
    val live = state.live.map(bucket =>
      bucket.copy(added = bucket.added - gone.getOrElse(bucket.bucket, Totals.nothing))
    )
    Completion(Vector.empty, state.copy(live = live), Set.empty, late = 0, followUps, nowMillis)
  }

  /** Returns the further work of the next record. If a complete bucket still has parts to compact, the record
    * closes its open parts, and the marker follows later.
    *
    * @param state the planned state, with all parts left open by the tasks and the policy
    * @param ended the parts closed by tasks
    * @param due   the parts to be closed by the driver
    */
  def next(
      state: SinkState,
      ended: Vector[Pending],
      due: Vector[EpochOutcome.PartToClose],
      compaction: Compaction,
      nowMillis: Long
  ): Completion =
    if (rule == CompleteRule.Never)
      Completion(due, state.copy(live = Vector.empty), Set.empty, late = 0, followUps, nowMillis)
    else {
      val live    = tracked(state.live, ended ++ due.map(_.part), state.open)
      val reached = ready(live, state.open, nowMillis)
      val late    = live.drop(state.live.size).filter(_.version > 0)
      late.foreach(warn)
      val (closing, left) = state.open.partition(part => reached(part.bucket))
      val publishing      = (ended.iterator ++ due.iterator.map(_.part) ++ closing).map(_.bucket).toSet
      val complete        = reached.filterNot(compaction.holds(state, publishing))
      Completion(
        due ++ closing.map(EpochOutcome.PartToClose(_, RollReason.Complete)),
        state.copy(open = left, live = withoutReplaced(live, complete)),
        complete,
        late.size,
        followUps,
        nowMillis
      )
    }

  /** Excludes files that jobs have replaced or deleted from the totals of complete buckets. */
  private def withoutReplaced(live: Vector[LiveBucket], complete: Set[String]): Vector[LiveBucket] = {
    val counted = live.filter(bucket => complete(bucket.bucket) && bucket.added.files > 0).map(_.bucket)
    val emptied = replaced.among(counted)
    live.map(bucket => if (emptied(bucket.bucket)) bucket.copy(added = Totals.nothing) else bucket)
  }

  /** Returns live and new buckets with the version of the newest marker and the time of the last write. */
  private def tracked(
      live: Vector[LiveBucket],
      closing: Vector[Part],
      open: Vector[Open]
  ): Vector[LiveBucket] = {
    val known = live.iterator.map(_.bucket).toSet
    val more = (closing.iterator ++ open).map(_.bucket).filterNot(known).toVector.distinct.filter(rule.covers)
    val added = parallel.map(more) { bucket =>
      val version = retry(() => Markers.newestVersion(notes, bucket))
      LiveBucket(bucket, version, Totals.nothing, lastWrittenAtMillis = 0)
    }
    val lastWritten = (closing.iterator ++ open)
      .map(part => part.bucket -> part.lastWrittenAtMillis)
      .toVector
      .groupMapReduce(_._1)(_._2)(math.max)
    (live ++ added).map { bucket =>
      lastWritten.get(bucket.bucket).fold(bucket) { last =>
        bucket.copy(lastWrittenAtMillis = bucket.lastWrittenAtMillis.max(last))
      }
    }
  }

  /** Returns the buckets for which the rule is reached. Late rows do not close their part at once: a few late
    * rows in each epoch would create a file and a marker each time. The rolling policy closes the part, and
    * the next marker follows.
    */
  private def ready(live: Vector[LiveBucket], open: Vector[Open], nowMillis: Long): Set[String] = {
    val stillOpen = open.iterator.map(_.bucket).toSet
    live.iterator
      .filter(bucket => rule.isReached(bucket.bucket, bucket.lastWrittenAtMillis, nowMillis, watermark))
      .filterNot(bucket => waitsForPolicy(bucket) && stillOpen(bucket.bucket))
      .map(_.bucket)
      .toSet
  }

  private def waitsForPolicy(bucket: LiveBucket): Boolean =
    bucket.version > 0 && rule.endMillis(bucket.bucket).isDefined

  private def warn(late: LiveBucket): Unit = Log.warn(
    s"Bucket ${late.bucket} of sink $sinkId received rows after its marker of version ${late.version}; " +
      "a marker of the next version follows"
  )
}

private[stoplog] object BucketTracker {

  /** Adds the totals of published parts to the buckets. */
  def counted(live: Vector[LiveBucket], published: Vector[Part]): Vector[LiveBucket] = {
    val more = Completion.totals(published)
    live.map(bucket => bucket.copy(added = bucket.added + more.getOrElse(bucket.bucket, Totals.nothing)))
  }

  /** The bucket entries of the next record, computed before the driver closes the parts in `due`.
    *
    * @param due      the parts to be closed by the driver
    * @param state    the next state, with the remaining open parts and all tracked buckets
    * @param complete the buckets that get a marker
    * @param late     the number of buckets with rows after their marker
    */
  private[commit] final case class Completion(
      due: Vector[EpochOutcome.PartToClose],
      state: SinkState,
      complete: Set[String],
      late: Int,
      followUps: FollowUps,
      nowMillis: Long
  ) {

    /** Returns whether this completion needs no record. */
    def isEmpty: Boolean = due.isEmpty && complete.isEmpty

    /** Returns the spool files of the closed parts, including files of this epoch, which no record names. */
    def spoolFiles: Set[String] = due.iterator.flatMap(_.part.spooled.files).map(_.token).toSet

    /** Returns the final state and the follow-up, given the published parts.
      *
      * @param manifestPath the path of the record's manifest
      */
    def decided(publish: Vector[Pending], manifestPath: => String): (SinkState, FollowUp) = {
      val (done, going) = counted(state.live, publish).partition(bucket => complete(bucket.bucket))
      val stillOpen     = state.open.iterator.map(_.bucket).toSet
      val markers       = done.filter(_.added.files > 0).map { bucket =>
        followUps.marker(bucket.bucket, bucket.version, bucket.added, followUps.rule.word, nowMillis)
      }
      val isListed = markers.nonEmpty || publish.exists(Completion.isVisible)
      val manifest = if (isListed) followUps.manifest(manifestPath) else None
      val live     = going.filter(bucket => bucket.added.files > 0 || stillOpen(bucket.bucket))
      (state.copy(live = live), FollowUp(manifest, markers))
    }
  }

  private[commit] object Completion {

    /** Returns whether the part has a file: a part without bytes has none. */
    def isVisible(part: Part): Boolean = part.sizeBytes > 0

    /** Returns the totals of these parts by bucket. */
    def totals(parts: Vector[Part]): Map[String, Totals] = parts
      .filter(isVisible)
      .groupMapReduce(_.bucket)(part => Totals(1, part.records, part.sizeBytes))(_ + _)
  }
}
