// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SaveMode}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.error.Redaction
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
  * Immutable. The same options can be set one by one on `format("stoplog-jdbc")`; they are listed in
  * `docs/reference/jdbc-options.md`.
  */
final class JdbcSink private[jdbc] (settings: JdbcOptions) {

  /** The options that stand for this sink, the password among them, those at their defaults left out. */
  def options(): JMap[String, String] = settings.toMap.asJava

  /** A stream writer with everything of the sink set; the checkpoint, trigger and `start()` are the caller's. */
  def writeStream(rows: DataFrame): DataStreamWriter[Row] =
    rows.writeStream.format(JdbcSink.Format).options(settings.toMap)

  /** A batch writer that adds to what is there. Ends with `save()`. With `transactional`, `mode("overwrite")` on it
    * replaces all rows in one transaction.
    */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(JdbcSink.Format).options(settings.toMap).mode(SaveMode.Append)

  override def equals(other: Any): Boolean = other match {
    case that: JdbcSink => options() == that.options()
    case _              => false
  }

  override def hashCode: Int = options().hashCode

  override def toString: String =
    Redaction.options("JdbcSink", settings.toMap + (JdbcOptionRegistry.Url.key -> settings.database))
}

object JdbcSink {

  /** What to give to `format(…)` for a write without a builder. */
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

  /** How many rows are sent together; 5,000 by default. */
  def withBatchSize(rows: Int): JdbcSinkBuilder = withOption("batchsize", rows.toString)

  /** How many tasks write, at most, and with them how many connections there are. */
  def withMaxWriters(count: Int): JdbcSinkBuilder = withOption("numPartitions", count.toString)

  /** How often something is tried whose failure may pass, and the longest first wait, such as `500ms`. */
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
