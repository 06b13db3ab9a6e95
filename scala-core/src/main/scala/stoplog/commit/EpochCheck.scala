// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.log.{BatchDigest, QueryEpoch}

/** Whether the epochs that Spark asks for follow those that are committed. Pure: it answers with the epoch to go on from,
  * or throws. The same for every place that remembers epochs: a log of records, a table of epochs, and the notes of a
  * write-ahead sink.
  *
  * An epoch is its number and its digest: an epoch of the same number and another digest has other rows.
  *
  * Spark repeats an epoch that it has not seen committed, and otherwise asks for the next one. Any other distance
  * between checkpoint and sink means that one of them was lost, swapped or restored, and writing on would lose rows
  * or repeat them.
  */
private[stoplog] final class EpochCheck(errors: EpochErrors) {

  /** For a run that claims the sink. A query that has not passed the sink's epochs would write their rows again: it is
    * refused, unless `onForeign` allows that.
    *
    * @param query the run's own
    * @return what the run goes on from
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

  /** For an operator who hands the sink to a query. The same, but a sink that lacks epochs of the query is no reason to
    * refuse it: no row is written again. Nor need the query have digests of its batches, if it may write rows again.
    */
  def handOver(sink: TakenSink, query: String, onForeign: ForeignQuery, planned: Planned): QueryEpoch = {
    val repeating = new Repeating(query, onForeign, planned, warns = _ => ())
    repeating.takeOver(sink) { own =>
      val isUntold = planned.batch == own.next && planned.before.isEmpty
      if (planned.batch > own.next || isUntold && onForeign == ForeignQuery.AdoptAndRepeat) repeating.fresh
      else repeating.from(own)
    }
  }

  /** The distance rule alone, for the epochs of a run that holds the claim. An epoch that is repeated must be the same
    * batch: one that was planned anew has rows that no query would write if it was passed over.
    */
  def sequence(last: QueryEpoch, planned: Planned): Unit = outOfSequence(last, planned).foreach(throw _)

  /** For the first epoch of a run. The one before it, behind which Spark has planned it, must be the batch that was
    * committed. A driver that does not know yet that it is overtaken notes in the checkpoint that its batch is done, beside
    * one of the same number that its successor has planned anew; a run that finds that note begins behind rows that no
    * driver has written.
    */
  def goesOn(last: QueryEpoch, planned: Planned): Unit = behindAnother(last, planned).foreach(throw _)

  private def outOfSequence(last: QueryEpoch, planned: Planned): Option[Throwable] =
    if (planned.batch > last.next) Some(errors.gap(last.epoch, planned.batch))
    else EpochCheck.behind(last, planned.batch, planned.digest, errors)

  private def behindAnother(last: QueryEpoch, planned: Planned): Option[Throwable] =
    last.epoch
      .filter(_ == planned.batch - 1 && EpochCheck.isAnother(planned.before, last))
      .map(errors.replanned)

  /** To adopt is to take over the sink of another query. A query's own epochs are not passed over where the sink is an
    * older copy that lacks them, though the query may adopt: the option is easily left on. Nor are they written again
    * where another query has adopted the sink meanwhile, and this one died before Spark had noted its last.
    *
    * @param warns that rows may be written again
    */
  private final class Repeating(
      query: String,
      onForeign: ForeignQuery,
      planned: Planned,
      warns: Throwable => Unit
  ) {

    /** As the checkpoint says, whatever the sink has. */
    def fresh: QueryEpoch = QueryEpoch.before(query, planned.batch)

    /** @param returning what a query goes on from that has decided epochs here */
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

    /** From its newest epoch, or from an older one if the query may write rows again. */
    def from(own: QueryEpoch): QueryEpoch =
      outOfSequence(own, planned).orElse(behindAnother(own, planned)).fold(own)(unless)

    private def unless(refusal: Throwable): QueryEpoch = {
      if (onForeign != ForeignQuery.AdoptAndRepeat) throw refusal
      warns(refusal)
      fresh
    }
  }
}

private[stoplog] object EpochCheck {
  private val Repeats = "The query goes on all the same, as adoptAndRepeat asks, and may write rows again"

  /** The rule of a place that remembers only the epochs with rows, and so knows no gap. */
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

/** A sink as a start finds it. */
private[stoplog] trait TakenSink {

  /** The query that owns the sink, and its newest epoch; none for a sink of which nothing is known. */
  def newest: Option[QueryEpoch]

  /** As this query has left the sink, if another one has adopted it since. */
  def leftBy(queryId: String): Option[QueryEpoch]

  /** Whether it is known that no row would be written again, whatever query comes. */
  def hasNoRows: Boolean
}

/** The refusals of an epoch that the place has passed. */
private[stoplog] trait RepeatErrors {

  /** The sink is ahead of the checkpoint. */
  def ahead(last: Long, batch: Long): Throwable

  /** The batch that is the newest in the sink was planned anew. */
  def plannedAnew(batch: Long): Throwable
}

/** The refusals of a start in the words of the sink that refuses. */
private[stoplog] trait EpochErrors extends RepeatErrors {

  /** @param owner the query that the sink belongs to, and its newest epoch
    * @param batch the first of this query
    */
  def foreignQuery(owner: QueryEpoch, batch: Long): Throwable

  /** The sink is behind the checkpoint.
    *
    * @param last the newest epoch in the sink; none if it has no epoch
    */
  def gap(last: Option[Long], batch: Long): Throwable

  /** The checkpoint goes on behind another batch of this number than the sink. */
  def replanned(last: Long): Throwable
}

/** The digests of a query's micro-batches, as its checkpoint has them now. */
private[stoplog] trait BatchDigests {

  /** `None` where there is nothing to tell. Error: `STOPLOG_CHECKPOINT_UNREADABLE`. */
  def of(batch: Long): Option[BatchDigest]
}

private[stoplog] object BatchDigests {

  /** Of an engine that does not tell. */
  val unknown: BatchDigests = _ => None
}

/** The batch that a run is to begin, which is looked up at once, before an operator may change the checkpoint; and the one before
  * it, when it is asked for.
  */
private[stoplog] final class Planned(val batch: Long, digests: BatchDigests) {
  val digest: Option[BatchDigest]      = digests.of(batch)
  lazy val before: Option[BatchDigest] = if (batch == 0) None else digests.of(batch - 1)
}
