// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel.{LOCAL_QUORUM, SERIAL}

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
    "The nodes that are asked first. All others are found through them."
  )

  val LocalDatacenter: Opt[String] =
    Cluster.option("localDatacenter", OptionType.text.as("name of a data center"), "dc1")(
      "that of the contact points",
      "The data center whose nodes are asked. It must be set when the contact points are in several."
    )

  val Username: Opt[String] = Cluster.option("username", OptionType.text, "ingest")(
    "none",
    "Who the session is. Needs `password`."
  )

  val Password: Opt[String] = Cluster.option("password", OptionType.text, "secret")(
    "none",
    "The password of `username`."
  )

  val Consistency: Opt[DefaultConsistencyLevel] =
    Cluster.withDefault("consistency", ConsistencyLevels.data, LOCAL_QUORUM, "QUORUM")(
      "How many replicas must have answered when a row counts as written, or as read."
    )

  val RequestTimeout: Opt[Long] = Cluster.withDefault("requestTimeout", OptionType.span, 10 * 1000L, "30s")(
    "How long one request is waited for before it is tried again."
  )

  val RetryTimeout: Opt[Long] = Cluster.withDefault("retryTimeout", OptionType.span, 2 * 60 * 1000L, "10m")(
    "For how long a request is tried again that met an overloaded, unreachable or slow node, with longer " +
      "and longer random pauses between. Then the task fails. What a node refuses for good is not tried " +
      "again."
  )

  val Keyspace: Opt[String] = Table.option("keyspace", OptionType.text.as("name"), "shop")(
    "required, unless `query` names one",
    "The keyspace. In upper or lower case as it is, without quotes."
  )

  val TableName: Opt[String] = Table.option("table", OptionType.text.as("name"), "orders")(
    "required, unless `query` is set",
    "The table, which must exist. As it is, without quotes."
  )

  val Query: Opt[InsertQuery] =
    Table.option("query", InsertQuery.values, "INSERT INTO shop.orders (id, total) VALUES (?, ?)")(
      "columns are found by their names",
      "The table and its columns, in the order of the rows' columns: the first column of a row goes to the " +
        "first `?`, and so on, whatever their names. It is instead of `table` and `columnMapping`, and of " +
        "`keyspace` if it names one. `ttl` and `writeTimestamp` say what `USING` would."
    )

  val ColumnMapping: Opt[Map[String, String]] = Table.option(
    "columnMapping",
    stoplog.cassandra.options.ColumnMapping.values,
    "orderId=order_id,at=created"
  )(
    "columns have the same names; upper and lower case may differ",
    "Which column of the rows is which of the table, where their names differ."
  )

  val WriteTimestamp: Opt[String] = Write.withDefault(
    "writeTimestamp",
    OptionType.named(Seq("epoch", "column", "server"))(identity),
    "epoch",
    "column"
  )(
    "Which of two writes of a cell wins: Cassandra keeps the one with the later timestamp. `epoch`: the " +
      "time at which the epoch was first begun, kept in `epochTable`, so that an epoch that is repeated " +
      "never replaces what newer ones wrote. `column`: the time in `writeTimestampColumn`. `server`: the " +
      "time at which the server gets the row."
  )

  val WriteTimestampColumn: Opt[String] = Write.option(
    "writeTimestampColumn",
    OptionType.text.as(
      "name of a column of type TIMESTAMP, or BIGINT in microseconds since 1970"
    ),
    "updatedAt"
  )(
    "none",
    "The time of each row, with `writeTimestamp` = `column`. It is written as well if the table has a " +
      "column for it."
  )

  val EpochTable: Opt[(Option[String], String)] = Write.withDefault(
    "epochTable",
    TablePath.values,
    (None, "stoplog_epochs"),
    "ops.stoplog_epochs"
  )(
    "Where the times of epochs are kept, one small row for each query; made if it is not there. Without a " +
      "keyspace, in that of the table. Only with `writeTimestamp` = `epoch`, by streaming queries."
  )

  val SerialConsistency: Opt[DefaultConsistencyLevel] =
    Write.withDefault("serialConsistency", ConsistencyLevels.serial, SERIAL, "LOCAL_SERIAL")(
      "For the epoch table's conditional writes. `LOCAL_SERIAL` is faster where a query never moves " +
        "between data centers."
    )

  val Ttl: Opt[Int] = Write.option("ttl", stoplog.cassandra.options.Ttl.values, "30d")(
    "the table's own",
    "How long a written cell lives."
  )

  val TtlColumn: Opt[String] = Write.option(
    "ttlColumn",
    OptionType.text.as("name of a column of type INT or BIGINT, in seconds"),
    "keepSeconds"
  )(
    "none",
    "How long the cells of each row live; 0 for good, null as the table has it. Not together with `ttl`. " +
      "It is written as well if the table has a column for it."
  )

  val NullValues: Opt[NullValues] = Write.withDefault(
    "nulls",
    OptionType.named(stoplog.cassandra.options.NullValues.all)(_.word),
    stoplog.cassandra.options.NullValues.Unset,
    "delete"
  )(
    "What a null does to the cell that may be there: `unset` leaves it as it is, `delete` removes it, " +
      "which costs a tombstone for each null, even where there was nothing."
  )

  val MaxInFlight: Opt[Int] = Write.withDefault("maxInFlight", count, 256, "64")(
    "How many requests of a task are under way at most. When there are so many, the task waits: that is " +
      "the back pressure."
  )

  val MaxBatchRows: Opt[Int] = Write.withDefault("maxBatchRows", count, 32, "100")(
    "How many rows of one partition go in one request at most. `1` for a request for each row."
  )

  val MaxBatchSize: Opt[Long] = Write.withDefault("maxBatchSize", OptionType.size, 4L << 10, "16k")(
    "How large such a request becomes before it is sent. Nodes warn from 5 KiB on and refuse 50 KiB as " +
      "they are usually set."
  )

  val Distribution: Opt[RowSpread] = Write.withDefault(
    "distribution",
    OptionType.named(RowSpread.all)(_.word),
    RowSpread.Unspecified,
    "byPartitionKey"
  )(
    "How rows are spread over tasks: as they come, or all rows of a partition in one task, which makes " +
      "larger requests and gives the rows of a key an order, for the price of a shuffle."
  )

  val MaxSplitMemorySize: Opt[Long] =
    Read.withDefault("maxSplitMemorySize", OptionType.size, 64L << 20, "256m")(
      "How much of the table a split has about, as far as the nodes' estimates tell. Where that would make " +
        "very many splits they become larger."
    )

  val PageRows: Opt[Int] = Read.withDefault("pageRows", count, 5000, "500")(
    "How many rows a node is asked for at a time. A task holds two pages."
  )

  val all: Seq[Opt[_]] = Seq(
    ContactPoints,
    LocalDatacenter,
    Username,
    Password,
    Consistency,
    RequestTimeout,
    RetryTimeout,
    Keyspace,
    TableName,
    ColumnMapping,
    Query,
    WriteTimestamp,
    WriteTimestampColumn,
    EpochTable,
    SerialConsistency,
    Ttl,
    TtlColumn,
    NullValues,
    MaxInFlight,
    MaxBatchRows,
    MaxBatchSize,
    Distribution,
    MaxSplitMemorySize,
    PageRows
  )
}
