// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.cassandra.options.{CassandraOptionRegistry, CassandraOptions}
import stoplog.error.Redaction

/** Rows written to a table of Cassandra's by their keys, fully set. Written again after a crash, they have the same
  * effect.
  *
  * {{{
  * val sink = CassandraSink
  *   .forTable("10.0.0.1,10.0.0.2", "shop", "orders")
  *   .withConsistency("QUORUM")
  *   .withTtl("30d")
  *   .build()
  *
  * sink.writeStream(orders).option("checkpointLocation", "/data/checkpoints/orders").start()
  * }}}
  *
  * Immutable. The same options can be set one by one on `format("stoplog-cassandra")`; they are listed in
  * `docs/cassandra-options.md`.
  */
final class CassandraSink private[cassandra] (settings: Map[String, String]) {

  /** The options that stand for this sink, as they were set. */
  def options(): JMap[String, String] = settings.asJava

  /** A stream writer with everything of the sink set; the checkpoint, trigger and `start()` are the caller's. */
  def writeStream(rows: DataFrame): DataStreamWriter[Row] =
    rows.writeStream.format(CassandraSink.Format).options(settings)

  /** A batch writer; ends with `save()`. */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(CassandraSink.Format).options(settings).mode("append")

  override def equals(other: Any): Boolean = other match {
    case that: CassandraSink => options() == that.options()
    case _                   => false
  }

  override def hashCode: Int = settings.hashCode

  override def toString: String = Redaction.options("CassandraSink", settings)
}

object CassandraSink {

  /** What to give to `format(…)` for a read or a write without a builder. */
  val Format: String = "stoplog-cassandra"

  /** A sink into a table that exists.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def forTable(contactPoints: String, keyspace: String, table: String): CassandraSinkBuilder =
    CassandraSinkBuilder(
      Map("contactPoints" -> contactPoints, "keyspace" -> keyspace, "table" -> table)
    )

  /** A sink into a table that exists, by a statement whose places the rows' columns fill in their order.
    *
    * {{{
    * CassandraSink.withQuery("10.0.0.1", "INSERT INTO shop.orders (id, total) VALUES (?, ?)")
    * }}}
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def withQuery(contactPoints: String, query: String): CassandraSinkBuilder =
    CassandraSinkBuilder(Map("contactPoints" -> contactPoints, "query" -> query))

  /** The sink that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): CassandraSink = {
    CassandraOptions.parse(options)
    new CassandraSink(options.asScala.toMap)
  }

  /** The keys of all options there are. */
  def optionKeys(): JList[String] = CassandraOptionRegistry.all.map(_.key).asJava
}

/** Sets a [[CassandraSink]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class CassandraSinkBuilder private (options: Map[String, String]) {

  /** Who the session is. */
  def withCredentials(username: String, password: String): CassandraSinkBuilder =
    withOption("username", username).withOption("password", password)

  /** The data center whose nodes are asked; that of the contact points by default. */
  def withLocalDatacenter(name: String): CassandraSinkBuilder = withOption("localDatacenter", name)

  /** How many replicas must have a row when it counts as written; `LOCAL_QUORUM` by default. */
  def withConsistency(level: String): CassandraSinkBuilder = withOption("consistency", level)

  /** For how long a request is tried again that met an overloaded or unreachable node, such as `10m`; `2m` by default. */
  def withRetryTimeout(time: String): CassandraSinkBuilder = withOption("retryTimeout", time)

  /** Which column of the rows is which of the table, where their names differ. */
  def withColumnMapping(columns: (String, String)*): CassandraSinkBuilder =
    withOption("columnMapping", columns.map { case (row, table) => s"$row=$table" }.mkString(","))

  /** Rows are as new as their epoch: the default.
    *
    * @param epochTable where the times of epochs are kept, as `table` or `keyspace.table`
    */
  def withWriteTimestampOfEpoch(epochTable: String = "stoplog_epochs"): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "writeTimestampColumn")
      .withOption("writeTimestamp", "epoch")
      .withOption("epochTable", epochTable)

  /** Rows are as new as a column says, of type TIMESTAMP, or BIGINT in microseconds. */
  def withWriteTimestampColumn(column: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "epochTable")
      .withOption("writeTimestamp", "column")
      .withOption("writeTimestampColumn", column)

  /** Rows are as new as their arrival at the server: a repeated epoch replaces what others wrote meanwhile. */
  def withWriteTimestampOfServer(): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "epochTable" - "writeTimestampColumn")
      .withOption("writeTimestamp", "server")

  /** How long a written cell lives, such as `30d`; as the table has it by default. */
  def withTtl(time: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "ttlColumn").withOption("ttl", time)

  /** A column that says how long the cells of its row live, in seconds. */
  def withTtlColumn(column: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "ttl").withOption("ttlColumn", column)

  /** `unset`, the default: a null leaves the cell as it is; `delete`: it removes what is there. */
  def withNulls(choice: String): CassandraSinkBuilder = withOption("nulls", choice)

  /** How many requests of a task are under way at most; 256 by default. */
  def withMaxInFlight(requests: Int): CassandraSinkBuilder = withOption("maxInFlight", requests.toString)

  /** How many rows of one partition go in one request at most; 32 by default. */
  def withMaxBatchRows(rows: Int): CassandraSinkBuilder = withOption("maxBatchRows", rows.toString)

  /** `none`, the default, or `byPartitionKey`: all rows of a partition in one task. */
  def withDistribution(choice: String): CassandraSinkBuilder = withOption("distribution", choice)

  /** Any option by its name: of the sink, or `datastax-java-driver.…` of the driver. */
  def withOption(key: String, value: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options + (key -> value))

  /** The sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): CassandraSink = CassandraSink.fromOptions(options.asJava)
}

private[cassandra] object CassandraSinkBuilder {
  def apply(options: Map[String, String]): CassandraSinkBuilder = new CassandraSinkBuilder(options)
}
