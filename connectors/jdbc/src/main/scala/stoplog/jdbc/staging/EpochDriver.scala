// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import scala.util.control.NonFatal

import stoplog.commit.{BatchDigests, EpochCheck, ForeignQuery, OneStart, Planned, TakenSink}
import stoplog.engine.Existing
import stoplog.fault.Faults
import stoplog.jdbc.client.{FailureKind, JdbcErrors, JdbcStep, Retries, Session}
import stoplog.log.{BatchDigest, QueryEpoch}
import stoplog.thread.{Parallel, StopSignal, Uninterrupted}

/** The driver's part of exactly-once inserts. Each epoch is one database transaction, which moves the epoch's
  * rows from the staging table to the target and updates the sink's row in the epochs table.
  *
  * The driver only knows the tasks that Spark reports. If Spark repeats an epoch, the number of tasks and the
  * rows of each task may differ.
  *
  * @param owner the query and its current run
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
  private[this] val check    = new EpochCheck(new SinkEpochErrors(tables.address, owner.queryId))
  private[this] val oneStart = new OneStart(onForeign, owner.runId)
  private[this] var claimed  = Option.empty[SinkRow]
  private[this] var begun    = Option.empty[Planned]

  /** Called before the tasks of an epoch. The first call of a run claims the sink, which fences all older
    * drivers. Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_GAP`, `STOPLOG_EPOCH_AHEAD`,
    * `STOPLOG_FENCED`.
    *
    * @param digests the digests of the batches, if the engine provides them
    */
  def begin(batch: Long, digests: BatchDigests = BatchDigests.unknown): EpochStatus = synchronized {
    val planned = new Planned(batch, digests)
    val state   = claimed.getOrElse {
      val state = inSession(claim(_, _, planned))
      claimed = Some(state)
      state
    }
    check.sequence(state.newest, planned)
    begun = Some(planned)
    if (state.newest.epoch.exists(_ >= batch)) EpochStatus.Committed else EpochStatus.Open
  }

  /** Makes the rows of these tasks visible, either all or none; idempotent. An interrupted commit is retried:
    * the retry waits for the lock of the earlier commit, and then checks whether the epoch is committed.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_REQUEST_FAILED`, `STOPLOG_BAD_ROW`,
    * `STOPLOG_UNKNOWN_OUTCOME`.
    *
    * @return the number of rows that the target rejected
    */
  def commit(batch: Long, results: Seq[TaskOutcome], existing: Existing): Long = {
    val stop = StopSignal.ofThisThread
    // If a request is interrupted, some drivers close the connection, and the outcome is unknown without
    // need. Only waits between requests end after a stop.
    Uninterrupted.call(StopSignal.during(stop)(committed(batch, results, existing)))
  }

  private def committed(batch: Long, results: Seq[TaskOutcome], existing: Existing): Long = synchronized {
    faults.at(JdbcStep.BeforeCommit)
    val refused = inSession { (session, retries) =>
      try transaction(session, retries, batch, existing)(new StagedRowMover(tables, session, results).whole())
      catch {
        case NonFatal(e) if FailureKind.of(e, target.dialect) == FailureKind.BadRow =>
          if (tables.rejects.isEmpty) throw JdbcErrors.badRow(target.table, "", e)
          transaction(session, retries, batch, existing)(
            new StagedRowMover(tables, session, results).piecemeal(Some(batch).filter(_ => owner.isQuery))
          )
      }
    }
    claimed = claimed.map(after(_, batch))
    faults.at(JdbcStep.AfterCommit)
    refused
  }

  /** Ends a failed batch job. Equivalent to [[forget]], unless the job's row records that its rows are in the
    * target. If the response of a COMMIT was lost, this row is the only record. While the server still
    * executes the COMMIT, the row is locked.
    */
  def abandon(): Unit = {
    val isCommitted = inSession { (session, retries) =>
      retries(target.writeFailed) { _ =>
        session.transaction(_ => tables.epochs.lock(session).exists(_.newest.epoch.isDefined))
      }
    }
    if (!isCommitted) forget()
  }

  /** Ends a batch job and removes its row and its tables. A failed removal does not prevent the other
    * removals.
    */
  def forget(): Unit = inSession { (session, retries) =>
    val own   = new CreatedTables(session, retries, target)
    val drops = tables.allStaging.map(staging => () => own.drop(staging.table))
    val row = () => retries(target.writeFailed)(_ => session.transaction(_ => tables.epochs.delete(session)))
    Parallel.sequential.map(drops :+ row)(_())
    ()
  }

  private def claim(session: Session, retries: Retries, planned: Planned): SinkRow = {
    val own = new CreatedTables(session, retries, target)
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

  /** Clears the staging table like [[clear]], but recreates the table. The DDL ends the current transaction
    * and its lock, therefore another connection executes the DDL.
    */
  private def renew(session: Session, retries: Retries, staging: StagingTable): Unit = {
    owned(session)
    Session.use(connect, target.writeFailed)(new CreatedTables(_, retries, target).renew(staging))
  }

  /** Deletes all staged rows. This run has not staged rows yet, and no other run may commit, so all rows are
    * of dead attempts (I5). A newer run cannot claim the sink while the row is locked, and stages no rows
    * before its claim.
    */
  private def clear(session: Session, staging: StagingTable): Unit = {
    owned(session)
    staging.clear(session)
  }

  /** Locks and returns the sink's row. Error: `STOPLOG_FENCED`. */
  private def owned(session: Session): SinkRow = tables.epochs.lock(session) match {
    case Some(state) if state.runId == owner.runId => state
    case other => throw JdbcErrors.fenced(tables.address, other.fold("no run")(_.runId))
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
          // Another driver has inserted the row meanwhile; the retry locks this row.
          case NonFatal(e) if FailureKind.of(e, target.dialect) == FailureKind.BadRow =>
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
          if (existing != Existing.Keep) session.update(s"DELETE FROM ${target.table}")
          val refused = move
          tables.epochs.update(session, after(state, batch))
          faults.at(JdbcStep.InCommit)
          refused
        }
      }
    }

  private def unknown(batch: Long, why: Throwable): Throwable =
    JdbcErrors.unknownOutcome(tables.address, tables.epochs.table, batch, why)

  private def inSession[A](work: (Session, Retries) => A): A =
    Session.use(connect, target.writeFailed)(work(_, newRetries()))
}

/** @param runId   the current run
  * @param queryId the id of the query, stable across restarts; `None` for a batch job, which never restarts
  */
private[jdbc] final case class SinkOwner(runId: String, query: Option[String]) {
  def queryId: String  = query.getOrElse(runId)
  def isQuery: Boolean = query.isDefined
}

/** Whether an epoch must be written. */
private[jdbc] sealed trait EpochStatus
private[jdbc] object EpochStatus {
  case object Open extends EpochStatus

  /** The epoch is in the target: Spark repeats an epoch if Spark has not recorded the commit. */
  case object Committed extends EpochStatus
}
