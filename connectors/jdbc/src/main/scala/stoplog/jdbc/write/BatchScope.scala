// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.write

import stoplog.fault.Faults
import stoplog.jdbc.client.{Dialect, Retries, Session}

/** A task's access to the database.
  *
  * @param scope the atomic unit of a batch: the database stores either the whole batch or nothing
  */
private[jdbc] final case class TaskSession(
    session: Session,
    scope: BatchScope,
    retries: Retries,
    faults: Faults
)

/** The transaction, or the part of a transaction, in which the database stores either a whole batch or
  * nothing.
  */
private[jdbc] trait BatchScope {

  /** @param work called with the number of previous attempts */
  def apply(work: Int => Unit): Unit

  /** True if the scope fails for violated deferred constraints, so that a rejected row may refer to a row of
    * a later batch of the same transaction.
    */
  def checksDeferred: Boolean = false
}

private[jdbc] object BatchScope {

  /** A transaction for each batch, retried after transient failures.
    *
    * @param failed creates the error if the retries are exhausted
    */
  final class OwnTransaction(session: Session, retries: Retries, failed: Throwable => Throwable)
      extends BatchScope {
    override def apply(work: Int => Unit): Unit =
      retries(failed)(before => session.transaction(_ => work(before)))
  }

  /** A part of the current transaction. The code that started the transaction retries the whole transaction.
    *
    * @param checking the dialect, if the scope must fail for violated deferred constraints of its rows
    */
  final class WithinTransaction(session: Session, checking: Option[Dialect]) extends BatchScope {
    override def checksDeferred: Boolean = checking.exists(_.checkConstraints.isDefined)

    override def apply(work: Int => Unit): Unit = session.savepoint {
      work(0)
      checking.foreach(session.checkConstraints)
    }
  }
}
