// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** In which a batch of rows is in the database as a whole or not at all. */
private[jdbc] trait BatchScope {

  /** @param work is told how many tries were before it */
  def apply(work: Int => Unit): Unit
}

private[jdbc] object BatchScope {

  /** A transaction for each batch, tried again as long as its failure may pass.
    *
    * @param failed makes the error when it does not
    */
  final class OwnTransaction(session: Session, retries: Retries, failed: Throwable => Throwable)
      extends BatchScope {
    override def apply(work: Int => Unit): Unit =
      retries(failed)(before => session.transaction(_ => work(before)))
  }

  /** A part of the transaction under way. Whoever has begun that tries all of it again. */
  final class WithinTransaction(session: Session) extends BatchScope {
    override def apply(work: Int => Unit): Unit = session.savepoint(work(0))
  }
}
