# SPDX-License-Identifier: Apache-2.0
"""Sends rows from a log to systems that have neither transactions nor keys.

In addition to stoplog's own jar, the session needs the jar `stoplog-wal`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._options.builder import Builder, BuilderState, checked, required
from stoplog._python import carrier
from stoplog._python.sending import NotesSide, TargetSide
from stoplog._shared.this_python import python_options
from stoplog._text.values import Value, count_text, names_of, option_name, path_text
from stoplog.sink.base import Sink
from stoplog.write_ahead_target import CheckpointCommitter, WriteAheadTarget

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

FORMAT = "stoplog-wal"
"""The name of the connector in Spark, and of its artifact."""

_PYTHON_SENDER = "stoplog.wal.PythonSender"
_PYTHON_COMMITTERS = "stoplog.wal.PythonCommitters"


@dataclass(frozen=True, slots=True, repr=False)
class WriteAheadSink(Sink):
    """A target for rows from a log: at least once, or exactly once with the target's support.

    Created by `WriteAheadSink.to_http`, `to_jdbc`, `to_cassandra` or `to_sender`; immutable and comparable.

    >>> WriteAheadSink.to_http("https://example.com/rows").with_batch_rows(100).build()
    WriteAheadSink(sender='http', url='https://example.com/rows', httpBatchRows='100')
    """

    _format = FORMAT

    @staticmethod
    def to_http(url: str) -> WriteAheadSinkBuilder:
        """Posts rows as JSON lines, with an `Idempotency-Key` that is the same for repeated requests.

        Args:
            url: a URL with `http` or `https`.

        >>> WriteAheadSink.to_http("https://example.com/rows").build().options()
        {'sender': 'http', 'url': 'https://example.com/rows'}
        """
        return WriteAheadSinkBuilder(BuilderState.of({"sender": {"sender": "http", "url": url}}))

    @staticmethod
    def to_jdbc(url: str, table: str) -> WriteAheadSinkBuilder:
        """Writes rows to a database table, exactly once.

        Each chunk of rows is one transaction, which also records the chunk in the database's table
        `stoplog_chunks`. With another committer, chunks are recorded separately, and a chunk in flight may be
        written twice. The session also needs the jar `stoplog-jdbc` and the database's driver.

        Args:
            url: the URL of the database, such as `jdbc:postgresql://db/shop`.
            table: the name of an existing table, in SQL syntax. Columns are matched by name.

        >>> WriteAheadSink.to_jdbc("jdbc:derby:shop", "orders").with_jdbc_option("keyColumns", "id").build()
        WriteAheadSink(sender='jdbc', jdbc.url='jdbc:derby:shop', jdbc.dbtable='orders', committer='jdbc', \
jdbc.keyColumns='id')
        """
        target = {"sender": "jdbc", "jdbc.url": url, "jdbc.dbtable": table}
        return WriteAheadSinkBuilder(BuilderState.of({"sender": target, "committer": {"committer": "jdbc"}}))

    @staticmethod
    def to_cassandra(contact_points: str | Sequence[str], keyspace: str, table: str) -> WriteAheadSinkBuilder:
        """Writes rows to a Cassandra table by key, effectively once.

        Rows have the write timestamp of their epoch, also if they are sent repeatedly. The table
        `stoplog_chunks` of the keyspace records the sent chunks. The session also needs the jar
        `stoplog-cassandra`.

        Args:
            contact_points: some nodes, as `host` or `host:port`.
            keyspace: the keyspace of the table, case-sensitive.
            table: the name of an existing table.

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
        """Sends rows by a custom class.

        Args:
            class_name: the name of a class on Spark's class path that extends `stoplog.wal.RowSender`.

        >>> WriteAheadSink.to_sender("com.acme.ShopSender").build().options()["sender"]
        'com.acme.ShopSender'
        """
        return WriteAheadSinkBuilder(BuilderState.of({"sender": {"sender": class_name}}))

    @staticmethod
    def to_target(target: WriteAheadTarget) -> WriteAheadSinkBuilder:
        """Sends rows by a target in Python.

        Args:
            target: the target, whose class may be defined in a notebook.

        Raises:
            TypeError: the value is no object of a `WriteAheadTarget`, or cannot be pickled.
            ValueError: an attribute of the target has the name of a secret.

        Example:
            sink = stoplog.WriteAheadSink.to_target(ShopTarget("https://shop.example")).build()
            sink.write_stream(orders, "/data/checkpoint").start()
        """
        made_by = "create an object of a class that extends WriteAheadTarget"
        required("to_target", target, WriteAheadTarget, made_by)
        name = carrier.name_of(target)
        options = {
            "sender": _PYTHON_SENDER,
            "sender.class": name,
            "sender.target": target.target or name,
            "sender.pickled": carrier.function_text(TargetSide(target), target),
        }
        return WriteAheadSinkBuilder(BuilderState.of({"sender": options}))

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """Returns the writer of a streaming query that is set to this sink, in append mode.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: the directory in which the query keeps its progress, and the sink its log.

        Returns:
            Spark's own writer, for a trigger, a query name and `start()`.
        """
        writer = super(WriteAheadSink, self).write_stream(self._rows(df), checkpoint_location)
        own = self._of_python(df)
        return writer.options(**own) if own else writer

    def write(self, df: DataFrame) -> None:
        """Writes a batch; the sink needs `with_log_location`.

        Args:
            df: a batch DataFrame.
        """
        WriteAheadSink((*self._pairs, *self._of_python(df).items()))._write(self._rows(df), "append")

    def _rows(self, df: DataFrame) -> DataFrame:
        from stoplog._python.frames import packed_frame

        return packed_frame(df) if dict(self._pairs)["sender"] == _PYTHON_SENDER else df

    def _of_python(self, df: DataFrame) -> dict[str, str]:
        used = {_PYTHON_SENDER, _PYTHON_COMMITTERS} & set(dict(self._pairs).values())
        return python_options(df) if used else {}


