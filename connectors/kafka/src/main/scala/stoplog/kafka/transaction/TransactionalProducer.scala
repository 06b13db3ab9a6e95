// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.time.Duration
import java.util.concurrent.atomic.AtomicReference

import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.{Callback, KafkaProducer, ProducerRecord, RecordMetadata}

import stoplog.commit.Clock
import stoplog.error.Log
import stoplog.kafka.client.{KafkaErrors, OpenTransaction, ProducerSettings}
import stoplog.sink.{Prepared, TwoPhaseWriter}

/** Sends records in one transaction after the other, and leaves each open: another process commits it.
  *
  * Used by one thread at a time.
  *
  * @param id of the transactions, which is this producer's alone
  */
private[kafka] final class TransactionalProducer(settings: ProducerSettings, val id: String, clock: Clock)
    extends AutoCloseable {
  private[this] val producer = new KafkaProducer[Array[Byte], Array[Byte]](settings.transactional(id))
  private[this] val failure  = new AtomicReference[Exception]()
  private[this] var sent     = 0L
  private[this] var begun    = 0L
  private[this] val callback = new Callback {
    override def onCompletion(metadata: RecordMetadata, e: Exception): Unit =
      if (e != null) { failure.compareAndSet(null, e); () }
  }

  /** Begins a transaction. The one before must be settled: if it is still open, it is in no record, and is aborted.
    *
    * Error: `STOPLOG_KAFKA_WRITE`.
    */
  def begin(): this.type =
    try {
      if (sent > 0) new ProducerState(producer).forget()
      sent = 0
      producer.initTransactions()
      producer.beginTransaction()
      this
    } catch {
      case NonFatal(e) =>
        close()
        throw KafkaErrors.write(settings.servers, e)
    }

  /** Error: `STOPLOG_KAFKA_WRITE`, also for what was sent before. */
  def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = {
    refuseFailed()
    if (sent == 0) begun = clock.millis()
    try producer.send(record, callback)
    catch { case NonFatal(e) => throw KafkaErrors.write(settings.servers, e) }
    sent += 1
  }

  /** The brokers have all that was sent, as often as they keep it. `None` if that is nothing: they know of no
    * transaction before its first record.
    *
    * @param batch the micro-batch
    */
  def prepare(batch: Option[Long]): Option[OpenTransaction] = if (sent == 0) None
  else {
    try producer.flush()
    catch { case NonFatal(e) => throw KafkaErrors.write(settings.servers, e) }
    refuseFailed()
    val state = new ProducerState(producer)
    Some(OpenTransaction(id, state.producerId, state.epoch, begun, batch))
  }

  /** What was sent is never seen. If this fails, recovery does it, or the broker when the time is up. */
  def abort(): Unit =
    try producer.abortTransaction()
    catch { case NonFatal(e) => Log.warn(s"Transaction $id was not aborted", e) }

  /** Without waiting: an orderly end would abort the transaction. */
  override def close(): Unit = producer.close(Duration.ZERO)

  private def refuseFailed(): Unit =
    Option(failure.get).foreach(e => throw KafkaErrors.write(settings.servers, e))
}

/** The rows of one attempt of one task, in one transaction.
  *
  * @param producer has begun a transaction
  * @param record   of a row
  * @param batch    the micro-batch; `None` in a batch query
  * @param keep     takes the producer back when its transaction is prepared
  */
private[kafka] final class TransactionWriter[R](
    producer: TransactionalProducer,
    record: R => ProducerRecord[Array[Byte], Array[Byte]],
    batch: Option[Long],
    keep: TransactionalProducer => Unit
) extends TwoPhaseWriter[R] {
  private[this] var rows  = 0L
  private[this] var bytes = 0L
  private[this] var end   = producer.close _

  override def write(row: R): Unit = {
    val made = record(row)
    producer.send(made)
    rows += 1
    bytes += size(made.key) + size(made.value)
  }

  override def prepare(): Vector[Prepared] = {
    val prepared = producer
      .prepare(batch)
      .map(open => Prepared(s"${open.id}-${batch.fold("job")(_.toString)}", open.token, rows, bytes))
    end = () => keep(producer)
    prepared.toVector
  }

  override def abort(): Unit = producer.abort()

  override def close(): Unit = end()

  private def size(bytes: Array[Byte]): Int = if (bytes == null) 0 else bytes.length
}
