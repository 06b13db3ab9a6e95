# SPDX-License-Identifier: Apache-2.0
"""Tables of Cassandra: rows written by their keys, and tables read in pieces.

The session needs the jar `stoplog-cassandra` and the driver that it names besides stoplog's own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stoplog._aspects import Aspects, shown_aspects, with_aspect
from stoplog._checked import checked_connector
from stoplog._options import Pairs, shown, text_of
from stoplog._streams import stream_writer
from stoplog._units import Duration, Size, count_text, duration_text, size_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

FORMAT = "stoplog-cassandra"
"""The name by which Spark finds the connector, and that of its artifact."""

KEYS: frozenset[str] = frozenset(
    {
        "contactPoints", "localDatacenter", "username", "password",
        "consistency", "requestTimeout", "retryTimeout",
        "keyspace", "table", "columnMapping",
        "writeTimestamp", "writeTimestampColumn", "epochTable", "serialConsistency",
        "ttl", "ttlColumn", "nulls",
        "maxInFlight", "maxBatchRows", "maxBatchSize", "distribution",
        "maxSplitMemorySize", "pageRows",
    }
)  # fmt: skip
"""Every option: the jar's registry, held equal by a test."""

_SINK = "stoplog.cassandra.CassandraSink"
_SOURCE = "stoplog.cassandra.CassandraSource"


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSink:
    """A table that rows are written to by their keys: written again after a crash, they have the same effect.

    Made by `CassandraSink.for_table`; immutable, comparable, and good for any number of queries.

    >>> CassandraSink.for_table("10.0.0.1", "shop", "orders").with_ttl("30d").build()
    CassandraSink(contactPoints='10.0.0.1', keyspace='shop', table='orders', ttl='30d')
    """

    _pairs: Pairs

    @staticmethod
    def for_table(contact_points: str | Sequence[str], keyspace: str, table: str) -> CassandraSinkBuilder:
        """Starts a sink.

        Args:
            contact_points: some nodes, as `host` or `host:port`.
            keyspace: of the table, as it is, without quotes.
            table: it must exist. Columns are found by their names.

        >>> CassandraSink.for_table(["a", "b:9142"], "shop", "orders").build().options()
        {'contactPoints': 'a,b:9142', 'keyspace': 'shop', 'table': 'orders'}
        """
        return CassandraSinkBuilder((("table", _table(contact_points, keyspace, table)),))

    def options(self) -> dict[str, str]:
        """The options of `format("stoplog-cassandra")` that this sink stands for, as a new dict.

        The password is among them.
        """
        return dict(self._pairs)

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """A streaming query's writer that is set to this sink, in append mode.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: where the query keeps its progress; by default it is left to
                `spark.sql.streaming.checkpointLocation`.

        Returns:
            Spark's own writer, for a trigger, an output mode, a query name and `start()`.

        Example:
            query = sink.write_stream(totals, "/data/checkpoint").outputMode("update").start()
        """
        return stream_writer(df, FORMAT, self.options(), checkpoint_location)

    def write(self, df: DataFrame) -> None:
        """Writes a batch. Each row is seen as soon as it is written.

        Example:
            sink.write(spark.table("orders_of_today"))
        """
        df.write.format(FORMAT).options(**self.options()).mode("append").save()

    def __repr__(self) -> str:
        return f"CassandraSink({shown(self._pairs)})"


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSinkBuilder:
    """Builds a `CassandraSink`; made by `CassandraSink.for_table`.

    Immutable: each method returns a new builder. Calling a method again replaces what it set before.

    >>> CassandraSink.for_table("a", "shop", "orders").with_credentials("shop", "hunter2")
    CassandraSinkBuilder(contactPoints='a', keyspace='shop', table='orders', username='shop', password='…')
    """

    _aspects: Aspects

    def with_credentials(self, username: str, password: str) -> CassandraSinkBuilder:
        """Who the session is."""
        return self._with("credentials", {"username": username, "password": password})

    def with_local_datacenter(self, name: str) -> CassandraSinkBuilder:
        """The data center whose nodes are asked; that of the contact points by default."""
        return self._with("localDatacenter", {"localDatacenter": name})

    def with_consistency(self, level: str) -> CassandraSinkBuilder:
        """How many replicas must have a row when it counts as written; `LOCAL_QUORUM` by default."""
        return self._with("consistency", {"consistency": level})

    def with_retry_timeout(self, timeout: Duration) -> CassandraSinkBuilder:
        """For how long a request is tried again that met an overloaded or unreachable node.

        Args:
            timeout: a `timedelta`, a string such as `"10m"`, or an int of milliseconds; `"2m"` by default.
        """
        return self._with("retryTimeout", {"retryTimeout": duration_text("timeout", timeout)})

    def with_column_mapping(self, columns: Mapping[str, str]) -> CassandraSinkBuilder:
        """Which column of the rows is which of the table, where their names differ.

        >>> CassandraSink.for_table("a", "k", "t").with_column_mapping({"orderId": "order_id"}).build()
        CassandraSink(contactPoints='a', keyspace='k', table='t', columnMapping='orderId=order_id')
        """
        return self._with("columnMapping", {"columnMapping": _mapping(columns)})

    def with_write_timestamp(
        self, source: Literal["epoch", "server"], epoch_table: str | None = None
    ) -> CassandraSinkBuilder:
        """Which of two writes of a cell wins: the one with the later timestamp.

        Args:
            source: `"epoch"`, the default: rows are as new as their epoch, however often it is repeated.
                `"server"`: as their arrival; a repeated epoch replaces what others wrote meanwhile.
            epoch_table: where the times of epochs are kept, as `table` or `keyspace.table`.
        """
        table = {} if epoch_table is None else {"epochTable": epoch_table}
        return self._with("writeTimestamp", {"writeTimestamp": source, **table})

    def with_write_timestamp_column(self, column: str) -> CassandraSinkBuilder:
        """Rows are as new as a column says, of type TIMESTAMP, or BIGINT in microseconds.

        >>> sink = CassandraSink.for_table("a", "k", "t").with_write_timestamp_column("at").build()
        >>> sink.options()["writeTimestamp"]
        'column'
        """
        return self._with("writeTimestamp", {"writeTimestamp": "column", "writeTimestampColumn": column})

    def with_ttl(self, time: Duration) -> CassandraSinkBuilder:
        """How long a written cell lives; as the table has it by default.

        Args:
            time: a `timedelta`, a string such as `"30d"`, or an int of milliseconds; whole seconds.
        """
        return self._with("ttl", {"ttl": duration_text("time", time)})

    def with_ttl_column(self, column: str) -> CassandraSinkBuilder:
        """A column that says how long the cells of its row live, in seconds."""
        return self._with("ttl", {"ttlColumn": column})

    def with_nulls(self, action: Literal["unset", "delete"]) -> CassandraSinkBuilder:
        """What a null does to the cell that may be there; `"unset"` by default.

        Args:
            action: `"unset"` leaves it as it is, `"delete"` removes it by a tombstone.
        """
        return self._with("nulls", {"nulls": action})

    def with_max_in_flight(self, requests: int) -> CassandraSinkBuilder:
        """How many requests of a task are under way at most; 256 by default."""
        return self._with("maxInFlight", {"maxInFlight": count_text("requests", requests)})

    def with_max_batch_rows(self, rows: int) -> CassandraSinkBuilder:
        """How many rows of one partition go in one request at most; 32 by default."""
        return self._with("maxBatchRows", {"maxBatchRows": count_text("rows", rows)})

    def with_distribution(self, distribution: Literal["none", "byPartitionKey"]) -> CassandraSinkBuilder:
        """How rows are spread over the tasks that write; `"none"` by default: as they come."""
        return self._with("distribution", {"distribution": distribution})

    def with_option(self, key: str, value: str | int | bool) -> CassandraSinkBuilder:
        """Any option by its own name, or one of the driver's: `datastax-java-driver.…`."""
        return self._with(f"option {key.lower()}", {key: text_of(value)})

    def build(self) -> CassandraSink:
        """The sink as set so far, checked by the jar when a classic session is active.

        Raises:
            InvalidOptions: an option was given two values, or the jar refused some options.
            JarMissing: the active session runs without stoplog's jar, or without that of this connector.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return CassandraSink(checked_connector(_SINK, FORMAT, self._aspects))

    def __repr__(self) -> str:
        return f"CassandraSinkBuilder({shown_aspects(self._aspects)})"

    def _with(self, aspect: str, options: dict[str, str]) -> CassandraSinkBuilder:
        return CassandraSinkBuilder(with_aspect(self._aspects, aspect, options))


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSource:
    """A table as a DataFrame.

    Made by `CassandraSource.for_table`; immutable, comparable, and good for any number of reads.

    >>> CassandraSource.for_table("10.0.0.1", "shop", "orders").with_max_split_memory_size("128m").build()
    CassandraSource(contactPoints='10.0.0.1', keyspace='shop', table='orders', maxSplitMemorySize='128m')
    """

    _pairs: Pairs

    @staticmethod
    def for_table(contact_points: str | Sequence[str], keyspace: str, table: str) -> CassandraSourceBuilder:
        """Starts a source.

        Args:
            contact_points: some nodes, as `host` or `host:port`.
            keyspace: of the table, as it is, without quotes.
            table: what is read.
        """
        return CassandraSourceBuilder((("table", _table(contact_points, keyspace, table)),))

    def options(self) -> dict[str, str]:
        """The options of `format("stoplog-cassandra")` that this source stands for, as a new dict."""
        return dict(self._pairs)

    def read(self, spark: SparkSession) -> DataFrame:
        """The table as it is when the DataFrame is worked on.

        Example:
            source.read(spark).where("customer = 7").show()
        """
        return spark.read.format(FORMAT).options(**self.options()).load()

    def __repr__(self) -> str:
        return f"CassandraSource({shown(self._pairs)})"


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSourceBuilder:
    """Builds a `CassandraSource`; made by `CassandraSource.for_table`.

    Immutable: each method returns a new builder. Calling a method again replaces what it set before.
    """

    _aspects: Aspects

    def with_credentials(self, username: str, password: str) -> CassandraSourceBuilder:
        """Who the session is."""
        return self._with("credentials", {"username": username, "password": password})

    def with_local_datacenter(self, name: str) -> CassandraSourceBuilder:
        """The data center whose nodes are asked; that of the contact points by default."""
        return self._with("localDatacenter", {"localDatacenter": name})

    def with_consistency(self, level: str) -> CassandraSourceBuilder:
        """How many replicas must have answered when a row counts as read; `LOCAL_QUORUM` by default."""
        return self._with("consistency", {"consistency": level})

    def with_column_mapping(self, columns: Mapping[str, str]) -> CassandraSourceBuilder:
        """What columns are called in the rows, where that differs: rows' name to table's name."""
        return self._with("columnMapping", {"columnMapping": _mapping(columns)})

    def with_max_split_memory_size(self, size: Size) -> CassandraSourceBuilder:
        """How much of the table a split has about; `"64m"` by default.

        Args:
            size: a string such as `"256m"`, or an int of bytes.
        """
        return self._with("maxSplitMemorySize", {"maxSplitMemorySize": size_text("size", size)})

    def with_page_rows(self, rows: int) -> CassandraSourceBuilder:
        """How many rows a node is asked for at a time; 5000 by default."""
        return self._with("pageRows", {"pageRows": count_text("rows", rows)})

    def with_option(self, key: str, value: str | int | bool) -> CassandraSourceBuilder:
        """Any option by its own name, or one of the driver's: `datastax-java-driver.…`."""
        return self._with(f"option {key.lower()}", {key: text_of(value)})

    def build(self) -> CassandraSource:
        """The source as set so far, checked by the jar when a classic session is active.

        Raises:
            InvalidOptions: an option was given two values, or the jar refused some options.
            JarMissing: the active session runs without stoplog's jar, or without that of this connector.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return CassandraSource(checked_connector(_SOURCE, FORMAT, self._aspects))

    def __repr__(self) -> str:
        return f"CassandraSourceBuilder({shown_aspects(self._aspects)})"

    def _with(self, aspect: str, options: dict[str, str]) -> CassandraSourceBuilder:
        return CassandraSourceBuilder(with_aspect(self._aspects, aspect, options))


def _table(contact_points: str | Sequence[str], keyspace: str, table: str) -> Pairs:
    points = contact_points if isinstance(contact_points, str) else ",".join(contact_points)
    return (("contactPoints", points), ("keyspace", keyspace), ("table", table))


def _mapping(columns: Mapping[str, str]) -> str:
    return ",".join(f"{row}={table}" for row, table in columns.items())
