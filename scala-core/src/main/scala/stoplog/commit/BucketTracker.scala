// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.log._
import stoplog.part.{FinishedPart, Open, Part, Pending}
import stoplog.rolling.RollReason

/** Decides with each record which buckets are complete, and counts what is in those that are not. */
private[commit] final class BucketTracker(followUps: FollowUps, parallel: Parallel, retry: StorageRetry) {
  import BucketTracker.Completion
  import followUps.{notes, rule, sinkId}

  @volatile private var watermark = Option.empty[Long]

  /** The query has come so far: rows before this time are late. Never goes back. */
  def reached(watermarkMillis: Long): Unit = synchronized {
    watermark = Some(watermark.fold(watermarkMillis)(_.max(watermarkMillis)))
  }

  /** Whether there is a bucket that [[next]] would mark now. */
  def isDue(state: SinkState, nowMillis: Long): Boolean =
    rule != CompleteRule.Never && ready(
      tracked(state.live, Vector.empty, state.open),
      state.open,
      nowMillis
    ).nonEmpty

  /** The buckets that get no more rows, as far as the rule can tell: their small parts wait for no others. */
  def closing(state: SinkState, nowMillis: Long): String => Boolean = {
    lazy val reached = ready(state.live, state.open, nowMillis) // never evaluated where nothing is merged
    bucket => rule != CompleteRule.Never && reached(bucket)
  }

  /** Without the small parts that a marker counts: its files stay as they are. */
  def mergeable(state: SinkState): SinkState =
    if (rule == CompleteRule.Never || state.small.isEmpty) state
    else {
      val live = state.live.iterator.map(_.bucket).toSet
      state.copy(small = state.small.filter(part => live(part.bucket) || !rule.covers(part.bucket)))
    }

  /** For a record that puts a merged part in the place of these: no marker follows, and no row is counted twice. */
  def replacing(state: SinkState, inputs: Vector[FinishedPart], nowMillis: Long): Completion = {
    val gone = inputs.groupMapReduce(_.bucket)(part => Totals(1, part.records, part.sizeBytes))(_ + _)
    val live = state.live.map(bucket =>
      bucket.copy(added = bucket.added - gone.getOrElse(bucket.bucket, Totals.nothing))
    )
    Completion(Vector.empty, state.copy(live = live), Set.empty, late = 0, followUps, nowMillis)
  }

  /** The further tasks of the next record. A bucket that still has parts to be merged has its open parts closed, and
    * gets its marker afterwards.
    *
    * @param state as it was going to be, with the parts that were to stay open
    * @param ended the parts that tasks have closed
    * @param due   those that the driver is about to close
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
        state.copy(open = left, live = live),
        complete,
        late.size,
        followUps,
        nowMillis
      )
    }

  /** Those that are known, then those that come with these parts, each with the version of its newest marker. */
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

  /** Late rows do not close their part at once: a few of them in each epoch would make a file and a marker each. The
    * rolling policy ends it, and the next marker follows.
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
    s"Rows came to bucket ${late.bucket} of sink $sinkId after its marker of version ${late.version}; " +
      "a marker of the next version follows"
  )
}

private[stoplog] object BucketTracker {

  /** The buckets, with what comes to them by parts that are published. */
  def counted(live: Vector[LiveBucket], published: Vector[Part]): Vector[LiveBucket] = {
    val more = Completion.totals(published)
    live.map(bucket => bucket.copy(added = bucket.added + more.getOrElse(bucket.bucket, Totals.nothing)))
  }

  /** The bucket entries of the next record, before the parts are closed that it names.
    *
    * @param due      the parts that the driver closes
    * @param state    with the parts that stay open, and every bucket that has no marker yet
    * @param complete the buckets that get one
    * @param late     how many buckets have come back after theirs
    */
  private[commit] final case class Completion(
      due: Vector[EpochOutcome.PartToClose],
      state: SinkState,
      complete: Set[String],
      late: Int,
      followUps: FollowUps,
      nowMillis: Long
  ) {

    /** Whether no record is needed for the sake of this. */
    def isEmpty: Boolean = due.isEmpty && complete.isEmpty

    /** Those that end with this record. A task may have written some in this very epoch, so that no record names them. */
    def spoolFiles: Set[String] = due.iterator.flatMap(_.part.beside.files).map(_.token).toSet

    /** The state, and what follows, once it is known what is published.
      *
      * @param manifestPath where the record's files are listed
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

    /** A part without bytes has no file. */
    def isVisible(part: Part): Boolean = part.sizeBytes > 0

    /** By bucket, what comes to it with these parts. */
    def totals(parts: Vector[Part]): Map[String, Totals] = parts
      .filter(isVisible)
      .groupMapReduce(_.bucket)(part => Totals(1, part.records, part.sizeBytes))(_ + _)
  }
}
