# SPDX-License-Identifier: Apache-2.0
"""The file sink: its options, and its streaming and batch writes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._options.builder import FORMAT, BuilderState, checked
from stoplog._sink import Sink
from stoplog._sink_methods import FileSinkMethods
from stoplog._text.values import path_text
from stoplog.bulk import BulkFormat
from stoplog.encoder import Encoder
from stoplog.preflight import Preflight, check_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FACADE = "stoplog.FileSink"
"""The class of the jar that defines the options of a file sink."""

SaveMode: TypeAlias = Literal["append", "overwrite"]
"""Spark rejects all other modes for sinks of this kind."""


@dataclass(frozen=True, slots=True, repr=False)
class FileSink(Sink):
    """Rolling files in buckets: exactly one finished file contains each row.

    Created by `FileSink.for_row_format`; immutable, comparable, and usable for any number of queries with
    different paths or sink ids.

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
    _layout = (
        "set the partition columns on the sink, by with_partition_by(…) of its builder "
        "or set_option('partitionBy', …)"
    )

    @staticmethod
    def for_row_format(base_path: str | os.PathLike[str], encoder: Encoder | str) -> FileSinkBuilder:
        """Creates a builder of a sink that writes row by row.

        Args:
            base_path: the directory of the buckets; a path or a URI.
            encoder: a row format, or `"text"`, `"json"` or `"csv"` for a format without options.

        Raises:
            ValueError: the encoder is a string but not the name of a row format.

        >>> FileSink.for_row_format("/data/out", "csv").build().options()
        {'path': '/data/out', 'format': 'csv'}
        """
        return _builder(base_path, Encoder.of(encoder).options())

    @staticmethod
    def for_bulk_format(base_path: str | os.PathLike[str], bulk_format: BulkFormat | str) -> FileSinkBuilder:
        """Creates a builder of a sink that writes blocks of rows.

        Parts stay open across micro-batches, as in row formats; the rolling policy closes the parts.

        Args:
            base_path: the directory of the buckets; a path or a URI.
            bulk_format: a format, or `"parquet"`, `"orc"`, `"avro"` or `"sequencefile"` for a format without
                options.

        Raises:
            ValueError: the format is a string but not the name of a bulk format.

        >>> FileSink.for_bulk_format("/data/out", "parquet").build().options()
        {'path': '/data/out', 'format': 'parquet'}
        """
        return _builder(base_path, BulkFormat.of(bulk_format).options())

    def write(self, df: DataFrame, mode: SaveMode = "append") -> None:
        """Writes a batch; either all its files become visible or none.

        Args:
            df: a batch DataFrame.
            mode: `"append"` adds files, `"overwrite"` replaces all files of the directory, or the partitions
                that `with_replace_where` or `with_partition_overwrite_mode` selects.

        Example:
            sink.write(spark.range(10).selectExpr("cast(id as string) as value"))
        """
        self._write(df, mode)

    def check(self, df: DataFrame) -> Preflight:
        """Checks for problems that prevent a query's start or cause surprises later; starts no query.

        Checks the columns, the names, other sinks under the same path, and the versions of libraries. Also
        tests the storage in a separate directory under `_stoplog`.

        Args:
            df: the rows that the query will write. For a batch, Spark computes the first hundred rows to find
                their buckets; a stream is not started.

        Raises:
            ConnectUnsupported: the session is a Spark Connect session.
            NoSession: there is no session.

        Example:
            found = sink.check(events)
            print(found)
            assert found.is_ready
        """
        return check_options(df, self.options())


@dataclass(frozen=True, slots=True, repr=False)
class FileSinkBuilder(FileSinkMethods):
    """Builds a `FileSink`; created by `FileSink.for_row_format`.

    Immutable: each method returns a new builder, so that several sinks can share a builder. A repeated call
    of a method replaces all earlier values of the method. For an option that is not set, the session's
    default applies (`spark.datasource.stoplog.<option>`), or else the default named here.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small, or for an empty name.

    >>> base = FileSink.for_row_format("/data/out", "json")
    >>> base.with_compression("zstd").with_sink_id("clicks").build()
    FileSink(path='/data/out', format='json', compression='zstd', sinkId='clicks')
    """

    def build(self) -> FileSink:
        """Returns the sink. In a classic session, the jar checks the options first.

        On Spark Connect, or before the start of a session, the options are checked at the start of the query.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without the jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return FileSink(checked(self._state, FACADE))


def _builder(base_path: str | os.PathLike[str], format_options: dict[str, str]) -> FileSinkBuilder:
    return FileSinkBuilder(
        BuilderState.of({"path": {"path": path_text(base_path)}, "encoder": format_options})
    )
