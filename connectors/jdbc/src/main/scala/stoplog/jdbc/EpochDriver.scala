// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.control.NonFatal

import stoplog.commit.{BatchDigests, EpochCheck, ForeignQuery, OneStart, Parallel, Planned, TakenSink}
import stoplog.engine.Existing
import stoplog.fault.Faults
import stoplog.log.{BatchDigest, QueryEpoch}
import stoplog.thread.Uninterrupted

/** The driver's part of exactly-once inserts: each epoch is one transaction of the database, in which its rows go from
  * the staging table to the target and the sink's row in the epochs table says so.
  *
  * Nothing is known of tasks but what Spark reports: when it repeats an epoch, their number and the rows of each may be
  * others.
  *
  * @param owner the query, and this start of it
  */
private[jdbc] final class EpochDriver(
    tables: SinkTables,
    owner: SinkOwner,
    onForeign: ForeignQuery,
    connect: () => Session,
    newRetries: () => Retries,
    faults: Faults
) {
  private[this] val target   = tables.target
  private[this] val check    = new EpochCheck(new SinkEpochErrors(tables.sink, target, owner.queryId))
  private[this] val oneStart = new OneStart(onForeign, owner.runId)
  private[this] var claimed  = Option.empty[SinkRow]
  private[this] var begun    = Option.empty[Planned]

  /** Before the tasks of an epoch. The first one of a run claims the sink, which fences every older driver.
    *
    * @param digests of the batches, where the engine tells them
    * Errors: `STOPLOG_JDBC_FOREIGN_QUERY`, `STOPLOG_JDBC_EPOCH_GAP`, `STOPLOG_JDBC_EPOCH_AHEAD`,
    * `STOPLOG_JDBC_FENCED`.
    */
  def begin(batch: Long, digests: BatchDigests = BatchDigests.unknown): Begun = synchronized {
    val planned = new Planned(batch, digests)
    val state   = claimed.getOrElse {
      val state = inSession(claim(_, _, planned))
      claimed = Some(state)
      state
    }
    check.sequence(state.newest, planned)
    begun = Some(planned)
    if (state.newest.epoch.exists(_ >= batch)) Begun.Committed else Begun.Open
  }

  /** Makes the rows of these tasks visible, all or none; idempotent. A commit that was broken off is tried again: it
    * waits for the other one's lock, and finds the epoch there or not.
    *
    * Errors: `STOPLOG_JDBC_FENCED`, `STOPLOG_JDBC_STAGING_LOST`, `STOPLOG_JDBC_BAD_ROW`, `STOPLOG_JDBC_UNKNOWN_OUTCOME`.
    *
    * @return how many of the rows the target refused
    */
  def commit(batch: Long, results: Seq[TaskOutcome], existing: Existing): Long =
    // An interrupt in the middle of a request makes some drivers close the connection: an outcome unknown for nothing.
    Uninterrupted.call(committed(batch, results, existing))

  private def committed(batch: Long, results: Seq[TaskOutcome], existing: Existing): Long = synchronized {
    faults.at(JdbcStep.BeforeCommit)
    val refused = inSession { (session, retries) =>
      try transaction(session, retries, batch, existing)(new Move(tables, session, results).whole())
      catch {
        case NonFatal(e) if Verdict.of(e, target.dialect) == Verdict.BadRow =>
          if (tables.rejects.isEmpty) throw JdbcErrors.badRow(target.table, "", e)
          transaction(session, retries, batch, existing)(
            new Move(tables, session, results).piecemeal(Some(batch).filter(_ => owner.isQuery))
          )
      }
    }
    claimed = claimed.map(after(_, batch))
    faults.at(JdbcStep.AfterCommit)
    refused
  }

  /** The end of a batch job that has failed: the same as [[forget]], unless its row says that its rows are in the target. That
    * row is all that tells of a COMMIT whose answer was lost. While the server still carries that out, it holds the row's lock.
    */
  def abandon(): Unit = {
    val isCommitted = inSession { (session, retries) =>
      retries(target.writeFailed) { _ =>
        session.transaction(_ => tables.epochs.lock(session).exists(_.newest.epoch.isDefined))
      }
    }
    if (!isCommitted) forget()
  }

  /** The end of a batch job, which leaves neither its row nor its tables: what cannot be removed keeps nothing else. */
  def forget(): Unit = inSession { (session, retries) =>
    val own   = new OwnTables(session, retries, target)
    val drops = tables.allStaging.map(staging => () => own.drop(staging.table))
    val row = () => retries(target.writeFailed)(_ => session.transaction(_ => tables.epochs.delete(session)))
    Parallel.sequential.map(drops :+ row)(_())
    ()
  }

  private def claim(session: Session, retries: Retries, planned: Planned): SinkRow = {
    val own = new OwnTables(session, retries, target)
    own.ensure(tables.epochs)
    tables.rejects.foreach(rejects => own.ensure(rejects.table))
    faults.at(JdbcStep.BeforeClaim)
    val state = retries(target.writeFailed)(_ => session.transaction(_ => take(session, planned)))
    faults.at(JdbcStep.AfterClaim)
    tables.allStaging.foreach { staging =>
      if (target.dialect.keepsMore)
        retries(target.writeFailed)(_ => session.transaction(_ => renew(session, retries, staging)))
      else {
        retries(target.writeFailed)(_ => session.transaction(_ => owned(session)))
        own.ensure(staging)
        retries(target.writeFailed)(_ => session.transaction(_ => clear(session, staging)))
      }
    }
    faults.at(JdbcStep.AfterSweep)
    state
  }

  /** The same as [[clear]], by making the table anew. That ends the transaction under way, and with it the lock, so another
    * connection does it.
    */
  private def renew(session: Session, retries: Retries, staging: StagingTable): Unit = {
    owned(session)
    Session.use(connect, target)(new OwnTables(_, retries, target).renew(staging))
  }

  /** Nothing of this run is staged yet, and no other may commit: all that is there is of dead attempts (I5). Unless a
    * younger run has claimed the sink: it cannot do so while the row is locked, and stages nothing before.
    */
  private def clear(session: Session, staging: StagingTable): Unit = {
    owned(session)
    staging.clear(session)
  }

  /** The sink's row, locked. Error: `STOPLOG_JDBC_FENCED`. */
  private def owned(session: Session): SinkRow = tables.epochs.lock(session) match {
    case Some(state) if state.runId == owner.runId => state
    case other => throw JdbcErrors.fenced(tables.sink, target, other.fold("no run")(_.runId))
  }

  private def after(row: SinkRow, batch: Long): SinkRow = {
    val digest: Option[BatchDigest] = begun.filter(_.batch == batch).flatMap(_.digest)
    row.copy(newest = QueryEpoch(row.newest.queryId, Some(batch), digest))
  }

  private def take(session: Session, planned: Planned): SinkRow = {
    val epochs = tables.epochs
    val found  = epochs.lock(session)
    val usedBy = found.flatMap(_ => epochs.repeatedBy(session))
    val newest = check.start(new TakenTable(found, session), owner.queryId, oneStart.after(usedBy), planned)
    val state  = SinkRow(newest, owner.runId)
    found match {
      case Some(before) =>
        if (before.newest.queryId != owner.queryId) epochs.leave(session, before)
        epochs.update(session, state)
      case None =>
        try epochs.begin(session, state)
        catch {
          // Another driver has made the row since: then there is one to lock.
          case NonFatal(e) if Verdict.of(e, target.dialect) == Verdict.BadRow =>
            throw new java.sql.SQLTransientException(e.getMessage, "40001", e)
        }
    }
    epochs.noteRepeated(session, usedBy, oneStart.noted(usedBy).map(_ => state))
    state
  }

  private final class TakenTable(row: Option[SinkRow], session: Session) extends TakenSink {
    override def newest: Option[QueryEpoch]                = row.map(_.newest)
    override def leftBy(query: String): Option[QueryEpoch] = tables.epochs.leftBy(session, query)
    override def hasNoRows: Boolean                        = false
  }

  private def transaction(session: Session, retries: Retries, batch: Long, existing: Existing)(
      move: => Long
  ): Long =
    retries(unknown(batch, _)) { _ =>
      session.transaction { _ =>
        val state = owned(session)
        if (state.newest.epoch.exists(_ >= batch)) 0L
        else {
          if (existing == Existing.Replace) session.update(s"DELETE FROM ${target.table}")
          val refused = move
          tables.epochs.update(session, after(state, batch))
          faults.at(JdbcStep.InCommit)
          refused
        }
      }
    }

  private def unknown(batch: Long, why: Throwable): Throwable =
    JdbcErrors.unknownOutcome(tables, batch, why)

  private def inSession[A](work: (Session, Retries) => A): A =
    Session.use(connect, target)(work(_, newRetries()))
}

