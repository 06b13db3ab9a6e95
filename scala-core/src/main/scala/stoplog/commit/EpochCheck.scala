// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.log.{BatchDigest, QueryEpoch}

/** Checks whether the epochs that Spark requests follow the committed epochs. Pure: each check returns the
  * epoch to resume from, or throws. A commit log, a table of epochs, and the records of a write-ahead sink
  * use the same rules.
  *
  * A number and a digest identify an epoch: epochs with equal numbers and different digests have different
  * rows.
  *
  * Spark repeats an epoch if the checkpoint has no commit of the epoch, and otherwise requests the next
  * epoch. Any other distance means that the checkpoint or the sink was lost, swapped or restored: writing
  * would lose or repeat rows.
  */
private[stoplog] final class EpochCheck(errors: EpochErrors) {

  /** Checks the start of a run that claims the sink. A query that has not passed the sink's epochs would
    * write their rows again: unless `onForeign` allows this, the query is rejected.
    *
    * @param query the query of the run
    * @return the epoch to resume from
    */
  def start(sink: TakenSink, query: String, onForeign: ForeignQuery, planned: Planned): QueryEpoch = {
    val repeating = new Repeating(query, onForeign, planned, warns = Log.warn(EpochCheck.Repeats, _))
    if (sink.newest.isEmpty && planned.batch > 0 && onForeign == ForeignQuery.Refuse)
      throw errors.gap(None, planned.batch)
    else
      repeating.takeOver(sink) { own =>
        if (planned.batch > own.next) throw errors.gap(own.epoch, planned.batch)
        repeating.from(own)
      }
  }

  /** Checks an operator's handover of the sink to a query, by the rules of [[start]] with two exceptions. A
    * sink without the query's latest epochs is accepted, because no row is written again. A query with the
    * right to write rows again needs no digests of its batches.
    */
  def handOver(sink: TakenSink, query: String, onForeign: ForeignQuery, planned: Planned): QueryEpoch = {
    val repeating = new Repeating(query, onForeign, planned, warns = _ => ())
    repeating.takeOver(sink) { own =>
      val isUntold = planned.batch == own.next && planned.before.isEmpty
      if (planned.batch > own.next || isUntold && onForeign == ForeignQuery.AdoptAndRepeat) repeating.fresh
      else repeating.from(own)
    }
  }

  /** Checks only the distance, for a run that holds the claim. A repeated epoch must be the same batch: if
    * the sink skipped an epoch that Spark has replanned, no query would write its new rows.
    */
  def sequence(last: QueryEpoch, planned: Planned): Unit = outOfSequence(last, planned).foreach(throw _)

  /** Checks the first epoch of a run: the preceding batch of the checkpoint must be the committed batch. A
    * fenced driver may still record its batch as done in the checkpoint, after its successor has replanned
    * the batch of this number. The next run would then start after rows that no driver has written.
    */
  def requireContinuation(last: QueryEpoch, planned: Planned): Unit =
    replanned(last, planned).foreach(throw _)

  private def outOfSequence(last: QueryEpoch, planned: Planned): Option[Throwable] =
    if (planned.batch > last.next) Some(errors.gap(last.epoch, planned.batch))
    else EpochCheck.behind(last, planned.batch, planned.digest, errors)

  private def replanned(last: QueryEpoch, planned: Planned): Option[Throwable] =
    last.epoch
      .filter(_ == planned.batch - 1 && EpochCheck.isAnother(planned.before, last))
      .map(errors.replanned)

  /** Decides from which epoch a run takes over a sink. To adopt is to take over the sink of another query.
    *
    * Users easily leave the option on. So even with `Adopt`, a query does not skip its own epochs if the sink
    * is an older copy without these epochs. A query does not repeat its epochs if another query has adopted
    * the sink, and this query died before Spark had recorded its last epoch.
    *
    * @param warns called if rows may be written again
    */
  private final class Repeating(
      query: String,
      onForeign: ForeignQuery,
      planned: Planned,
      warns: Throwable => Unit
  ) {

    /** Returns the epoch of the checkpoint, regardless of the sink. */
    def fresh: QueryEpoch = QueryEpoch.before(query, planned.batch)

    /** @param returning the rule for a query with decided epochs in this sink */
    def takeOver(sink: TakenSink)(returning: QueryEpoch => QueryEpoch): QueryEpoch = sink.newest match {
      case None                                            => fresh
      case Some(own) if own.queryId == query               => returning(own)
      case Some(other) if onForeign == ForeignQuery.Refuse => throw errors.foreignQuery(other, planned.batch)
      case Some(other)                                     =>
        sink.leftBy(query).map(returning).getOrElse {
          if (planned.batch >= other.next || sink.hasNoRows) fresh
          else unless(errors.foreignQuery(other, planned.batch))
        }
    }

    /** Returns the query's newest epoch, or the checkpoint's epoch if the query may write rows again. */
    def from(own: QueryEpoch): QueryEpoch =
      outOfSequence(own, planned).orElse(replanned(own, planned)).fold(own)(unless)

    private def unless(refusal: Throwable): QueryEpoch = {
      if (onForeign != ForeignQuery.AdoptAndRepeat) throw refusal
      warns(refusal)
      fresh
    }
  }
}

