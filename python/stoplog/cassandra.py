# SPDX-License-Identifier: Apache-2.0
"""Cassandra tables as sinks, written by key, and as sources, read in splits.

In addition to stoplog's own jar, the session needs the jar `stoplog-cassandra` with its driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stoplog._options.builder import Builder, BuilderState, OptionBacked, checked
from stoplog._text.values import (
    Duration,
    Size,
    Value,
    count_text,
    duration_text,
    mapping,
    names_of,
    size_text,
    string,
)
from stoplog.sink.base import Sink

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Self

FORMAT = "stoplog-cassandra"
"""The name of the connector in Spark, and of its artifact."""

_DRIVER = "datastax-java-driver.basic"


@dataclass(frozen=True, slots=True, repr=False)
class _ClusterBuilder(Builder):
    """The common methods of the sink's and the source's builders."""

    _direction = "cassandra"

    def with_credentials(self, username: str, password: str) -> Self:
        """Sets the user and the password of the session."""
        return self._with(username=username, password=password)

    def with_local_datacenter(self, name: str) -> Self:
        """Sets the data center of the queried nodes. The default is the data center of the contact points.

        >>> CassandraSink.for_table("a", "k", "t").with_local_datacenter("dc1")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', \
datastax-java-driver.basic.load-balancing-policy.local-datacenter='dc1')
        """
        return self._with(**{f"{_DRIVER}.load-balancing-policy.local-datacenter": name})

    def with_option(self, key: str, value: Value) -> Self:
        """Sets any option by its name, or an option of the driver: `datastax-java-driver.…`."""
        return self._with_option(key, value)


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSink(Sink):
    """A table to which rows are written by key. Writing rows again after a crash has the same effect.

    Created by `CassandraSink.for_table` or `CassandraSink.with_query`; immutable, comparable, and usable for
    any number of queries.

    >>> CassandraSink.for_table("10.0.0.1", "shop", "orders").with_ttl("30d").build()
    CassandraSink(contactPoints='10.0.0.1', keyspace='shop', table='orders', ttl='30d')
    """

    _format = FORMAT

    @staticmethod
    def for_table(contact_points: str | Sequence[str], keyspace: str, table: str) -> CassandraSinkBuilder:
        """Creates a builder of a sink for a table.

        Args:
            contact_points: some nodes, as `host` or `host:port`.
            keyspace: the keyspace of the table, verbatim, without quotes.
            table: the name of an existing table. Columns are matched by name.

        >>> CassandraSink.for_table(["a", "b:9142"], "shop", "orders").build().options()
        {'contactPoints': 'a,b:9142', 'keyspace': 'shop', 'table': 'orders'}
        """
        return CassandraSinkBuilder(BuilderState.of({"table": _table(contact_points, keyspace, table)}))

    @staticmethod
    def with_query(contact_points: str | Sequence[str], query: str) -> CassandraSinkBuilder:
        """Creates a builder of a sink for a statement.

        The rows' columns fill the statement's markers in order.

        Args:
            contact_points: some nodes, as `host` or `host:port`.
            query: `INSERT INTO keyspace.table (a, b) VALUES (?, ?)`, for columns of any names. `with_ttl` and
                `with_write_timestamp` replace the statement's clause `USING`.

        >>> CassandraSink.with_query("a", "INSERT INTO shop.orders (id) VALUES (?)").build().options()
        {'contactPoints': 'a', 'query': 'INSERT INTO shop.orders (id) VALUES (?)'}
        """
        target = {"contactPoints": _points("with_query", contact_points), "query": query}
        return CassandraSinkBuilder(BuilderState.of({"table": target}))

    def write(self, df: DataFrame) -> None:
        """Writes a batch. Each row is visible as soon as the row is written.

        Example:
            sink.write(spark.table("orders_of_today"))
        """
        self._write(df, "append")


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSinkBuilder(_ClusterBuilder):
    """Builds a `CassandraSink`; created by `CassandraSink.for_table`.

    Immutable: each method returns a new builder. A repeated call of a method replaces the earlier values.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small, or for an empty name.

    >>> CassandraSink.for_table("a", "shop", "orders").with_credentials("shop", "hunter2")
    CassandraSinkBuilder(contactPoints='a', keyspace='shop', table='orders', username='shop', password='…')
    """

    def with_consistency(self, level: str) -> CassandraSinkBuilder:
        """Sets the number of replicas that must confirm a written row; `LOCAL_QUORUM` by default.

        >>> CassandraSink.for_table("a", "k", "t").with_consistency("ALL")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', consistency='ALL')
        """
        return self._with(consistency=level)

    def with_retry_timeout(self, timeout: Duration) -> CassandraSinkBuilder:
        """Limits the time for which the sink retries requests to overloaded or unreachable nodes.

        Args:
            timeout: a `timedelta`, a string such as `"10m"`, or an int of milliseconds; `"2m"` by default.

        >>> CassandraSink.for_table("a", "k", "t").with_retry_timeout("10m")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', retryTimeout='10m')
        """
        return self._with(retryTimeout=duration_text("timeout", timeout))

    def with_column_mapping(self, columns: Mapping[str, str]) -> CassandraSinkBuilder:
        """Maps columns of the rows to columns of the table with different names.

        >>> CassandraSink.for_table("a", "k", "t").with_column_mapping({"orderId": "order_id"}).build()
        CassandraSink(contactPoints='a', keyspace='k', table='t', columnMapping='orderId=order_id')
        """
        return self._with(columnMapping=_mapping(columns))

    def with_write_timestamp(
        self, source: Literal["epoch", "server"], epoch_table: str | None = None
    ) -> CassandraSinkBuilder:
        """Sets the timestamp of writes; of two writes of a cell, the later write wins.

        Args:
            source: `"epoch"`, the default: rows have the time of their epoch, also if the epoch is repeated.
                `"server"`: rows have the time of their arrival, and a repeated epoch replaces newer writes of
                others.
            epoch_table: the table for the timestamps of epochs, as `table` or `keyspace.table`.

        >>> CassandraSink.for_table("a", "k", "t").with_write_timestamp("server")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', writeTimestamp='server')
        """
        table = {} if epoch_table is None else {"progressTable": epoch_table}
        return self._with(writeTimestamp=source, **table)

    def with_write_timestamp_column(self, column: str) -> CassandraSinkBuilder:
        """Sets the column with the write timestamp of a row, of type TIMESTAMP, or BIGINT in microseconds.

        >>> sink = CassandraSink.for_table("a", "k", "t").with_write_timestamp_column("at").build()
        >>> sink.options()["writeTimestamp"]
        'column at'
        """
        return self._with(writeTimestamp=f"column {string('column', column)}")

    def with_ttl(self, time: Duration) -> CassandraSinkBuilder:
        """Sets the time to live of written cells. The default is the table's time to live.

        Args:
            time: a `timedelta`, a string such as `"30d"`, or an int of milliseconds; whole seconds.

        >>> CassandraSink.for_table("a", "k", "t").with_ttl("30d")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', ttl='30d')
        """
        return self._with(ttl=duration_text("time", time))

    def with_ttl_column(self, column: str) -> CassandraSinkBuilder:
        """Sets the column with the time to live of a row's cells, in seconds.

        >>> CassandraSink.for_table("a", "k", "t").with_ttl_column("seconds")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', ttl='column seconds')
        """
        return self._with(ttl=f"column {string('column', column)}")

    def with_nulls(self, action: Literal["unset", "delete"]) -> CassandraSinkBuilder:
        """Sets the effect of a null on an existing cell; `"unset"` by default.

        Args:
            action: `"unset"` keeps the cell, `"delete"` deletes the cell by a tombstone.

        >>> CassandraSink.for_table("a", "k", "t").with_nulls("delete")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', nulls='delete')
        """
        return self._with(nulls=action)

    def with_max_in_flight(self, requests: int) -> CassandraSinkBuilder:
        """Limits the requests in flight of a task; 256 by default.

        >>> CassandraSink.for_table("a", "k", "t").with_max_in_flight(64)
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', maxInFlight='64')
        """
        return self._with(maxInFlight=count_text("requests", requests))

    def with_distribution(self, distribution: Literal["none", "byPartitionKey"]) -> CassandraSinkBuilder:
        """Sets the distribution of rows over the writing tasks; `"none"` by default: no shuffle.

        >>> CassandraSink.for_table("a", "k", "t").with_distribution("byPartitionKey")
        CassandraSinkBuilder(contactPoints='a', keyspace='k', table='t', distribution='byPartitionKey')
        """
        return self._with(distribution=distribution)

    def build(self) -> CassandraSink:
        """Returns the sink. In a classic session, the jar checks the options first.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without stoplog's jar, or without the connector's jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return CassandraSink(checked(self._state, "stoplog.cassandra.CassandraSink", FORMAT))


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSource(OptionBacked):
    """A table as a DataFrame.

    Created by `CassandraSource.for_table`; immutable, comparable, and usable for any number of reads.

    >>> CassandraSource.for_table("10.0.0.1", "shop", "orders").with_max_split_memory_size("128m").build()
    CassandraSource(contactPoints='10.0.0.1', keyspace='shop', table='orders', maxSplitMemorySize='128m')
    """

    @staticmethod
    def for_table(contact_points: str | Sequence[str], keyspace: str, table: str) -> CassandraSourceBuilder:
        """Creates a builder of a source for a table.

        Args:
            contact_points: some nodes, as `host` or `host:port`.
            keyspace: the keyspace of the table, verbatim, without quotes.
            table: the name of the table.

        >>> CassandraSource.for_table(["a", "b:9142"], "shop", "orders").build().options()
        {'contactPoints': 'a,b:9142', 'keyspace': 'shop', 'table': 'orders'}
        """
        return CassandraSourceBuilder(BuilderState.of({"table": _table(contact_points, keyspace, table)}))

    def read(self, spark: SparkSession) -> DataFrame:
        """Returns the table as a DataFrame, which reads the table's state at each action.

        Example:
            source.read(spark).where("customer = 7").show()
        """
        return spark.read.format(FORMAT).options(**self.options()).load()


