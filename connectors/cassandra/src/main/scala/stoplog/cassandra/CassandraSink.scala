// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.ConfiguredSink
import stoplog.cassandra.options.{CassandraOptionRegistry, CassandraOptions}

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
  * `docs/reference/cassandra-options.md`.
  */
final class CassandraSink private[cassandra] (settings: Map[String, String])
    extends ConfiguredSink(CassandraSink.Format, settings)

object CassandraSink {

  /** The name for `format(…)` in a read or a write without a builder. */
  val Format: String = "stoplog-cassandra"

  /** A sink into a table that exists.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def forTable(contactPoints: String, keyspace: String, table: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(
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
    new CassandraSinkBuilder(Map("contactPoints" -> contactPoints, "query" -> query))

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
final class CassandraSinkBuilder private[cassandra] (options: Map[String, String]) {

  /** The user of the session, and its password. */
  def withCredentials(username: String, password: String): CassandraSinkBuilder =
    withOption("username", username).withOption("password", password)

  /** The data center whose nodes are asked; that of the contact points by default. */
  def withLocalDatacenter(name: String): CassandraSinkBuilder = withOption("localDatacenter", name)

  /** The replicas that must have a row when it counts as written; `LOCAL_QUORUM` by default. */
  def withConsistency(level: String): CassandraSinkBuilder = withOption("consistency", level)

  /** The time for which a request is tried again that met an overloaded or unreachable node, such as `10m`; `2m` by default. */
  def withRetryTimeout(time: String): CassandraSinkBuilder = withOption("retryTimeout", time)

  /** The columns of rows and table that belong together, where their names differ. */
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

  /** The life of a written cell, such as `30d`; as the table has it by default. */
  def withTtl(time: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "ttlColumn").withOption("ttl", time)

  /** A column that says how long the cells of its row live, in seconds. */
  def withTtlColumn(column: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "ttl").withOption("ttlColumn", column)

  /** `unset`, the default: a null leaves the cell as it is; `delete`: it removes the cell. */
  def withNulls(choice: String): CassandraSinkBuilder = withOption("nulls", choice)

  /** The most requests of a task that are under way; 256 by default. */
  def withMaxInFlight(requests: Int): CassandraSinkBuilder = withOption("maxInFlight", requests.toString)

  /** The most rows of one partition in one request; 32 by default. */
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
