// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.control.NonFatal

import stoplog.fault.{Faults, Step}

/** The driver's part of exactly-once inserts: each epoch is one transaction of the database, in which its rows go from
  * the staging table to the target and the sink's row in the epochs table says so.
  *
  * Nothing is known of tasks but what Spark reports: when it repeats an epoch, their number and the rows of each may be
  * others.
  *
  * @param owner who this is: the query, and its start
  */
private[jdbc] final class EpochDriver(
    tables: SinkTables,
    owner: SinkOwner,
    onForeign: ForeignQuery,
    connect: () => Session,
    newRetries: () => Retries,
    faults: Faults
) {
  private[this] val target  = tables.target
  private[this] var claimed = Option.empty[Option[Long]]

  /** Before the tasks of an epoch. The first one of a run claims the sink, which fences every older driver.
    *
    * Errors: `STOPLOG_JDBC_FOREIGN_QUERY`, `STOPLOG_JDBC_EPOCH_GAP`, `STOPLOG_JDBC_EPOCH_AHEAD`.
    */
  def begin(batch: Long): Begun = synchronized {
    val last = claimed.getOrElse {
      val state = inSession(claim(_, _, batch))
      claimed = Some(state.lastEpoch)
      state.lastEpoch
    }
    StartCheck.sequence(tables.sink, target, last, batch)
    if (last.exists(_ >= batch)) Begun.Committed else Begun.Open
  }

  /** Makes the rows of these tasks visible, all or none; idempotent. A commit that was broken off is tried again: it
    * waits for the other one's lock, and finds the epoch there or not.
    *
    * Errors: `STOPLOG_JDBC_FENCED`, `STOPLOG_JDBC_STAGING_LOST`, `STOPLOG_JDBC_BAD_ROW`, `STOPLOG_JDBC_UNKNOWN_OUTCOME`.
    *
    * @return how many of the rows the target refused
    */
  def commit(batch: Long, results: Seq[TaskResult], existing: Existing): Long = synchronized {
    faults.at(Step.JdbcBeforeCommit)
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
    claimed = Some(Some(batch))
    faults.at(Step.JdbcAfterCommit)
    refused
  }

  /** The end of a batch job, whose row and tables nobody needs any more. */
  def forget(): Unit = inSession { (session, retries) =>
    val own = new OwnTables(session, retries, target)
    tables.allStaging.foreach(staging => own.drop(staging.table))
    retries(target.writeFailed)(_ => session.transaction(_ => tables.epochs.delete(session)))
  }

  private def claim(session: Session, retries: Retries, batch: Long): SinkState = {
    val own = new OwnTables(session, retries, target)
    own.ensure(tables.epochs.table, tables.epochs.create)
    tables.rejects.foreach(rejects => own.ensure(rejects.table.table, rejects.table.create))
    faults.at(Step.JdbcBeforeClaim)
    val state = retries(target.writeFailed)(_ => session.transaction(_ => take(session, batch)))
    faults.at(Step.JdbcAfterClaim)
    // Nothing of this run is staged yet, and no other may commit: all that is there is of dead attempts (I5).
    tables.allStaging.foreach { staging =>
      own.ensure(staging)
      retries(target.writeFailed)(_ => session.transaction(_ => staging.clear(session)))
    }
    faults.at(Step.JdbcAfterSweep)
    state
  }

  private def take(session: Session, batch: Long): SinkState = {
    val found = tables.epochs.lock(session)
    val state = StartCheck.check(tables.sink, target, found, owner, onForeign, batch)
    found match {
      case Some(_) => tables.epochs.update(session, state)
      case None    =>
        try tables.epochs.insert(session, state)
        catch {
          // Another driver has made the row since: then there is one to lock.
          case NonFatal(e) if Verdict.of(e, target.dialect) == Verdict.BadRow =>
            throw new java.sql.SQLTransientException(e.getMessage, "40001", e)
        }
    }
    state
  }

  private def transaction(session: Session, retries: Retries, batch: Long, existing: Existing)(
      move: => Long
  ): Long =
    retries(unknown(batch, _)) { _ =>
      session.transaction { _ =>
        tables.epochs.lock(session) match {
          case Some(state) if state.runId == owner.runId =>
            if (state.lastEpoch.exists(_ >= batch)) 0L
            else {
              if (existing == Existing.Replace)
                session.statement(s"DELETE FROM ${target.table}").executeUpdate()
              val refused = move
              tables.epochs.update(session, state.copy(lastEpoch = Some(batch)))
              faults.at(Step.JdbcInCommit)
              refused
            }
          case other =>
            throw JdbcErrors.fenced(tables.sink, target, other.fold("nobody")(_.runId))
        }
      }
    }

  private def unknown(batch: Long, why: Throwable): Throwable =
    JdbcErrors.unknownOutcome(tables.sink, target, batch, why)

  private def inSession[A](work: (Session, Retries) => A): A = {
    val session = connect()
    try work(session, newRetries())
    catch {
      case e: java.sql.SQLException => throw target.writeFailed(e)
    } finally session.close()
  }
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

/** What becomes of the rows that are in the target already. */
private[jdbc] sealed trait Existing
private[jdbc] object Existing {
  case object Keep    extends Existing
  case object Replace extends Existing
}
