// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.config.DefaultDriverOption

import stoplog.ConfiguredSink
import stoplog.cassandra.client.Connection
import stoplog.cassandra.options.{CassandraOptionRegistry, CassandraOptions}

/** A configured sink that writes rows to a Cassandra table by key. Writing rows again after a crash has the
  * same effect.
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
  * Immutable. The same options can be set individually on `format("stoplog-cassandra")`; see
  * `docs/reference/cassandra-options.md`.
  */
final class CassandraSink private[cassandra] (settings: Map[String, String])
    extends ConfiguredSink(CassandraSink.Format, settings)

object CassandraSink {

  /** The name for `format(…)` in a read or a write without the builder. */
  val Format: String = "stoplog-cassandra"

  private[cassandra] val LocalDatacenter: String =
    Connection.DriverPrefix + DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER.getPath

  /** Creates a builder of a sink for an existing table.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def forTable(contactPoints: String, keyspace: String, table: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(
      Map("contactPoints" -> contactPoints, "keyspace" -> keyspace, "table" -> table)
    )

  /** Creates a builder of a sink for an existing table from a statement. The rows' columns fill the
    * statement's markers in order.
    *
    * {{{
    * CassandraSink.withQuery("10.0.0.1", "INSERT INTO shop.orders (id, total) VALUES (?, ?)")
    * }}}
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def withQuery(contactPoints: String, query: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(Map("contactPoints" -> contactPoints, "query" -> query))

  /** Creates a sink from its options.
    *
    * @throws stoplog.error.StoplogArgumentException if options are invalid, with all problems at once
    */
  def fromOptions(options: JMap[String, String]): CassandraSink = {
    CassandraOptions.parse(options)
    new CassandraSink(options.asScala.toMap)
  }

  /** Returns the keys of all options. */
  def optionKeys(): JList[String] = CassandraOptionRegistry.all.map(_.key).asJava
}

/** Builds a [[CassandraSink]]. Immutable: each call returns a new builder. Options are checked in [[build]].
  */
final class CassandraSinkBuilder private[cassandra] (options: Map[String, String]) {

  /** Sets the user and the password of the session. */
  def withCredentials(username: String, password: String): CassandraSinkBuilder =
    withOption("username", username).withOption("password", password)

  /** Sets the data center of the queried nodes. The default is the data center of the contact points. */
  def withLocalDatacenter(name: String): CassandraSinkBuilder =
    withOption(CassandraSink.LocalDatacenter, name)

  /** Sets the consistency level of writes; `LOCAL_QUORUM` by default. */
  def withConsistency(level: String): CassandraSinkBuilder = withOption("consistency", level)

  /** Sets the time for which requests to overloaded or unreachable nodes are retried, such as `10m`; `2m` by
    * default.
    */
  def withRetryTimeout(time: String): CassandraSinkBuilder = withOption("retryTimeout", time)

  /** Maps columns of the rows to columns of the table with different names. */
  def withColumnMapping(columns: (String, String)*): CassandraSinkBuilder =
    withOption("columnMapping", columns.map { case (row, table) => s"$row=$table" }.mkString(","))

  /** Uses the timestamp of the epoch for all rows of the epoch: the default.
    *
    * @param epochTable the table for the timestamps of epochs, as `table` or `keyspace.table`
    */
  def withWriteTimestampOfEpoch(epochTable: String = "stoplog_epochs"): CassandraSinkBuilder =
    withOption("writeTimestamp", "epoch").withOption("progressTable", epochTable)

  /** Uses the timestamp in a column, of type TIMESTAMP, or BIGINT in microseconds. */
  def withWriteTimestampColumn(column: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "progressTable").withOption("writeTimestamp", s"column $column")

  /** Uses the time of arrival at the server: a repeated epoch replaces newer writes of others. */
  def withWriteTimestampOfServer(): CassandraSinkBuilder =
    new CassandraSinkBuilder(options - "progressTable").withOption("writeTimestamp", "server")

  /** Sets the time to live of written cells, such as `30d`. The default is the table's time to live. */
  def withTtl(time: String): CassandraSinkBuilder =
    withOption("ttl", time)

  /** Sets the column with the time to live of a row's cells, in seconds. */
  def withTtlColumn(column: String): CassandraSinkBuilder =
    withOption("ttl", s"column $column")

  /** Sets the effect of a null: `unset`, the default, keeps the cell; `delete` deletes the cell. */
  def withNulls(choice: String): CassandraSinkBuilder = withOption("nulls", choice)

  /** Sets the maximum number of requests in flight of a task; 256 by default. */
  def withMaxInFlight(requests: Int): CassandraSinkBuilder = withOption("maxInFlight", requests.toString)

  /** Sets the distribution: `none`, the default, or `byPartitionKey`: one task writes all rows of a
    * partition.
    */
  def withDistribution(choice: String): CassandraSinkBuilder = withOption("distribution", choice)

  /** Sets any option by its name: an option of the sink, or `datastax-java-driver.…` for the driver. */
  def withOption(key: String, value: String): CassandraSinkBuilder =
    new CassandraSinkBuilder(options + (key -> value))

  /** Returns the sink.
    *
    * @throws stoplog.error.StoplogArgumentException if options are invalid, with all problems at once
    */
  def build(): CassandraSink = CassandraSink.fromOptions(options.asJava)
}
