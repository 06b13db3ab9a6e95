// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import org.apache.kafka.clients.producer.ProducerRecord

import stoplog.sink.{Prepared, TwoPhaseWriter}

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