@dataclass(frozen=True, slots=True, repr=False)
class CassandraSourceBuilder(_ClusterBuilder):
    """Builds a `CassandraSource`; created by `CassandraSource.for_table`.

    Immutable: each method returns a new builder. A repeated call of a method replaces the earlier values.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small, or for an empty name.
    """

    def with_consistency(self, level: str) -> CassandraSourceBuilder:
        """Sets the number of replicas that must respond to a read; `LOCAL_QUORUM` by default.

        >>> CassandraSource.for_table("a", "k", "t").with_consistency("ONE")
        CassandraSourceBuilder(contactPoints='a', keyspace='k', table='t', consistency='ONE')
        """
        return self._with(consistency=level)

    def with_column_mapping(self, columns: Mapping[str, str]) -> CassandraSourceBuilder:
        """Maps columns of the rows to columns of the table with different names: rows' name to table's name.

        >>> CassandraSource.for_table("a", "k", "t").with_column_mapping({"orderId": "order_id"})
        CassandraSourceBuilder(contactPoints='a', keyspace='k', table='t', columnMapping='orderId=order_id')
        """
        return self._with(columnMapping=_mapping(columns))

    def with_max_split_memory_size(self, size: Size) -> CassandraSourceBuilder:
        """Sets the approximate size of a split of the table; `"64m"` by default.

        Args:
            size: a string such as `"256m"`, or an int of bytes.

        >>> CassandraSource.for_table("a", "k", "t").with_max_split_memory_size("256m")
        CassandraSourceBuilder(contactPoints='a', keyspace='k', table='t', maxSplitMemorySize='256m')
        """
        return self._with(maxSplitMemorySize=size_text("size", size))

    def with_page_rows(self, rows: int) -> CassandraSourceBuilder:
        """Sets the number of rows in one request; 5000 by default.

        >>> CassandraSource.for_table("a", "k", "t").with_page_rows(1000)
        CassandraSourceBuilder(contactPoints='a', keyspace='k', table='t', \
datastax-java-driver.basic.request.page-size='1000')
        """
        return self._with(**{f"{_DRIVER}.request.page-size": count_text("rows", rows)})

    def build(self) -> CassandraSource:
        """Returns the source. In a classic session, the jar checks the options first.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without stoplog's jar, or without the connector's jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return CassandraSource(checked(self._state, "stoplog.cassandra.CassandraSource", FORMAT))


def _table(contact_points: str | Sequence[str], keyspace: str, table: str) -> dict[str, str]:
    return {"contactPoints": _points("for_table", contact_points), "keyspace": keyspace, "table": table}


def _points(method: str, contact_points: str | Sequence[str]) -> str:
    return ",".join(names_of(method, "node", [contact_points]))


def _mapping(columns: Mapping[str, str]) -> str:
    pairs = [
        (string("a column", row), string("a column", table))
        for row, table in mapping("columns", columns).items()
    ]
    for name in (name for pair in pairs for name in pair if {",", "="} & set(name)):
        raise ValueError(f"the name of a mapped column must not contain a comma or an equals sign: {name!r}")
    return ",".join(f"{row}={table}" for row, table in pairs)
