// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel.LOCAL_QUORUM

import stoplog.options.{Opt, OptionGroup, OptionType}

/** Defines every option of `format("stoplog-cassandra")` for the parser, the reference page and the tests. */
private[cassandra] object CassandraOptionRegistry {

  case object Cluster extends OptionGroup("The cluster")
  case object Table   extends OptionGroup("The table")
  case object Write   extends OptionGroup("Writing")
  case object Read    extends OptionGroup("Reading")

  val groups: Seq[OptionGroup] = Seq(Cluster, Table, Write, Read)

  private val count: OptionType[Int] = OptionType.count.as("whole number from 1 on")

  val ContactPoints: Opt[Vector[(String, Int)]] = Cluster.required(
    "contactPoints",
    stoplog.cassandra.options.ContactPoints.values,
    "10.0.0.1,10.0.0.2:9142"
  )(
    "The nodes of the first contact, which lead to all other nodes."
  )

  val Username: Opt[String] = Cluster.option("username", OptionType.text, "ingest")(
    "none",
    "The user of the session. Needs `password`."
  )

  val Password: Opt[String] = Cluster.option("password", OptionType.text, "secret")(
    "none",
    "The password of `username`."
  )

  val Consistency: Opt[DefaultConsistencyLevel] =
    Cluster.withDefault("consistency", ConsistencyLevels.data, LOCAL_QUORUM, "QUORUM")(
      "The number of replicas that must confirm a write or return a row."
    )

  val RetryTimeout: Opt[Long] = Cluster.withDefault("retryTimeout", OptionType.span, 2 * 60 * 1000L, "10m")(
    "The maximum time of retries after an overloaded, unreachable or slow node, with random pauses of " +
      "increasing length. Then the task fails. Requests that a node rejects permanently are not retried."
  )

  val Keyspace: Opt[String] = Table.option("keyspace", OptionType.text.as("name"), "shop")(
    "required, unless `query` names one",
    "The keyspace, with exact upper and lower case, without quotes."
  )

  val TableName: Opt[String] = Table.option("table", OptionType.text.as("name"), "orders")(
    "required, unless `query` is set",
    "The table, which must exist, with exact upper and lower case, without quotes."
  )

  val Query: Opt[InsertQuery] =
    Table.option("query", InsertQuery.values, "INSERT INTO shop.orders (id, total) VALUES (?, ?)")(
      "columns are matched by name",
      "The table and the columns, in the order of the columns of the rows: the first column of a row goes " +
        "to the first `?`, and so on, regardless of names. Replaces `table` and `columnMapping`, and also " +
        "`keyspace` if the statement names a keyspace. Use `ttl` and `writeTimestamp` instead of `USING`."
    )

  val ColumnMapping: Opt[Map[String, String]] = Table.option(
    "columnMapping",
    stoplog.cassandra.options.ColumnMapping.values,
    "orderId=order_id,at=created"
  )(
    "columns have the same names; upper and lower case may differ",
    "The columns of the table for columns of the rows with other names."
  )

  val WriteTimestamp: Opt[WriteTimestampChoice] = Write.withDefault(
    "writeTimestamp",
    WriteTimestampChoice.values,
    WriteTimestampChoice.Epoch,
    "column updatedAt"
  )(
    "The timestamp of written cells: of two writes of a cell, Cassandra keeps the write with the later " +
      "timestamp. `epoch`: the time of the first attempt of the epoch, kept in `progressTable`, so a repeated " +
      "epoch never replaces writes of newer epochs. `column <name>`: the time in a column of the rows, of type " +
      "TIMESTAMP, or BIGINT in microseconds since 1970. The column is also written if the table has a column of " +
      "this name. `server`: the time at which the server receives the row."
  )

  val ProgressTable: Opt[(Option[String], String)] = Write.option(
    "progressTable",
    TablePath.values,
    "ops.stoplog_progress"
  )(
    "`stoplog_epochs`; in a write-ahead sink `stoplog_chunks`",
    "The table of the sink's progress, created if absent: the times of epochs, with a small row for each query, " +
      "or the chunks that a [write-ahead sink](../beyond-files/wal.md) has sent. Without a keyspace, the table is " +
      "in the keyspace of the target table. Only for streaming queries with `writeTimestamp` = `epoch`, and for " +
      "write-ahead sinks."
  )

  val Ttl: Opt[Ttl] = Write.option("ttl", stoplog.cassandra.options.Ttl.values, "30d")(
    "the default of the table",
    "The time to live of written cells. `column <name>`: the seconds in a column of the rows, of type INT or " +
      "BIGINT; 0 means unlimited, null means the default of the table. The column is also written if the table " +
      "has a column of this name."
  )

  val NullValues: Opt[NullValues] = Write.withDefault(
    "nulls",
    OptionType.named(stoplog.cassandra.options.NullValues.all)(_.word),
    stoplog.cassandra.options.NullValues.Unset,
    "delete"
  )(
    "The effect of a null on an existing cell: `unset` keeps the cell, `delete` removes the cell, at the " +
      "cost of a tombstone for each null, even without an existing cell."
  )

  val MaxInFlight: Opt[Int] = Write.withDefault("maxInFlight", count, 256, "64")(
    "The maximum number of requests of a task in flight. At the limit the task waits, which is the back pressure."
  )

  val MaxBatchSize: Opt[Long] = Write.withDefault("maxBatchSize", OptionType.size, 4L << 10, "16k")(
    "The size at which a request with several rows of a partition is sent, with at most 32 rows. With default settings, nodes warn from 5 KiB " +
      "on and reject 50 KiB."
  )

  val Distribution: Opt[RowSpread] = Write.withDefault(
    "distribution",
    OptionType.named(RowSpread.all)(_.word),
    RowSpread.Unspecified,
    "byPartitionKey"
  )(
    "The distribution of rows to tasks. `none` keeps the partitions of the rows. `byPartitionKey` shuffles " +
      "all rows of a partition to a single task, which makes larger requests and orders the rows of a key."
  )

  val MaxSplitMemorySize: Opt[Long] =
    Read.withDefault("maxSplitMemorySize", OptionType.size, 64L << 20, "256m")(
      "The approximate size of a split, according to the estimates of the nodes. If the number of splits " +
        "would be very large, splits become larger."
    )

  val all: Seq[Opt[_]] = Seq(
    ContactPoints,
    Username,
    Password,
    Consistency,
    RetryTimeout,
    Keyspace,
    TableName,
    ColumnMapping,
    Query,
    WriteTimestamp,
    ProgressTable,
    Ttl,
    NullValues,
    MaxInFlight,
    MaxBatchSize,
    Distribution,
    MaxSplitMemorySize
  )
}
