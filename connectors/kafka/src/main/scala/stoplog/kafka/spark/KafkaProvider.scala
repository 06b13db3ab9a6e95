// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.util.{Map => JMap}

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.commit.Clock
import stoplog.engine.JarVersions
import stoplog.error.Log
import stoplog.kafka.options.{Delivery, KafkaSinkOptions}
import stoplog.kafka.transaction._
import stoplog.options.TimeSpan
import stoplog.sink.{TwoPhaseCommitter, TwoPhaseSink, TwoPhaseWriter, WriterTask}
import stoplog.spark.{QueryContext, SinkTable, TwoPhaseTable}
import stoplog.twophase.{TwoPhaseEngineSink, TwoPhaseSettings}

/** `format("stoplog-kafka")`: writes to Kafka.
  *
  * The options are those of [[stoplog.kafka.options.KafkaSinkOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog-kafka.<option>`.
  */
final class KafkaProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "stoplog-kafka"

  override def keyPrefix(): String = "stoplog-kafka"

  /** The rows' schema comes with the write. */
  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType()

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    JarVersions.check("stoplog-kafka", getClass)
    val options = KafkaSinkOptions.parse(properties)
    options.delivery match {
      case Delivery.ExactlyOnce =>
        BrokerLimits.check(options.producer)
        TwoPhaseTable(
          new TwoPhaseEngineSink(
            schema,
            (rows: StructType) => new TransactionalSink(options, RecordColumns.of(rows, options.topic)),
            TransactionalSink.settings(options)
          ),
          properties
        )
      case _ => new SinkTable(new PlainEngineSink(schema, options))
    }
  }
}

/** Delivery `exactly-once`: the sink of core's commit protocol whose prepared rows are open transactions. */
private[kafka] final class TransactionalSink(options: KafkaSinkOptions, columns: RecordColumns)
    extends TwoPhaseSink[InternalRow] {
  private val ids =
    TransactionalIds(options.transactionalIdPrefix, options.log.location.getOrElse(""), options.log.sinkId)

  override def target: String = Targets.name(options)

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] = {
    val use      = ProducerPool.Use(task.run, ids)
    val producer = task.epoch
      .flatMap(ProducerPool.shared.take(use, _))
      .getOrElse(new TransactionalProducer(options.producer, ids.next(task.run), Clock.system))
    new TransactionWriter[InternalRow](
      producer.begin(),
      columns.record,
      task.epoch,
      keep = kept => task.epoch.fold(kept.close())(ProducerPool.shared.put(use, _, kept))
    )
  }

  override def committer(): TwoPhaseCommitter = {
    TriggerInterval.warnIfLonger(options.producer.transactionTimeoutMillis)
    new KafkaCommitter(
      new Transactions(options.producer, Clock.system),
      target,
      ids.isOfSink,
      TransactionalSink.settings(options).onLost,
      options.producer.transactionTimeoutMillis,
      Clock.system
    )
  }
}

private[kafka] object TransactionalSink {

  /** Nothing of it has to stay as it was: the log names transactions, whatever they were written to. */
  def settings(options: KafkaSinkOptions): TwoPhaseSettings =
    TwoPhaseSettings.of(options.log, fixed = Map.empty)
}

private[kafka] object Targets {

  /** Where rows go, for messages. */
  def name(options: KafkaSinkOptions): String =
    s"${options.topic.fold("the topics of the rows")("topic " + _)} at ${options.producer.servers}"
}

/** How long the query on this thread waits between two micro-batches at most. */
private[kafka] object TriggerInterval {

  /** Says so once if a micro-batch that takes as long as its trigger allows would lose its transactions. No more than
    * that: most take much less, and a later one only makes the next wait.
    */
  def warnIfLonger(timeoutMillis: Long): Unit = millis.filter(_ >= timeoutMillis).foreach { interval =>
    Log.warn(
      s"The trigger's interval is ${TimeSpan.render(interval)}, transactionTimeout ${TimeSpan.render(timeoutMillis)}: " +
        "a micro-batch that takes as long as that is aborted by the brokers"
    )
  }

  /** `None` where the trigger has no interval, or cannot be asked: its class has moved between versions of Spark. */
  private def millis: Option[Long] = for {
    session  <- SparkSession.getActiveSession
    queryId  <- Option(session.sparkContext.getLocalProperty(QueryId))
    trigger  <- QueryContext.sparksTrigger(session, queryId)
    interval <- Try(trigger.getClass.getMethod("intervalMs").invoke(trigger).asInstanceOf[Long]).toOption
  } yield interval

  // The name of Spark's own constant, which is out of reach.
  private val QueryId = "sql.streaming.queryId"
}
