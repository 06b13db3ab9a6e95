# SPDX-License-Identifier: Apache-2.0
"""The sink of files: its options, and the two ways to write to it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._builder import FORMAT, BuilderState, Sink, checked
from stoplog._sink_methods import FileSinkMethods
from stoplog._values import path_text
from stoplog.bulk import BulkFormat
from stoplog.encoder import Encoder
from stoplog.preflight import Preflight, check_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FACADE = "stoplog.FileSink"
"""The class of the jar that knows the options of a sink of files."""

SaveMode: TypeAlias = Literal["append", "overwrite"]
"""Spark refuses its other modes for sinks of this kind."""


@dataclass(frozen=True, slots=True, repr=False)
class FileSink(Sink):
    """Rolling files in buckets, each row in exactly one finished file.

    Made by `FileSink.for_row_format`; immutable, comparable, and good for any number of queries that
    differ in path or sink id.

    >>> from stoplog import DefaultRollingPolicy
    >>> sink = (
    ...     FileSink.for_row_format("/data/out", Encoder.json())
    ...     .with_rolling_policy(DefaultRollingPolicy.builder().with_max_part_size("64m").build())
    ...     .build()
    ... )
    >>> sink
    FileSink(path='/data/out', format='json', rollingPolicy='default', maxPartSize='64m')
    """

    _format = FORMAT

    @staticmethod
    def for_row_format(base_path: str | os.PathLike[str], encoder: Encoder | str) -> FileSinkBuilder:
        """Starts a sink that writes row by row.

        Args:
            base_path: the directory under which buckets are made; a path or a URI.
            encoder: a row format, or `"text"`, `"json"` or `"csv"` for one with no options.

        Raises:
            ValueError: the encoder is a string but not the name of a row format.

        >>> FileSink.for_row_format("/data/out", "csv").build().options()
        {'path': '/data/out', 'format': 'csv'}
        """
        return _builder(base_path, Encoder.of(encoder).options())

    @staticmethod
    def for_bulk_format(base_path: str | os.PathLike[str], bulk_format: BulkFormat | str) -> FileSinkBuilder:
        """Starts a sink that writes many rows together.

        Its parts stay open across micro-batches like any other; the policy says when they end.

        Args:
            base_path: the directory under which buckets are made; a path or a URI.
            bulk_format: a format, or `"parquet"`, `"orc"`, `"avro"` or `"sequencefile"` for one with no
                options.

        Raises:
            ValueError: the format is a string but not the name of a bulk format.

        >>> FileSink.for_bulk_format("/data/out", "parquet").build().options()
        {'path': '/data/out', 'format': 'parquet'}
        """
        return _builder(base_path, BulkFormat.of(bulk_format).options())

    def write(self, df: DataFrame, mode: SaveMode = "append") -> None:
        """Writes a batch; all its files appear, or none.

        Args:
            df: a DataFrame that is not streaming.
            mode: `"append"` adds files, `"overwrite"` replaces all files of the directory.

        Example:
            sink.write(spark.range(10).selectExpr("cast(id as string) as value"))
        """
        self._write(df, mode)

    def check(self, df: DataFrame) -> Preflight:
        """Looks for problems that would keep a query from starting or surprise later; starts nothing.

        Looks at the columns, the names, the storage (which it tries in a directory of its own under
        `_stoplog`), other sinks under the same path, and the versions of libraries.

        Args:
            df: the rows that the query will write. Of a batch, Spark computes the first hundred rows, to
                see their buckets; a stream is not started.

        Raises:
            ConnectUnsupported: the session is Spark Connect's.
            NoSession: there is no session.

        Example:
            found = sink.check(events)
            print(found)
            assert found.is_ready
        """
        return check_options(df, self.options())


@dataclass(frozen=True, slots=True, repr=False)
class FileSinkBuilder(FileSinkMethods):
    """Builds a `FileSink`; made by `FileSink.for_row_format`.

    Immutable: each method returns a new builder, so one builder can be the start of several sinks.
    Calling a method again replaces all that it set before. An option that is not set is left to the session's
    default (`spark.datasource.stoplog.<option>`) or else to the one named here.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small or a name that is empty.

    >>> base = FileSink.for_row_format("/data/out", "json")
    >>> base.with_compression("zstd").with_sink_id("clicks").build()
    FileSink(path='/data/out', format='json', compression='zstd', sinkId='clicks')
    """

    def build(self) -> FileSink:
        """The sink as set so far, checked by the jar when a classic session is active.

        On Spark Connect, or before a session is started, the options are checked when the query starts.

        Raises:
            InvalidOptions: an option was given two values, or the jar refused some options.
            JarMissing: the active session runs without the jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return FileSink(checked(self._state, FACADE))


def _builder(base_path: str | os.PathLike[str], format_options: dict[str, str]) -> FileSinkBuilder:
    return FileSinkBuilder(
        BuilderState.of({"path": {"path": path_text(base_path)}, "encoder": format_options})
    )
