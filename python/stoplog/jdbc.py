# SPDX-License-Identifier: Apache-2.0
"""Tables of databases, by upserts or by exactly-once inserts.

The session needs the jar `stoplog-jdbc` and the database's driver besides stoplog's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stoplog._builder import Builder, BuilderState, Sink, checked
from stoplog._values import Duration, Value, columns_text, count_text, duration_text, names_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame

FORMAT = "stoplog-jdbc"
"""The name by which Spark finds the connector, and that of its artifact."""


@dataclass(frozen=True, slots=True, repr=False)
class JdbcSink(Sink):
    """A table of a database.

    Made by `JdbcSink.for_table`; immutable, comparable, and good for any number of queries that differ in
    table or sink id.

    >>> sink = JdbcSink.for_table("jdbc:postgresql://db/shop", "orders").with_upsert("day", "id").build()
    >>> sink
    JdbcSink(url='jdbc:postgresql://db/shop', dbtable='orders', writeMode='upsert', keyColumns='day,id')
    """

    _format = FORMAT

    @staticmethod
    def for_table(url: str, table: str) -> JdbcSinkBuilder:
        """Starts a sink.

        Args:
            url: of the database, such as `jdbc:postgresql://db/shop`.
            table: as SQL names it; it must exist. Columns are found by their names.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").build().options()
        {'url': 'jdbc:derby:shop', 'dbtable': 'orders'}
        """
        return JdbcSinkBuilder(BuilderState.of({"table": {"url": url, "dbtable": table}}))

    def write(self, df: DataFrame, mode: Literal["append", "overwrite"] = "append") -> None:
        """Writes a batch. With transactions, all its rows appear at once or none.

        Args:
            df: a DataFrame that is not streaming.
            mode: `"append"` adds rows, or upserts them; `"overwrite"` replaces all rows of the table in one
                transaction, and upserts refuse it.

        Example:
            sink.write(spark.table("orders_of_today"))
        """
        self._write(df, mode)


@dataclass(frozen=True, slots=True, repr=False)
class JdbcSinkBuilder(Builder):
    """Builds a `JdbcSink`; made by `JdbcSink.for_table`.

    Immutable: each method returns a new builder. Calling a method again replaces what it set before.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small or a name that is empty.

    >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_credentials("shop", "hunter2")
    JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', user='shop', password='…')
    """

    def with_credentials(self, user: str, password: str) -> JdbcSinkBuilder:
        """Sets the user of the connections, and its password."""
        return self._with(user=user, password=password)

    def with_upsert(self, *key_columns: str | Iterable[str]) -> JdbcSinkBuilder:
        """Lets a row take the place of the one with the same key; repeated epochs change nothing.

        Args:
            key_columns: the primary key of the table, or a unique index; a list of columns will do.

        Raises:
            ValueError: no column was named.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_upsert("day", "id")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', writeMode='upsert', keyColumns='day,id')
        """
        names = names_of("with_upsert", "column", key_columns)
        return self._with(writeMode="upsert", keyColumns=columns_text(names))

    def with_transactions(self) -> JdbcSinkBuilder:
        """Inserts rows, each epoch in one transaction that records it: exactly once. The default.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_transactions()
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', writeMode='transactional')
        """
        return self._with(writeMode="transactional")

    def with_batch_size(self, rows: int) -> JdbcSinkBuilder:
        """Sets the number of rows that a task sends together; 5,000 by default.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_batch_size(1000)
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', batchsize='1000')
        """
        return self._with(batchsize=count_text("rows", rows))

    def with_max_writers(self, count: int) -> JdbcSinkBuilder:
        """Limits the tasks that write, and with them the connections.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_max_writers(4)
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', numPartitions='4')
        """
        return self._with(numPartitions=count_text("count", count))

    def with_retries(self, max_tries: int, wait: Duration = "500ms") -> JdbcSinkBuilder:
        """Limits the tries of a request whose failure may pass.

        Args:
            max_tries: at most, the first try included; 5 by default.
            wait: the longest wait before the second try; twice as long before each further one.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_retries(3, "1s")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', maxTries='3', retryWait='1s')
        """
        return self._with(maxTries=count_text("max_tries", max_tries), retryWait=duration_text("wait", wait))

    def with_reject_table(self, table: str) -> JdbcSinkBuilder:
        """Sends rows that the table refuses to another one, and goes on; by default the query fails.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_reject_table("refused")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', onBadRow='reject', rejectTable='refused')
        """
        return self._with(onBadRow="reject", rejectTable=table)

    def with_sink_id(self, sink_id: str) -> JdbcSinkBuilder:
        """Sets the sink id; queries that write to one table need one each. `main` by default.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_sink_id("eu")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', sinkId='eu')
        """
        return self._with(sinkId=sink_id)

    def with_on_foreign_query(self, choice: Literal["fail", "adopt", "adoptAndRepeat"]) -> JdbcSinkBuilder:
        """Sets the reaction to a sink of another query, or one that is new to this query; fail by default.

        >>> JdbcSink.for_table("jdbc:derby:shop", "orders").with_on_foreign_query("adopt")
        JdbcSinkBuilder(url='jdbc:derby:shop', dbtable='orders', onForeignQuery='adopt')
        """
        return self._with(onForeignQuery=choice)

    def with_option(self, key: str, value: Value) -> JdbcSinkBuilder:
        """Sets any option by its own name: of the sink, or a property of the database's driver.

        >>> JdbcSink.for_table("jdbc:postgresql://db/shop", "t").with_option("ssl", True).build()
        JdbcSink(url='jdbc:postgresql://db/shop', dbtable='t', ssl='true')
        """
        return self._with_option(key, value)

    def build(self) -> JdbcSink:
        """The sink as set so far, checked by the jar when a classic session is active.

        On Spark Connect, or before a session is started, the options are checked when it is written to.

        Raises:
            InvalidOptions: an option was given two values, or the jar refused some options.
            JarMissing: the active session runs without stoplog's jar, or without that of this connector.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return JdbcSink(checked(self._state, "stoplog.jdbc.JdbcSink", FORMAT))
