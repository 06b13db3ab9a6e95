// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.time.Duration
import java.util.concurrent.atomic.AtomicReference

import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.{Callback, KafkaProducer, RecordMetadata}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.engine._
import stoplog.kafka.client.{KafkaErrors, ProducerSettings}
import stoplog.kafka.options.{Delivery, KafkaSinkOptions}

/** Delivery `none` and `at-least-once`, as an engine's frame drives it: nothing is left to do for the driver. */
private[kafka] final class PlainEngineSink(override val columns: StructType, options: KafkaSinkOptions)
    extends EngineSink[StructType, InternalRow, Unit] {

  override def name: String = s"stoplog ${Targets.name(options)}"

  override def replacing: Replacing = Replacing.Never

  override def taskMetrics: Seq[TaskMetric] = Nil

  override def noCounts: Seq[(String, Long)] = Nil

  /** The driver refuses a schema that will not do before there are tasks. */
  override def plan(asked: WriteRequest[StructType]): EngineWrite[InternalRow, Unit] =
    new EngineWrite[InternalRow, Unit] {
      private def writers =
        new PlainWriterFactory(options, RecordColumns.of(asked.columns, options.topic))

      override def start(start: RunStart): EngineRun[InternalRow, Unit] = new EngineRun[InternalRow, Unit] {
        override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, Unit] = writers
        override def commit(batch: Long, results: Seq[Unit]): Unit                  = ()
        override def counts: Seq[(String, Long)]                                    = Nil
      }

      override def job(): EngineJob[InternalRow, Unit] = new EngineJob[InternalRow, Unit] {
        override def begin(slots: Int): SinkWriterFactory[InternalRow, Unit] = writers
        override def commit(results: Seq[Unit]): Unit                        = ()
        override def abort(results: Seq[Unit]): Unit                         = ()
      }
    }
}

/** Goes to the executors. */
private[spark] final class PlainWriterFactory(options: KafkaSinkOptions, columns: RecordColumns)
    extends SinkWriterFactory[InternalRow, Unit] {
  override def writer(task: TaskAttempt): Option[PlainWriter] =
    Some(new PlainWriter(options.producer, columns, options.delivery))
}

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
