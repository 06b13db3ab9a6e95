// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.time.Duration
import java.util.{Map => JMap}

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine._
import stoplog.error.Log
import stoplog.kafka.client.{FirstFailure, KafkaErrors, ProducerSettings}
import stoplog.kafka.options.{Delivery, KafkaSinkOptions}
import stoplog.kafka.transaction._
import stoplog.options.TimeSpan
import stoplog.part.RunId
import stoplog.sink.{TwoPhaseCommitter, TwoPhaseSink, TwoPhaseWriter, WriterTask}
import stoplog.spark.{ConnectorProvider, QueryContext, SinkTable}
import stoplog.thread.Clock
import stoplog.twophase.TwoPhaseSettings

/** `format("stoplog-kafka")`: writes to Kafka.
  *
  * [[stoplog.kafka.options.KafkaSinkOptionRegistry]] defines the options. A session may preset options as
  * `spark.datasource.stoplog-kafka.<option>`.
  */
final class KafkaProvider extends ConnectorProvider("stoplog-kafka") {

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType()

  override protected def table(schema: StructType, properties: JMap[String, String]): Table = {
    val options = KafkaSinkOptions.parse(properties)
    options.delivery match {
      case Delivery.ExactlyOnce =>
        CheckedSettings.shared.refuseInvalid(options.producer)
        val settings = options.log.location.map(_ => TwoPhaseSettings(options.log))
        val log      = settings.map(_.storage)
        val place    = settings.fold("")(_.place)
        SinkTable.twoPhase(schema, options.log, properties) { rows =>
          new TransactionalSink(
            options,
            RecordColumns.of(rows, options.topic),
            TransactionalIds(options.transactionalIdPrefix, place, options.log.sinkId),
            runs = () => log.fold(Set.empty[RunId])(_.log.all().map(_.run).toSet)
          )
        }
      case _ =>
        options.producer.refuseInvalid(options.producer.plain)
        new SinkTable(new PlainEngineSink(schema, options))
    }
  }
}

/** Delivery `exactly-once`: a sink of the core's commit protocol, whose prepared rows are open transactions.
  *
  * @param ids  the ids of the transactions; their place is empty without a log
  * @param runs returns the runs named in the log; empty without a log
  */
private[kafka] final class TransactionalSink(
    options: KafkaSinkOptions,
    columns: RecordColumns,
    ids: TransactionalIds,
    runs: () => Set[RunId]
) extends TwoPhaseSink[InternalRow] {

  override def target: String = TransactionalSink.target(options)

  override def kind: String = "kafka"

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] = {
    val use      = ProducerPool.Use(task.run, ids)
    val producer = task.epoch
      .flatMap(ProducerPool.shared.take(use, _))
      .getOrElse(new TransactionalProducer(options.producer, ids.next(task.run), Clock.system))
    new TransactionWriter[InternalRow](
      producer.begin(task.epoch),
      columns.record,
      task.epoch,
      keep = kept => task.epoch.fold(kept.close())(ProducerPool.shared.put(use, _, kept))
    )
  }

  override def committer(): TwoPhaseCommitter = {
    TransactionalSink.warnIfTriggerIsLonger(options.producer.transactionTimeoutMillis)
    new KafkaCommitter(
      new Transactions(options.producer, Clock.system),
      ids,
      target,
      runs,
      options.producer.transactionTimeoutMillis,
      Clock.system,
      QueryContext.stopSignal()
    )
  }
}

private[kafka] object TransactionalSink {

  /** Returns the topic and the brokers, for messages. */
  def target(options: KafkaSinkOptions): String =
    s"${options.topic.fold("the topics of the rows")("topic " + _)} at ${options.producer.servers}"

  /** Logs a warning if a micro-batch with the duration of the trigger's interval would lose its transactions.
    * A warning is sufficient: most micro-batches take much less time, and a late micro-batch only delays the
    * next.
    */
  private def warnIfTriggerIsLonger(timeoutMillis: Long): Unit =
    triggerMillis.filter(_ >= timeoutMillis).foreach { interval =>
      Log.warn(
        s"The trigger's interval is ${TimeSpan.render(interval)}, transactionTimeout " +
          s"${TimeSpan.render(timeoutMillis)}: the brokers abort the transactions of such a " +
          "micro-batch"
      )
    }

  /** Returns the trigger's interval. `None` if the trigger has no interval, or is not accessible because its
    * class differs between versions of Spark.
    */
  private def triggerMillis: Option[Long] = for {
    session  <- SparkSession.getActiveSession
    queryId  <- Option(session.sparkContext.getLocalProperty(QueryContext.QueryId))
    trigger  <- QueryContext.sparksTrigger(session, queryId)
    interval <- Try(trigger.getClass.getMethod("intervalMs").invoke(trigger).asInstanceOf[Long]).toOption
  } yield interval
}

/** Delivery `none` and `at-least-once`, as a sink of an engine. The driver has nothing to commit. */
private[kafka] final class PlainEngineSink(override val columns: StructType, options: KafkaSinkOptions)
    extends EngineSink[StructType, InternalRow, Unit] {

  override def name: String = EngineSink.nameOf(TransactionalSink.target(options))

  override def replacing: Replacing = Replacing.Never

  override def taskMetrics: Seq[TaskMetric] = Nil

  override def noCounts: Seq[(String, Long)] = Nil

  /** The driver rejects an unsuitable schema before tasks start. */
  override def plan(request: WriteRequest[StructType]): EngineWrite[InternalRow, Unit] =
    new EngineWrite[InternalRow, Unit] {
      private def writers =
        new PlainWriterFactory(options, RecordColumns.of(request.columns, options.topic))

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

/** Serialized to the executors. */
private[spark] final class PlainWriterFactory(options: KafkaSinkOptions, columns: RecordColumns)
    extends SinkWriterFactory[InternalRow, Unit] {
  override def writer(task: TaskAttempt): Option[PlainWriter] =
    Some(new PlainWriter(options.producer, columns, options.delivery))
}

/** Writes the rows of a task attempt, without a transaction. */
private[kafka] final class PlainWriter(settings: ProducerSettings, columns: RecordColumns, delivery: Delivery)
    extends SinkWriter[InternalRow, Unit] {
  private[this] val producer = settings.newProducer(settings.plain)
  private[this] val failure  = new FirstFailure(KafkaErrors.write(settings.servers, _))
  private[this] val callback = if (delivery == Delivery.NotGuaranteed) null else failure
  private[this] var sent     = 0L

  override def write(row: InternalRow): Unit = {
    val record = columns.record(row)
    failure.throwIfAny()
    sending(producer.send(record, callback))
    sent += 1
  }

  /** Flushes all records. With `none`, the task does not learn whether the records arrived. */
  override def commit(): Unit = {
    sending(settings.flush(producer, Clock.system))
    failure.throwIfAny()
  }

  override def rows: Long = sent

  override def counts: Seq[(TaskMetric, () => Long)] = Nil

  override def abort(): Unit = ()

  override def close(): Unit = producer.close(Duration.ZERO)

  private def sending(action: => Any): Unit =
    try { action; () }
    catch { case NonFatal(e) => throw KafkaErrors.write(settings.servers, e) }
}
