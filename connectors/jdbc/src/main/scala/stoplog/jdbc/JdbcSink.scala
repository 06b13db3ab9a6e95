// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.ConfiguredSink
import stoplog.options.ColumnNames

/** A table of a database, by upserts or by exactly-once inserts: the sink, fully set.
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
  * Immutable. The same options can be set one by one on `format("stoplog-jdbc")`; they are listed in
  * `docs/reference/jdbc-options.md`.
  */
final class JdbcSink private[jdbc] (settings: JdbcOptions)
    extends ConfiguredSink(JdbcSink.Format, settings.toMap) {

  override protected def shown: Map[String, String] =
    settings.toMap + (JdbcOptionRegistry.Url.key -> settings.database)
}

object JdbcSink {

  /** The name for `format(…)` in a write without a builder. */
  val Format: String = "stoplog-jdbc"

  /** @param url   of the database, such as `jdbc:postgresql://db/shop`
    * @param table as SQL names it; it must exist
    */
  def forTable(url: String, table: String): JdbcSinkBuilder =
    new JdbcSinkBuilder(Map("url" -> url, "dbtable" -> table))

  /** The sink that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): JdbcSink = new JdbcSink(JdbcOptions.parse(options))

  /** The keys of all options there are. */
  def optionKeys(): JList[String] = JdbcOptionRegistry.all.map(_.key).asJava
}

/** Sets a [[JdbcSink]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class JdbcSinkBuilder private[jdbc] (options: Map[String, String]) {

  /** The user of the connections, and its password. */
  def withCredentials(user: String, password: String): JdbcSinkBuilder =
    withOptions(Map("user" -> user, "password" -> password))

  /** A row takes the place of the one with the same values in these columns; repeated epochs change nothing. */
  def withUpsert(keyColumns: String*): JdbcSinkBuilder =
    withOptions(Map("writeMode" -> "upsert", "keyColumns" -> ColumnNames.render(keyColumns)))

  /** Rows are inserted, each epoch in one transaction that also records it: exactly once. The default. */
  def withTransactions(): JdbcSinkBuilder =
    new JdbcSinkBuilder(options - "keyColumns" + ("writeMode" -> "transactional"))

  /** The rows that are sent together; 5,000 by default. */
  def withBatchSize(rows: Int): JdbcSinkBuilder = withOption("batchsize", rows.toString)

  /** The most tasks that write, each of which has a connection. */
  def withMaxWriters(count: Int): JdbcSinkBuilder = withOption("numPartitions", count.toString)

  /** The tries of a request whose failure may pass, and the longest first wait, such as `500ms`. */
  def withRetries(maxTries: Int, wait: String): JdbcSinkBuilder =
    withOptions(Map("maxTries" -> maxTries.toString, "retryWait" -> wait))

  /** Rows that the table refuses go to another one, and the query goes on; by default it fails. */
  def withRejectTable(table: String): JdbcSinkBuilder =
    withOptions(Map("onBadRow" -> "reject", "rejectTable" -> table))

  /** The name of this sink; queries that write to one table need one each. `main` by default. */
  def withSinkId(sinkId: String): JdbcSinkBuilder = withOption("sinkId", sinkId)

  /** `fail` or `adopt`. */
  def withOnForeignQuery(choice: String): JdbcSinkBuilder = withOption("onForeignQuery", choice)

  /** Any option by its name: of the sink, or a property of the database's driver. */
  def withOption(key: String, value: String): JdbcSinkBuilder = withOptions(Map(key -> value))

  /** The sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): JdbcSink = JdbcSink.fromOptions(options.asJava)

  private def withOptions(more: Map[String, String]): JdbcSinkBuilder = new JdbcSinkBuilder(options ++ more)
}
