// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import stoplog.commit.{Clock, LostPart}
import stoplog.error.Log
import stoplog.kafka.client.{KafkaErrors, OpenTransaction}
import stoplog.options.TimeSpan
import stoplog.sink.{CommitOutcome, Prepared, Staged, TwoPhaseCommitter}

/** The driver's half of the sink: commits what the log has decided, and aborts what dead runs have left open, for which
  * readers of committed records wait.
  *
  * @param target   for messages
  * @param isOfSink whether a transactional id is one of this sink
  */
private[kafka] final class KafkaCommitter(
    transactions: Transactions,
    target: String,
    isOfSink: String => Boolean,
    onLost: LostPart,
    timeoutMillis: Long,
    clock: Clock
) extends TwoPhaseCommitter {

  /** Error: `STOPLOG_KAFKA_TRANSACTION_LOST`, unless the user has chosen to go on. */
  override def commit(prepared: Prepared): CommitOutcome = {
    val open    = OpenTransaction.parse(prepared.token)
    val outcome = transactions.commit(open)
    if (outcome == CommitOutcome.Lost && onLost == LostPart.Fail)
      throw KafkaErrors.transactionLost(open, target, prepared.rows, clock.millis(), timeoutMillis)
    warnIfNearlyLost(open)
    outcome
  }

  /** Of age 0, all of them: to abort one keeps its writer out. */
  override def staged(): Vector[Staged] = transactions.open(isOfSink).map(Staged(_, modifiedAtMillis = 0))

  override def stagedOf(token: String): Set[String] = Set(OpenTransaction.idOf(token))

  override def abort(token: String): Unit = transactions.abort(OpenTransaction.idOf(token))

  override def close(): Unit = transactions.close()

  // After a crash, what is left of the time is all that a restart has.
  private def warnIfNearlyLost(open: OpenTransaction): Unit = {
    val age = clock.millis() - open.begunAtMillis
    if (age > timeoutMillis / 2)
      Log.warn(
        s"A transaction of micro-batch ${open.batch.fold("")(_.toString)} was committed ${TimeSpan.render(age)} after it " +
          s"was begun, of the ${TimeSpan.render(timeoutMillis)} that transactionTimeout leaves to it and to a restart"
      )
  }
}
