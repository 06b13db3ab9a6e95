# SPDX-License-Identifier: Apache-2.0
"""Rows sent to systems that have neither transactions nor keys, out of a log.

The session needs the jar `stoplog-wal` besides stoplog's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._builder import Builder, BuilderState, Sink, checked
from stoplog._values import Value, count_text, names_of, option_name, path_text

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

FORMAT = "stoplog-wal"
"""The name by which Spark finds the connector, and that of its artifact."""


@dataclass(frozen=True, slots=True, repr=False)
class WriteAheadSink(Sink):
    """A target to which rows are sent out of a log: at least once, exactly once where the target helps.

    Made by `WriteAheadSink.to_http`, `to_jdbc`, `to_cassandra` or `to_sender`; immutable and comparable.

    >>> WriteAheadSink.to_http("https://example.com/rows").with_batch_rows(100).build()
    WriteAheadSink(sender='http', url='https://example.com/rows', httpBatchRows='100')
    """

    _format = FORMAT

    @staticmethod
    def to_http(url: str) -> WriteAheadSinkBuilder:
        """Posts rows as JSON lines, with an `Idempotency-Key` that is the same each time they are sent.

        Args:
            url: of `http` or `https`.

        >>> WriteAheadSink.to_http("https://example.com/rows").build().options()
        {'sender': 'http', 'url': 'https://example.com/rows'}
        """
        return WriteAheadSinkBuilder(BuilderState.of({"sender": {"sender": "http", "url": url}}))

    @staticmethod
    def to_jdbc(url: str, table: str) -> WriteAheadSinkBuilder:
        """Writes rows to a table of a database, exactly once.

        Each chunk of rows is one transaction with its note in the table `stoplog_chunks` there. With another
        committer the note is made apart, and a chunk that was on its way may come twice. The session needs
        the jar `stoplog-jdbc` and the database's driver as well.

        Args:
            url: of the database, such as `jdbc:postgresql://db/shop`.
            table: as SQL names it; it must exist. Columns are found by their names.

        >>> WriteAheadSink.to_jdbc("jdbc:derby:shop", "orders").with_jdbc_option("keyColumns", "id").build()
        WriteAheadSink(sender='jdbc', jdbc.url='jdbc:derby:shop', jdbc.dbtable='orders', committer='jdbc', \
jdbc.keyColumns='id')
        """
        target = {"sender": "jdbc", "jdbc.url": url, "jdbc.dbtable": table}
        return WriteAheadSinkBuilder(BuilderState.of({"sender": target, "committer": {"committer": "jdbc"}}))

    @staticmethod
    def to_cassandra(contact_points: str | Sequence[str], keyspace: str, table: str) -> WriteAheadSinkBuilder:
        """Writes rows to a table of Cassandra's by their keys, effectively once.

        Rows have the write timestamp of their epoch, however often they are sent. What was sent is noted in
        the table `stoplog_chunks` of the keyspace. The session needs the jar `stoplog-cassandra` as well.

        Args:
            contact_points: some nodes, as `host` or `host:port`.
            keyspace: in upper or lower case as it is.
            table: the name of the table; it must exist.

        >>> sink = WriteAheadSink.to_cassandra(["10.0.0.1", "10.0.0.2"], "shop", "orders").build()
        >>> sink.options()["cassandra.contactPoints"]
        '10.0.0.1,10.0.0.2'
        """
        target = {
            "sender": "cassandra",
            "cassandra.contactPoints": ",".join(names_of("to_cassandra", "node", [contact_points])),
            "cassandra.keyspace": keyspace,
            "cassandra.table": table,
        }
        return WriteAheadSinkBuilder(
            BuilderState.of({"sender": target, "committer": {"committer": "cassandra"}})
        )

    @staticmethod
    def to_sender(class_name: str) -> WriteAheadSinkBuilder:
        """Sends rows by a class of your own.

        Args:
            class_name: of a class on Spark's class path that extends `stoplog.wal.RowSender`.
        """
        return WriteAheadSinkBuilder(BuilderState.of({"sender": {"sender": class_name}}))

    def write(self, df: DataFrame) -> None:
        """Writes a batch; the sink needs `with_log_location`.

        Args:
            df: a DataFrame that is not streaming.
        """
        self._write(df, "append")


@dataclass(frozen=True, slots=True, repr=False)
class WriteAheadSinkBuilder(Builder):
    """Builds a `WriteAheadSink`; made by its static methods.

    Immutable: each method returns a new builder. Calling a method again replaces what it set before.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small or a name that is empty.
    """

    def with_header(self, name: str, value: str) -> WriteAheadSinkBuilder:
        """Sets a header of each request of `to_http`.

        >>> WriteAheadSink.to_http("https://example.com").with_header("X-Token", "hunter2")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', httpHeader.X-Token='…')
        """
        return self._with(f"header {option_name(name).lower()}", **{f"httpHeader.{name}": value})

    def with_batch_rows(self, rows: int) -> WriteAheadSinkBuilder:
        """Limits the rows of a request of `to_http`; 500 by default.

        >>> WriteAheadSink.to_http("https://example.com").with_batch_rows(100)
        WriteAheadSinkBuilder(sender='http', url='https://example.com', httpBatchRows='100')
        """
        return self._with(httpBatchRows=count_text("rows", rows))

    def with_committer(self, committer: str) -> WriteAheadSinkBuilder:
        """Sets the committer, which remembers the rows that have been sent.

        By default files in the sink's log; for `to_jdbc` and `to_cassandra` a table there.

        Args:
            committer: `"files"`, `"jdbc"`, `"cassandra"`, or the name of a class on Spark's class path that
                extends `stoplog.wal.CheckpointCommitters`.

        >>> sink = WriteAheadSink.to_http("https://example.com/rows").with_committer("jdbc")
        >>> sink.with_jdbc_option("url", "jdbc:derby:notes").build().options()["committer"]
        'jdbc'
        """
        return self._with(committer=committer)

    def with_target_moved_from(self, target: str) -> WriteAheadSinkBuilder:
        """Names the former target, if the target has moved: rows in the log go to the target of this run.

        Args:
            target: as `STOPLOG_WAL_TARGET_CHANGED` names it.

        >>> WriteAheadSink.to_http("https://example.com").with_target_moved_from("https://old.example.com")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', \
targetMovedFrom='https://old.example.com')
        """
        return self._with(targetMovedFrom=target)

    def with_jdbc_option(self, key: str, value: Value) -> WriteAheadSinkBuilder:
        """Sets an option of the sender and the committer `jdbc`.

        Args:
            key: as in `docs/reference/jdbc-options.md`: `user`, `keyColumns`, or a property of the driver.
            value: its value.

        >>> WriteAheadSink.to_jdbc("jdbc:derby:shop", "orders").with_jdbc_option("password", "hunter2")
        WriteAheadSinkBuilder(sender='jdbc', jdbc.url='jdbc:derby:shop', jdbc.dbtable='orders', \
committer='jdbc', jdbc.password='…')
        """
        return self.with_option(f"jdbc.{key}", value)

    def with_cassandra_option(self, key: str, value: Value) -> WriteAheadSinkBuilder:
        """Sets an option of the sender and the committer `cassandra`.

        Args:
            key: as in `docs/reference/cassandra-options.md`, or `datastax-java-driver.…` of the driver.
            value: its value.
        """
        return self.with_option(f"cassandra.{key}", value)

    def with_sink_id(self, sink_id: str) -> WriteAheadSinkBuilder:
        """Sets the sink id; sinks that keep their logs at one place need one each. `main` by default.

        >>> WriteAheadSink.to_http("https://example.com").with_sink_id("eu")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', sinkId='eu')
        """
        return self._with(sinkId=sink_id)

    def with_log_location(self, directory: str | os.PathLike[str]) -> WriteAheadSinkBuilder:
        """Sets the directory of the log; by default in the query's checkpoint.

        >>> WriteAheadSink.to_http("https://example.com").with_log_location("/log")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', logLocation='/log')
        """
        return self._with(logLocation=path_text(directory))

    def with_option(self, key: str, value: Value) -> WriteAheadSinkBuilder:
        """Sets any option by its own name: of the sink, of the sender or of the committer.

        >>> WriteAheadSink.to_http("https://example.com").with_option("httpTimeout", "5s")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', httpTimeout='5s')
        """
        return self._with_option(key, value)

    def build(self) -> WriteAheadSink:
        """The sink as set so far, checked by the jar when a classic session is active.

        On Spark Connect, or before a session is started, the options are checked when it is written to.

        Raises:
            InvalidOptions: an option was given two values, or the jar refused some options.
            JarMissing: the active session runs without stoplog's jar, or without that of this connector.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return WriteAheadSink(checked(self._state, "stoplog.wal.WriteAheadSink", FORMAT))
