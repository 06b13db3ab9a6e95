# SPDX-License-Identifier: Apache-2.0
"""Database tables as sinks, by upserts or by exactly-once inserts.

In addition to stoplog's own jar, the session needs the jar `stoplog-jdbc` and the database's driver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from stoplog._options.builder import Builder, BuilderState, checked
from stoplog._text.values import Duration, Value, columns_text, count_text, duration_text, names_of
from stoplog.sink.base import Sink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame

FORMAT = "stoplog-jdbc"
"""The name of the connector in Spark, and of its artifact."""


@dataclass(frozen=True, slots=True, repr=False)
class JdbcSink(Sink):
    """A database table as a sink.

    Created by `JdbcSink.for_table`; immutable, comparable, and usable for any number of queries with
    different tables or sink ids.

    >>> sink = JdbcSink.for_table("jdbc:postgresql://db/shop", "orders").with_upsert("day", "id").build()
    >>> sink
    JdbcSink(url='jdbc:postgresql://db/shop', dbtable='orders', keyColumns='day,id')
    """

    _format = FORMAT

    @staticmethod
    def for_table(url: str, table: str) -> JdbcSinkBuilder:
        """Creates a builder of a sink.

        Args:
            url: the URL of the database, such as `jdbc:postgresql://db/shop`.
            table: the name of an existing table, in SQL syntax. Columns are matched by name.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").build().options()
        {'url': 'jdbc:derby:shop', 'dbtable': 'orders'}
        """
        return JdbcSinkBuilder(BuilderState.of({"table": {"url": url, "dbtable": table}}))

    def write(self, df: DataFrame, mode: Literal["append", "overwrite"] = "append") -> None:
        """Writes a batch. With transactions, either all rows of the batch become visible or none.

        Args:
            df: a batch DataFrame.
            mode: `"append"` adds or upserts rows. `"overwrite"` replaces all rows of the table in one
                transaction; upserts reject `"overwrite"`.

        Example:
            sink.write(spark.table("orders_of_today"))
        """
        self._write(df, mode)


@dataclass(frozen=True, slots=True, repr=False)
class JdbcSinkBuilder(Builder):
    """Builds a `JdbcSink`; created by `JdbcSink.for_table`.

    Immutable: each method returns a new builder. A repeated call of a method replaces the earlier values.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small, or for an empty name.

    >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_credentials("shop", "hunter2")
    JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', user='shop', password='…')
    """

    _direction = "jdbc"

    def with_credentials(self, user: str, password: str) -> JdbcSinkBuilder:
        """Sets the user and the password of the connections."""
        return self._with(user=user, password=password)

    def with_upsert(self, *key_columns: str | Iterable[str]) -> JdbcSinkBuilder:
        """Upserts rows: a row replaces the row with the same key, and repeated epochs have no effect.

        Args:
            key_columns: the columns of the primary key or of a unique index, as arguments or as a list.

        Raises:
            ValueError: no column was given.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_upsert("day", "id")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', keyColumns='day,id')
        """
        names = names_of("with_upsert", "column", key_columns)
        return self._with(keyColumns=columns_text(names))

    def with_version_column(self, column: str) -> JdbcSinkBuilder:
        """Sets the column that decides which of two rows with the same key is newer. Only for upserts.

        An existing row is replaced only by a row with a greater value in this column.

        >>> JdbcSink.for_table("jdbc:h2:a", "t").with_upsert("id").with_version_column("at").build()
        JdbcSink(url='jdbc:h2:a', dbtable='t', keyColumns='id', versionColumn='at')
        """
        return self._with(versionColumn=column)

    def with_transactions(self) -> JdbcSinkBuilder:
        """Inserts the rows of each epoch exactly once, in one transaction with the epoch's number.

        The default.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_transactions()
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders')
        """
        return replace(self, _state=self._state.without_options("keyColumns", "versionColumn"))

    def with_batch_size(self, rows: int) -> JdbcSinkBuilder:
        """Sets the number of rows in a task's batches; 5,000 by default.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_batch_size(1000)
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', batchsize='1000')
        """
        return self._with(batchsize=count_text("rows", rows))

    def with_max_writers(self, count: int) -> JdbcSinkBuilder:
        """Limits the number of writing tasks, and of their connections.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_max_writers(4)
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', numPartitions='4')
        """
        return self._with(numPartitions=count_text("count", count))

    def with_retry_timeout(self, timeout: Duration) -> JdbcSinkBuilder:
        """Limits the time of retries after transient failures; ten seconds by default.

        Args:
            timeout: a `timedelta`, a string such as `"2m"`, or an int of milliseconds.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_retry_timeout("2m")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', retryTimeout='2m')
        """
        return self._with(retryTimeout=duration_text("timeout", timeout))

    def with_reject_table(self, table: str) -> JdbcSinkBuilder:
        """Writes rows that the table rejects to a reject table; by default such rows fail the query.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_reject_table("refused")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', onBadRow='reject', rejectTable='refused')
        """
        return self._with(onBadRow="reject", rejectTable=table)

    def with_sink_id(self, sink_id: str) -> JdbcSinkBuilder:
        """Sets the sink id; queries that write to one table need different ids. The default is `main`.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_sink_id("eu")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', sinkId='eu')
        """
        return self._with(sinkId=sink_id)

    def with_on_foreign_query(self, choice: Literal["fail", "adopt", "adoptAndRepeat"]) -> JdbcSinkBuilder:
        """Sets the reaction to a sink of another query, or to a sink without a record of this query.

        `"fail"` by default. `"adopt"` takes over the sink if this query has passed all recorded epochs.
        `"adoptAndRepeat"` also writes epochs again that are in the table, and is valid for one start.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_on_foreign_query("adopt")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', onForeignQuery='adopt')
        """
        return self._with(onForeignQuery=choice)

    def with_option(self, key: str, value: Value) -> JdbcSinkBuilder:
        """Sets any option by its name: an option of the sink, or a property of the database's driver.

        >>> JdbcSink.for_table("jdbc:postgresql://db/shop", "t").with_option("ssl", True).build()
        JdbcSink(url='jdbc:postgresql://db/shop', dbtable='t', ssl='true')
        """
        return self._with_option(key, value)

    def build(self) -> JdbcSink:
        """Returns the sink. In a classic session, the jar checks the options first.

        On Spark Connect, or before the start of a session, the options are checked at the first write.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without stoplog's jar, or without the connector's jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return JdbcSink(checked(self._state, "stoplog.jdbc.JdbcSink", FORMAT))
