// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.ConfiguredSink
import stoplog.jdbc.options.{JdbcOptionRegistry, JdbcOptions}
import stoplog.options.ColumnNames

/** A configured sink for a database table, with upserts or exactly-once inserts.
  *
  * {{{
  * val sink = JdbcSink
  *   .forTable("jdbc:postgresql://db/shop", "orders")
  *   .withCredentials("shop", password)
  *   .withUpsert("customer", "day")
  *   .build()
  *
  * sink.writeStream(totals).option("checkpointLocation", "/data/checkpoints/totals").start()
  * }}}
  *
  * With `transactional`, `mode("overwrite")` on a batch writer replaces all rows in one transaction.
  *
  * Immutable. The same options can be set individually on `format("stoplog-jdbc")`; see
  * `docs/reference/jdbc-options.md`.
  */
final class JdbcSink private[jdbc] (settings: JdbcOptions)
    extends ConfiguredSink(JdbcSink.Format, settings.toMap) {

  override protected def shown: Map[String, String] =
    settings.toMap + (JdbcOptionRegistry.Url.key -> settings.database)
}

object JdbcSink {

  /** The name for `format(…)` in a write without the builder. */
  val Format: String = "stoplog-jdbc"

  /** @param url   the URL of the database, such as `jdbc:postgresql://db/shop`
    * @param table the name of an existing table, in SQL syntax
    */
  def forTable(url: String, table: String): JdbcSinkBuilder =
    new JdbcSinkBuilder(Map("url" -> url, "dbtable" -> table))

  /** Creates a sink from its options.
    *
    * @throws stoplog.error.StoplogArgumentException if options are invalid, with all problems at once
    */
  def fromOptions(options: JMap[String, String]): JdbcSink = new JdbcSink(JdbcOptions.parse(options))

  /** Returns the keys of all options. */
  def optionKeys(): JList[String] = JdbcOptionRegistry.all.map(_.key).asJava
}

/** Builds a [[JdbcSink]]. Immutable: each call returns a new builder. Options are checked in [[build]]. */
final class JdbcSinkBuilder private[jdbc] (options: Map[String, String]) {

  /** Sets the user and the password of the connections. */
  def withCredentials(user: String, password: String): JdbcSinkBuilder =
    withOptions(Map("user" -> user, "password" -> password))

  /** Upserts rows: a row replaces the row with the same values in these columns, and repeated epochs have no
    * effect.
    */
  def withUpsert(keyColumns: String*): JdbcSinkBuilder =
    withOption("keyColumns", ColumnNames.render(keyColumns))

  /** Sets the column that decides which of two rows with the same key is newer. Only for upserts. */
  def withVersionColumn(column: String): JdbcSinkBuilder = withOption("versionColumn", column)

  /** Inserts the rows of each epoch exactly once, in one transaction with the epoch's number. The default. */
  def withTransactions(): JdbcSinkBuilder =
    new JdbcSinkBuilder(options - "keyColumns" - "versionColumn")

  /** Sets the number of rows in a batch; 5,000 by default. */
  def withBatchSize(rows: Int): JdbcSinkBuilder = withOption("batchsize", rows.toString)

  /** Sets the maximum number of writing tasks, each of which has a connection. */
  def withMaxWriters(count: Int): JdbcSinkBuilder = withOption("numPartitions", count.toString)

  /** Sets the maximum time of retries after transient failures; `10s` by default. */
  def withRetryTimeout(timeout: String): JdbcSinkBuilder = withOption("retryTimeout", timeout)

  /** Writes rows that the table rejects to a reject table; by default such rows fail the query. */
  def withRejectTable(table: String): JdbcSinkBuilder =
    withOptions(Map("onBadRow" -> "reject", "rejectTable" -> table))

  /** Sets the name of this sink; queries that write to one table need different names. The default is `main`.
    */
  def withSinkId(sinkId: String): JdbcSinkBuilder = withOption("sinkId", sinkId)

  /** Sets the reaction to a sink of another query, or to a sink without a record of this query: `fail` (the
    * default), `adopt`, or `adoptAndRepeat`, which writes epochs again and is valid for one start. Only for
    * transactional writes.
    */
  def withOnForeignQuery(choice: String): JdbcSinkBuilder = withOption("onForeignQuery", choice)

  /** Sets any option by its name: an option of the sink, or a property of the database's driver. */
  def withOption(key: String, value: String): JdbcSinkBuilder = withOptions(Map(key -> value))

  /** Returns the sink.
    *
    * @throws stoplog.error.StoplogArgumentException if options are invalid, with all problems at once
    */
  def build(): JdbcSink = JdbcSink.fromOptions(options.asJava)

  private def withOptions(more: Map[String, String]): JdbcSinkBuilder = new JdbcSinkBuilder(options ++ more)
}
