// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import stoplog.options.{OptionForms, OptionGroup, SinkOption}

/** Every option of the sink, once: the parser, `docs/kafka-options.md` and the Python package are held to this list. */
object KafkaSinkOptionRegistry extends OptionForms {

  case object Where        extends OptionGroup("Where to")
  case object Delivering   extends OptionGroup("What is promised")
  case object Transactions extends OptionGroup("Transactions")

  val groups: Seq[OptionGroup] = Seq(Where, Delivering, Transactions)

  val Servers: SinkOption = required(
    Where,
    "kafka.bootstrap.servers",
    "`host:port`, separated by commas",
    "The brokers to ask first. All other options that begin with `kafka.` are settings of Kafka's producer too, such as " +
      "`kafka.compression.type`; those that the sink itself has to set are refused.",
    "broker1:9092,broker2:9092"
  )

  val Topic: SinkOption = option(
    Where,
    "topic",
    "name of a topic",
    "the column `topic`",
    "Where all rows go, whatever their column `topic` says.",
    "orders"
  )

  val Partitioner: SinkOption = option(
    Where,
    "partitioner",
    "class name",
    "Kafka's own",
    "Chooses the partition of a row whose column `partition` is null or not there: a class that implements " +
      "`org.apache.kafka.clients.producer.Partitioner`.",
    "com.example.ByRegion"
  )

  val DeliveryMode: SinkOption = withDefault(
    Delivering,
    "delivery",
    "`none`, `at-least-once` or `exactly-once`",
    Delivery.ExactlyOnce.word,
    "`none`: nobody asks whether a record has arrived. `at-least-once`: a task ends when all its records have; what is " +
      "repeated after a failure is there twice. `exactly-once`: records are written in transactions, which are committed " +
      "when the whole micro-batch is recorded; who reads with `isolation.level` = `read_committed` sees each row once.",
    "at-least-once"
  )

  val TransactionTimeout: SinkOption = withDefault(
    Transactions,
    "transactionTimeout",
    "time",
    "15m",
    "After which the brokers abort a transaction that nobody has ended. Longer than the longest micro-batch and the " +
      "longest pause before a restart together: what was recorded and is aborted in between is lost. The brokers allow " +
      "15 minutes unless their `transaction.max.timeout.ms` says more.",
    "1h"
  )

  val OnLostTransaction: SinkOption = withDefault(
    Transactions,
    "onLostTransaction",
    "`fail` or `skip`",
    "fail",
    "What to do when the brokers have aborted a transaction that the log says is committed. `skip`: go on without its rows.",
    "skip"
  )

  val TransactionalIdPrefix: SinkOption = withDefault(
    Transactions,
    "transactionalIdPrefix",
    "text",
    "stoplog",
    "What all transactional ids begin with, for the access rules of the brokers.",
    "team-a"
  )

  val SinkId: SinkOption = withDefault(
    Transactions,
    "sinkId",
    "name",
    "main",
    "The name of the commit log. Sinks that have one `logLocation` need one each.",
    "orders"
  )

  val LogLocation: SinkOption = option(
    Transactions,
    "logLocation",
    "directory",
    "the option `checkpointLocation`",
    "Where the commit log is kept, in a directory of its own below. It belongs to the checkpoint: who resets one, resets " +
      "both.",
    "/data/logs/orders"
  )

  val OnForeignQuery: SinkOption = withDefault(
    Transactions,
    "onForeignQuery",
    "`fail` or `adopt`",
    "fail",
    "What to do when the log belongs to another query, that is, to another checkpoint.",
    "adopt"
  )

  val all: Seq[SinkOption] = Seq(
    Servers,
    Topic,
    Partitioner,
    DeliveryMode,
    TransactionTimeout,
    OnLostTransaction,
    TransactionalIdPrefix,
    SinkId,
    LogLocation,
    OnForeignQuery
  )

  /** What means nothing without them. */
  private[kafka] val ofTransactions: Seq[SinkOption] = all.filter(_.group == Transactions)
}