/** @param runId   of this start
  * @param queryId the same over restarts; none for a batch job, which has no second start
  */
private[jdbc] final case class SinkOwner(runId: String, query: Option[String]) {
  def queryId: String  = query.getOrElse(runId)
  def isQuery: Boolean = query.isDefined
}

/** Whether an epoch has to be written. */
private[jdbc] sealed trait Begun
private[jdbc] object Begun {
  case object Open extends Begun

  /** It is in the target: Spark repeats an epoch whose commit it has not seen. */
  case object Committed extends Begun
}

/** Moves the staged rows of an epoch to where they belong, in a transaction of the caller. */
private[jdbc] final class Move(tables: SinkTables, session: Session, results: Seq[TaskOutcome]) {
  private val target  = tables.target
  private val staging = tables.staging

  /** At once; fails if the target refuses a row. Returns 0, the number of rows refused. */
  def whole(): Long = {
    val written = results.filter(_.rows > 0)
    expect(staging, written.map(_.rows).sum, staging.publish(session, written.map(_.attempt)))
    finish()
    0
  }

  /** In pieces that become smaller around the rows that the target refuses, which go to the reject table.
    *
    * @return how many these were
    */
  def piecemeal(batch: Option[Long]): Long = {
    val refused = results.filter(_.rows > 0).map(task => pieces(task.attempt, 0, task.rows, batch)).sum
    finish()
    refused
  }

  private def finish(): Unit = {
    staging.remove(session, results.map(_.attempt))
    for (rejects <- tables.rejects) {
      val rejecting = results.filter(_.rejects > 0)
      expect(
        rejects.staging,
        rejecting.map(_.rejects).sum,
        rejects.staging.publish(session, rejecting.map(_.attempt))
      )
      rejects.staging.remove(session, rejecting.map(_.attempt))
    }
  }

  private def pieces(attempt: String, from: Long, until: Long, batch: Option[Long]): Long =
    refusal(attempt, from, until) match {
      case None                           => 0
      case Some(why) if until - from == 1 =>
        for (rejects <- tables.rejects) {
          val text = staging.text(session, attempt, from, rejects.text)
          val row  = RejectTable.row(s"$attempt-t$from", tables.sink, batch, why, text)
          rejects.table.insert(session, Seq(row))
        }
        1
      case Some(_) =>
        val middle = from + (until - from) / 2
        pieces(attempt, from, middle, batch) + pieces(attempt, middle, until, batch)
    }

  /** The reason why the target refuses one of these rows; the transaction goes on as if it had not been tried. */
  private def refusal(attempt: String, from: Long, until: Long): Option[Throwable] =
    try {
      session.savepoint(expect(staging, until - from, staging.publish(session, attempt, from, until)))
      None
    } catch { case NonFatal(e) if Verdict.of(e, target.dialect) == Verdict.BadRow => Some(e) }

  private def expect(from: StagingTable, wanted: Long, found: Long): Unit =
    if (wanted != found) throw JdbcErrors.stagingLost(from.table, target, wanted, found)
}
