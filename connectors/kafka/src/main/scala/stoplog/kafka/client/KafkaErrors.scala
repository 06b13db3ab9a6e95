// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.utils.AppInfoParser

import stoplog.error.{
  ErrorMaker, Errors, RequestErrors, RowErrors, StoplogArgumentException, StoplogException
}
import stoplog.options.TimeSpan

/** The named errors of this module. Only this object creates errors; each method fills the parameters of a
  * condition in `error/stoplog-connector-error-conditions.json`.
  */
private[kafka] object KafkaErrors extends ErrorMaker {

  // Options and schemas.

  def column(why: String): StoplogArgumentException = Errors.rowColumns(
    "Kafka records",
    Seq(s"${reason(why)}."),
    ": the columns key, value, headers, topic, partition and timestamp, of which only value is required. Use " +
      "to_json(struct(*)) or to_avro for a value of several columns"
  )

  def transactionTimeout(
      requestedMillis: Long,
      allowedMillis: Long,
      servers: String
  ): StoplogArgumentException = {
    val allowed = TimeSpan.render(allowedMillis)
    Errors.invalidOptions(
      Seq(
        s"transactionTimeout is ${TimeSpan.render(requestedMillis)}, and the brokers $servers allow $allowed at " +
          s"most. Set transactionTimeout to $allowed, or raise transaction.max.timeout.ms of the brokers. The " +
          "value must be longer than the longest micro-batch plus the longest pause before a restart."
      )
    )
  }

  /** @param artifact the required artifact, with its version */
  def sourceMissing(artifact: String, why: String): StoplogArgumentException =
    Errors.jarMissing("Spark's own Kafka source", artifact, why, cause = null)

  def group(group: String, why: String): StoplogArgumentException =
    argument("STOPLOG_KAFKA_GROUP", "group" -> group, "why" -> reason(why))

  /** @param what the subject of the request */
  def noAnswer(what: String, servers: String, cause: Throwable): StoplogArgumentException =
    RequestErrors.unreachable(
      s"The address $servers of brokers, for a request about $what,",
      reasonOf(cause),
      "kafka.bootstrap.servers, the security settings of the client and the network, and that the brokers run",
      cause
    )

  // During a query.

  def clientUnsupported(cause: Throwable): StoplogException = failure(
    "STOPLOG_KAFKA_CLIENT_UNSUPPORTED",
    cause,
    "version" -> AppInfoParser.getVersion,
    "why"     -> reason(cause.toString)
  )

  def nullTopic(): StoplogException = RowErrors.nullValue(
    "topic",
    s"the option topic is not set, so the row has no topic. $NothingVisible",
    "set the option topic"
  )

  def record(why: String): StoplogException = RowErrors.badRow(
    "Kafka",
    s"the row cannot be converted to a Kafka record: $why",
    s"$NothingVisible.",
    "change them: a header has a key, a partition is 0 or more, and a timestamp is not before 1970",
    cause = null
  )

  private val NothingVisible =
    "With delivery exactly-once, nothing of this epoch is visible to readers of committed records"

  def write(servers: String, cause: Throwable): StoplogException =
    RequestErrors.failed(
      s"The brokers $servers did not accept a record",
      reasonOf(cause),
      NothingVisible,
      cause
    )

  /** An error of any call of the client while a transaction is open. If the brokers have aborted the
    * transaction, every later call fails, and only the class of the cause shows the reason.
    *
    * @param open the open transaction; `None` before its first record
    */
  def inTransaction(
      servers: String,
      open: Option[OpenTransaction],
      ageMillis: Long,
      timeoutMillis: Long,
      cause: Throwable
  ): StoplogException = open match {
    case Some(gone) if TransactionGone.is(cause) => transactionExpired(gone, ageMillis, timeoutMillis, cause)
    case _                                       => write(servers, cause)
  }

  /** @param transaction the transaction, or another subject of the request */
  def commit(transaction: String, servers: String, cause: Throwable): StoplogException =
    RequestErrors.unknownOutcome(
      s"the brokers $servers have carried out a request about $transaction",
      reasonOf(cause),
      "Transactions in the commit log will be committed, and no others. A transaction that times out before " +
        "the restart is lost",
      "the brokers",
      "the commit log",
      cause
    )

  /** The loss of a micro-batch.
    *
    * @param rows      the number of rows in the lost transactions
    * @param committed the number of committed transactions of the micro-batch
    */
  final case class Lost(transactions: Int, rows: Long, committed: Int)

  /** @param oldest the oldest lost transaction
    * @param target the target of the transactions
    */
  def transactionLost(
      oldest: OpenTransaction,
      target: String,
      count: Lost,
      ageMillis: Long,
      timeoutMillis: Long
  ): StoplogException = {
    val batch = batchOf(oldest)
    RowErrors.rowsLost(
      batch,
      s"According to the commit log, all transactions of $batch to $target count. Of these transactions, " +
        s"${count.committed} are committed, and ${count.transactions} with ${count.rows} rows are lost. The " +
        "brokers aborted the lost transactions later, or no longer know the transactions. The oldest lost " +
        s"transaction is $oldest, started ${age(ageMillis)} ago. The timeout of the brokers for a transaction is " +
        TimeSpan.render(timeoutMillis),
      "Check the target with isolation.level = read_committed",
      "onLostTransaction"
    )
  }

  /** A transaction has expired before its record was written. */
  def transactionExpired(
      gone: OpenTransaction,
      ageMillis: Long,
      timeoutMillis: Long,
      cause: Throwable = null
  ): StoplogException =
    failure(
      "STOPLOG_KAFKA_TRANSACTION_EXPIRED",
      cause,
      "batch"       -> batchOf(gone),
      "transaction" -> gone,
      "age"         -> age(ageMillis),
      "timeout"     -> TimeSpan.render(timeoutMillis)
    )

  /** Returns the reason of a failure. The client often wraps the reason in a plain `KafkaException`, such as
    * "Failed to construct kafka producer".
    */
  def reasonOf(e: Throwable): String = e match {
    case wrapper: KafkaException if wrapper.getClass == classOf[KafkaException] && wrapper.getCause != null =>
      val inner = reasonOf(wrapper.getCause)
      if (wrapper.getMessage == wrapper.getCause.toString) inner else s"${wrapper.getMessage}: $inner"
    case other => other.toString
  }

  private def batchOf(transaction: OpenTransaction): String =
    transaction.batch.fold("a batch query")(batch => s"micro-batch $batch")

  private def age(millis: Long): String = TimeSpan.render(millis.max(0) / 1000 * 1000)
}
