// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.options.{Opt, OptionGroup, OptionType, RecoveryOptions}

/** The definitions of all options of the sink. The parser, `docs/reference/kafka-options.md` and the Python
  * package must match this list.
  */
private[stoplog] object KafkaSinkOptionRegistry {

  case object Where        extends OptionGroup("Where to")
  case object Delivering   extends OptionGroup("What is promised")
  case object Transactions extends OptionGroup("Transactions")

  val groups: Seq[OptionGroup] = Seq(Where, Delivering, Transactions)

  val Servers: Opt[String] = Where.required(
    "kafka.bootstrap.servers",
    OptionType.text.as("`host:port`, separated by commas"),
    "broker1:9092,broker2:9092"
  )(
    "The brokers to ask first. All other options that begin with `kafka.` are settings of Kafka's producer " +
      "too, such as `kafka.compression.type`; those that the sink itself has to set are refused."
  )

  val Topic: Opt[String] = Where.option("topic", OptionType.text.as("name of a topic"), "orders")(
    "the column `topic`",
    "Where all rows go, whatever their column `topic` says."
  )

  val Partitioner: Opt[String] = Where.option("partitioner", OptionType.className, "com.example.ByRegion")(
    "Kafka's own",
    "Chooses the partition of a row whose column `partition` is null or not there: a class that implements " +
      "`org.apache.kafka.clients.producer.Partitioner`."
  )

  val DeliveryMode: Opt[Delivery] = Delivering.withDefault(
    "delivery",
    OptionType.named(Delivery.all)(_.word),
    Delivery.ExactlyOnce,
    "at-least-once"
  )(
    "`none`: a task does not ask whether a record has arrived. `at-least-once`: a task ends when all its " +
      "records have; what is repeated after a failure is there twice. `exactly-once`: records are written " +
      "in transactions, which are committed when the whole micro-batch is recorded; who reads with " +
      "`isolation.level` = `read_committed` sees each row once."
  )

  // Kafka stores these milliseconds in an Int.
  val TransactionTimeout: Opt[Long] = Transactions.withDefault(
    "transactionTimeout",
    OptionType.span.refusing(_ <= Int.MaxValue, "is longer than Kafka can count, which is 24 days"),
    15 * 60 * 1000L,
    "1h"
  )(
    "After which the brokers abort a transaction that has not ended. Longer than the longest micro-batch " +
      "and the longest pause before a restart together: what was recorded and is aborted in between is " +
      "lost. The brokers allow 15 minutes unless their `transaction.max.timeout.ms` says more."
  )

  val OnLostTransaction: Opt[LostPart] =
    Transactions.withDefault("onLostTransaction", RecoveryOptions.OnLostPart.values, LostPart.Fail, "skip")(
      "What to do when the brokers have aborted a transaction that the log says is committed. `skip`: go " +
        "on without its rows."
    )

  val TransactionalIdPrefix: Opt[String] = Transactions.withDefault(
    "transactionalIdPrefix",
    OptionType.checked("text")(idPrefix),
    "stoplog",
    "team-a"
  )(
    "What all transactional ids begin with, for the access rules of the brokers."
  )

  val SinkId: Opt[String] =
    Transactions.withDefault("sinkId", RecoveryOptions.SinkId.values.as("name"), "main", "orders")(
      "The name of the commit log. Sinks that have one `logLocation` need one each."
    )

  val LogLocation: Opt[String] =
    Transactions.option("logLocation", OptionType.directory, "/data/logs/orders")(
      "the option `checkpointLocation`",
      "Where the commit log is kept, in a directory of its own below. It belongs to the checkpoint: if you " +
        "reset one, reset both."
    )

  val OnForeignQuery: Opt[ForeignQuery] = Transactions.withDefault(
    "onForeignQuery",
    RecoveryOptions.OnForeignQuery.values,
    ForeignQuery.Refuse,
    "adopt"
  )(
    "What to do when the log belongs to another query, that is, to another checkpoint. `adopt` takes it " +
      "over if this query has passed its epochs. `adoptAndRepeat` also writes epochs again that are in the " +
      "topic, and is valid for one start."
  )

  val all: Seq[Opt[_]] = Seq(
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

  /** The options without effect unless the sink uses transactions. */
  private[kafka] val ofTransactions: Seq[Opt[_]] = all.filter(_.group == Transactions)

  private def idPrefix(text: String): Either[String, String] =
    Either.cond(
      text.matches("[A-Za-z0-9._-]{1,100}"),
      text,
      "must be 1 to 100 letters A-Z a-z, digits, '.', '_' or '-'"
    )
}
