// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import java.util.concurrent.{CompletionException, ExecutionException}

import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors._

/** Recognizes the errors of a transaction that is no longer open. */
private[kafka] object TransactionGone {

  /** Returns true if the brokers have aborted the transaction, or if its id was used again or is forgotten.
    */
  def is(e: Throwable): Boolean = e match {
    case _: ProducerFencedException | _: InvalidProducerEpochException | _: InvalidTxnStateException |
        _: InvalidPidMappingException | _: UnknownProducerIdException =>
      true
    case wrapped @ (_: KafkaException | _: CompletionException | _: ExecutionException) =>
      wrapped.getCause != null && (wrapped.getCause ne wrapped) && is(wrapped.getCause)
    case _ => false
  }
}
