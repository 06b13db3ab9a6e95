// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

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

  /** For a run that claims the sink.
    *
    * @param found the query that owns the sink, and its newest epoch; none for a sink of which nothing is known
    * @param query the run's own
    * @param left  as this query has left the sink, if another one has adopted it since
    * @return what the run goes on from
    */
  def start(
      found: Option[QueryEpoch],
      query: String,
      onForeign: ForeignQuery,
      planned: Planned,
      left: => Option[QueryEpoch]
  ): QueryEpoch = {
    val adopt      = onForeign == ForeignQuery.Adopt
    lazy val fresh = QueryEpoch.before(query, planned.batch)
    found match {
      case None if planned.batch == 0 || adopt => fresh
      case None                                => throw errors.gap(None, planned.batch)
      case Some(own) if own.queryId == query   => goingOn(own, planned)
      case Some(_) if adopt                    => left.fold(fresh)(goingOn(_, planned))
      case Some(other)                         => throw errors.foreignQuery(other.queryId)
    }
  }

  /** The distance rule alone, for the epochs of a run that holds the claim. An epoch that is repeated must be the same
    * batch: one that was planned anew has rows that no query would write if it was passed over.
    */
  def sequence(last: QueryEpoch, planned: Planned): Unit = {
    if (planned.batch > last.next) throw errors.gap(last.epoch, planned.batch)
    EpochCheck.notBehind(last, planned.batch, planned.digest, errors)
  }

  /** For the first epoch of a run. The one before it, behind which Spark has planned it, must be the batch that was
    * committed. A driver that does not know yet that it is overtaken notes in the checkpoint that its batch is done, beside
    * one of the same number that its successor has planned anew; a run that finds that note begins behind rows that no
    * driver has written.
    */
  def goesOn(last: QueryEpoch, planned: Planned): Unit =
    last.epoch.filter(_ == planned.batch - 1).foreach { epoch =>
      if (EpochCheck.isAnother(planned.before, last)) throw errors.replanned(epoch)
    }

  /** To adopt is to take over the sink of another query. A query's own epochs are not passed over where the sink is an
    * older copy that lacks them, though the query may adopt: the option is easily left on. Nor are they written again
    * where another query has adopted the sink meanwhile, and this one died before Spark had noted its last.
    */
  private def goingOn(own: QueryEpoch, planned: Planned): QueryEpoch = {
    sequence(own, planned)
    goesOn(own, planned)
    own
  }
}

private[stoplog] object EpochCheck {

  /** The rule of a place that remembers only the epochs with rows, and so knows no gap. */
  def notBehind(last: QueryEpoch, batch: Long, digest: Option[BatchDigest], errors: RepeatErrors): Unit = {
    if (batch < last.next - 1) throw errors.ahead(last.next - 1, batch)
    if (last.epoch.contains(batch) && isAnother(digest, last)) throw errors.plannedAnew(batch)
  }

  private def isAnother(now: Option[BatchDigest], last: QueryEpoch): Boolean =
    now.exists(digest => last.batch.exists(_ != digest))
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

  /** @param owner the query that the sink belongs to */
  def foreignQuery(owner: String): Throwable

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
