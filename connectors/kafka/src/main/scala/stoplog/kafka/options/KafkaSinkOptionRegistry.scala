// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import stoplog.commit.{ForeignQuery, LostPart, SinkIdentity}
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
    "The brokers of the first contact. All other options that start with `kafka.` are settings of Kafka's " +
      "producer, such as `kafka.compression.type` or `kafka.partitioner.class`. The sink rejects settings that the sink itself must set."
  )

  val Topic: Opt[String] = Where.option("topic", OptionType.text.as("name of a topic"), "orders")(
    "the column `topic`",
    "The topic of all rows, regardless of a column `topic`."
  )

  val DeliveryMode: Opt[Delivery] = Delivering.withDefault(
    "delivery",
    OptionType.named(Delivery.all)(_.word),
    Delivery.ExactlyOnce,
    "at-least-once"
  )(
    "`none`: a task does not check whether a record has arrived. `at-least-once`: a task ends after all " +
      "its records have arrived; records that are repeated after a failure occur twice. `exactly-once`: " +
      "transactions contain the records, and are committed after the whole micro-batch is recorded; a " +
      "reader with `isolation.level` = `read_committed` sees each row once."
  )

  // Kafka stores these milliseconds in an Int.
  val TransactionTimeout: Opt[Long] = Transactions.withDefault(
    "transactionTimeout",
    OptionType.span.refusing(_ <= Int.MaxValue, "is longer than Kafka can count, which is 24 days"),
    15 * 60 * 1000L,
    "1h"
  )(
    "The time after which the brokers abort an unfinished transaction. Set a longer time than the longest " +
      "micro-batch plus the longest pause before a restart: a recorded transaction that is aborted in " +
      "between is lost. The brokers allow 15 minutes unless `transaction.max.timeout.ms` of the brokers is " +
      "higher."
  )

  val OnLostTransaction: Opt[LostPart] =
    Transactions.withDefault("onLostTransaction", RecoveryOptions.OnLostPart.values, LostPart.Fail, "skip")(
      "The reaction if the brokers have aborted a transaction that is committed according to the log. " +
        "`skip`: continue without the rows of the transaction."
    )

  val TransactionalIdPrefix: Opt[String] = Transactions.withDefault(
    "transactionalIdPrefix",
    OptionType.checked("text")(idPrefix),
    "stoplog",
    "team-a"
  )(
    "The prefix of all transactional ids, for the access rules of the brokers."
  )

  val SinkId: Opt[String] =
    Transactions.withDefault(
      "sinkId",
      RecoveryOptions.SinkId.values.as("name"),
      SinkIdentity.DefaultSinkId,
      "orders"
    )(
      "The name of the commit log. Sinks with the same `logLocation` need different names."
    )

  val LogLocation: Opt[String] =
    Transactions.option("logLocation", OptionType.directory, "/data/logs/orders")(
      "the option `checkpointLocation`",
      "The directory below which the commit log is kept, in a separate subdirectory. The log belongs to " +
        "the checkpoint: if you reset one, reset both."
    )

  val OnForeignQuery: Opt[ForeignQuery] = Transactions.withDefault(
    "onForeignQuery",
    RecoveryOptions.OnForeignQuery.values,
    ForeignQuery.Refuse,
    "adopt"
  )(
    "The reaction to a log of another query, that is, of another checkpoint. `fail` rejects the start. " +
      "`adopt` takes over the log if this query has passed all epochs of the log. `adoptAndRepeat` also " +
      "takes over a log that is ahead of the checkpoint, and writes epochs again that are in the topic. " +
      "`adoptAndRepeat` is valid for one start: every later start with this value counts as `fail` until a " +
      "start without it has claimed the log."
  )

  val all: Seq[Opt[_]] = Seq(
    Servers,
    Topic,
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
