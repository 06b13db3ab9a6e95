// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.time.Duration
import java.util.concurrent.atomic.AtomicReference

import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.{Callback, KafkaProducer, RecordMetadata}
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine.{SinkWriter, TaskMetric}
import stoplog.kafka.client.{KafkaErrors, ProducerSettings}
import stoplog.kafka.options.Delivery

/** The rows of one attempt of one task, without a transaction. */
private[kafka] final class PlainWriter(settings: ProducerSettings, columns: RecordColumns, delivery: Delivery)
    extends SinkWriter[InternalRow, Unit] {
  private[this] val producer           = new KafkaProducer[Array[Byte], Array[Byte]](settings.plain)
  private[this] var sent               = 0L
  private[this] val failure            = new AtomicReference[Exception]()
  private[this] val callback: Callback = delivery match {
    case Delivery.Unpromised => null
    case _                   =>
      (_: RecordMetadata, e: Exception) => if (e != null) { failure.compareAndSet(null, e); () }
  }

  override def write(row: InternalRow): Unit = {
    val record = columns.record(row)
    refuseFailed()
    sending(producer.send(record, callback))
    sent += 1
  }

  /** With `none`, too, all records are on their way, and the task has not heard whether they arrived. */
  override def commit(): Unit = {
    sending(producer.flush())
    refuseFailed()
  }

  override def rows: Long = sent

  override def counts: Seq[(TaskMetric, Long)] = Nil

  override def abort(): Unit = ()

  override def close(): Unit = producer.close(Duration.ZERO)

  private def sending(action: => Any): Unit =
    try { action; () }
    catch {
      case NonFatal(e) if delivery != Delivery.Unpromised => throw KafkaErrors.write(settings.servers, e)
    }

  private def refuseFailed(): Unit =
    Option(failure.get).foreach(e => throw KafkaErrors.write(settings.servers, e))
}
