// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit.Clock
import stoplog.kafka.options.KafkaSinkOptions
import stoplog.kafka.transaction._
import stoplog.sink.{TwoPhaseCommitter, TwoPhaseSink, TwoPhaseWriter, WriterTask}
import stoplog.twophase.TwoPhaseSettings

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
