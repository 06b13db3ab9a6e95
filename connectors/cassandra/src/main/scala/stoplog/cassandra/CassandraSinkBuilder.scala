// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import scala.jdk.CollectionConverters._

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