private[stoplog] object EpochCheck {
  private val Repeats = "The query continues because of adoptAndRepeat, and may write rows again"

  /** Checks an epoch for a store that keeps only epochs with rows and therefore cannot detect gaps. */
  def notBehind(last: QueryEpoch, batch: Long, digest: Option[BatchDigest], errors: RepeatErrors): Unit =
    behind(last, batch, digest, errors).foreach(throw _)

  private def behind(
      last: QueryEpoch,
      batch: Long,
      digest: Option[BatchDigest],
      errors: RepeatErrors
  ): Option[Throwable] =
    if (batch < last.next - 1) Some(errors.ahead(last.next - 1, batch))
    else if (last.epoch.contains(batch) && isAnother(digest, last)) Some(errors.plannedAnew(batch))
    else None

  private def isAnother(now: Option[BatchDigest], last: QueryEpoch): Boolean =
    now.exists(digest => last.batch.exists(_ != digest))
}

/** The state of a sink at a start. */
private[stoplog] trait TakenSink {

  /** Returns the owner of the sink and its newest epoch; `None` if nothing is known of the sink. */
  def newest: Option[QueryEpoch]

  /** Returns the newest epoch of this query, if another query has adopted the sink since. */
  def leftBy(queryId: String): Option[QueryEpoch]

  /** Returns whether the sink is known to have no rows, so that no query can write rows again. */
  def hasNoRows: Boolean
}

/** Errors for an epoch that the sink has passed. */
private[stoplog] trait RepeatErrors {

  /** Returns the error for a sink that is ahead of the checkpoint. */
  def ahead(last: Long, batch: Long): Throwable

  /** Returns the error for a replanned batch whose number is the newest in the sink. */
  def plannedAnew(batch: Long): Throwable
}

/** Errors for a rejected start, in the terms of the sink. */
private[stoplog] trait EpochErrors extends RepeatErrors {

  /** @param owner the query that owns the sink, and its newest epoch
    * @param batch the first batch of this query
    */
  def foreignQuery(owner: QueryEpoch, batch: Long): Throwable

  /** Returns the error for a checkpoint that is ahead of the sink.
    *
    * @param last the newest epoch in the sink; `None` if the sink has no epoch
    */
  def gap(last: Option[Long], batch: Long): Throwable

  /** Returns the error for a replanned batch: checkpoint and sink have different batches of this number. */
  def replanned(last: Long): Throwable
}

/** The digests of a query's micro-batches in the current checkpoint. */
private[stoplog] trait BatchDigests {

  /** Returns the digest of a batch; `None` if there is none. Error: `STOPLOG_CHECKPOINT_UNREADABLE`. */
  def of(batch: Long): Option[BatchDigest]
}

private[stoplog] object BatchDigests {

  /** The digests of an engine that provides none. */
  val unknown: BatchDigests = _ => None
}

/** The batch that a run is about to start. The digest of the batch is read immediately, before an operator
  * can change the checkpoint. The digest of the preceding batch is read on demand.
  */
private[stoplog] final class Planned(val batch: Long, digests: BatchDigests) {
  val digest: Option[BatchDigest]      = digests.of(batch)
  lazy val before: Option[BatchDigest] = if (batch == 0) None else digests.of(batch - 1)
}