@dataclass(frozen=True, slots=True, repr=False)
class WriteAheadSinkBuilder(Builder):
    """Builds a `WriteAheadSink`; created by the sink's static methods.

    Immutable: each method returns a new builder. A repeated call of a method replaces the earlier values.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small, or for an empty name.
    """

    def with_header(self, name: str, value: str) -> WriteAheadSinkBuilder:
        """Sets a header of each request of `to_http`.

        >>> WriteAheadSink.to_http("https://example.com").with_header("X-Token", "hunter2")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', httpHeader.X-Token='…')
        """
        return self._with(f"header {option_name(name).lower()}", **{f"httpHeader.{name}": value})

    def with_batch_rows(self, rows: int) -> WriteAheadSinkBuilder:
        """Limits the rows in a request of `to_http`; 500 by default.

        >>> WriteAheadSink.to_http("https://example.com").with_batch_rows(100)
        WriteAheadSinkBuilder(sender='http', url='https://example.com', httpBatchRows='100')
        """
        return self._with(httpBatchRows=count_text("rows", rows))

    def with_committer(self, committer: str | CheckpointCommitter) -> WriteAheadSinkBuilder:
        """Sets the committer, which records the sent rows.

        The default is files in the sink's log; for `to_jdbc` and `to_cassandra`, a table in the target
        system.

        Args:
            committer: `"files"`, `"jdbc"`, `"cassandra"`, a `CheckpointCommitter` in Python, or the name of a
                class on Spark's class path that extends `stoplog.wal.CheckpointCommitters`.

        >>> sink = WriteAheadSink.to_http("https://example.com/rows").with_committer("jdbc")
        >>> sink.with_jdbc_option("url", "jdbc:derby:notes").build().options()["committer"]
        'jdbc'
        """
        made_by = "create an object of a class that extends CheckpointCommitter"
        required("with_committer", committer, str | CheckpointCommitter, made_by)
        if isinstance(committer, str):
            return self._with(committer=committer)
        options = {
            "committer.class": carrier.name_of(committer),
            "committer.pickled": carrier.function_text(NotesSide(committer), committer),
        }
        return self._with("committer", committer=_PYTHON_COMMITTERS, **options)

    def with_target_moved_from(self, target: str) -> WriteAheadSinkBuilder:
        """Sets the previous target of a moved target: rows in the log are sent to the current target.

        Args:
            target: the name of the target in the error `STOPLOG_WAL_TARGET_CHANGED`.

        >>> WriteAheadSink.to_http("https://example.com").with_target_moved_from("https://old.example.com")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', \
targetMovedFrom='https://old.example.com')
        """
        return self._with(targetMovedFrom=target)

    def with_jdbc_option(self, key: str, value: Value) -> WriteAheadSinkBuilder:
        """Sets an option of the sender and the committer `jdbc`.

        Args:
            key: an option in `docs/reference/jdbc-options.md`: `user`, `keyColumns`, or a property of the
                driver.
            value: the value of the option.

        >>> WriteAheadSink.to_jdbc("jdbc:derby:shop", "orders").with_jdbc_option("password", "hunter2")
        WriteAheadSinkBuilder(sender='jdbc', jdbc.url='jdbc:derby:shop', jdbc.dbtable='orders', \
committer='jdbc', jdbc.password='…')
        """
        return self.with_option(f"jdbc.{key}", value)

    def with_cassandra_option(self, key: str, value: Value) -> WriteAheadSinkBuilder:
        """Sets an option of the sender and the committer `cassandra`.

        Args:
            key: an option in `docs/reference/cassandra-options.md`, or `datastax-java-driver.…` for the
                driver.
            value: the value of the option.
        """
        return self.with_option(f"cassandra.{key}", value)

    def with_sink_id(self, sink_id: str) -> WriteAheadSinkBuilder:
        """Sets the sink id; sinks with the same log location need different ids. The default is `main`.

        >>> WriteAheadSink.to_http("https://example.com").with_sink_id("eu")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', sinkId='eu')
        """
        return self._with(sinkId=sink_id)

    def with_log_location(self, directory: str | os.PathLike[str]) -> WriteAheadSinkBuilder:
        """Sets the directory of the log. The default is the query's checkpoint.

        >>> WriteAheadSink.to_http("https://example.com").with_log_location("/log")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', logLocation='/log')
        """
        return self._with(logLocation=path_text(directory))

    def with_option(self, key: str, value: Value) -> WriteAheadSinkBuilder:
        """Sets any option by its name: an option of the sink, of the sender or of the committer.

        >>> WriteAheadSink.to_http("https://example.com").with_option("httpTimeout", "5s")
        WriteAheadSinkBuilder(sender='http', url='https://example.com', httpTimeout='5s')
        """
        return self._with_option(key, value)

    def build(self) -> WriteAheadSink:
        """Returns the sink. In a classic session, the jar checks the options first.

        On Spark Connect, or before the start of a session, the options are checked at the first write.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without stoplog's jar, or without the connector's jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return WriteAheadSink(checked(self._state, "stoplog.wal.WriteAheadSink", FORMAT))
