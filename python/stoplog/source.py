# SPDX-License-Identifier: Apache-2.0
"""The source: what the options say, and the two ways to read from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._described import Described
from stoplog._formats import FILE_FORMATS, RECORD_FORMATS
from stoplog.bulk import BulkFormat
from stoplog.sink import FORMAT
from stoplog.stream_format import StreamFormat

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from stoplog._source_builder import FileSourceBuilder


@dataclass(frozen=True, slots=True, repr=False)
class FileSource(Described):
    """Files under a path as a stream or as a table, each record exactly once.

    Made by `FileSource.for_record_stream_format`; immutable, comparable, and good for any number of
    queries.

    >>> source = (
    ...     FileSource.for_record_stream_format(StreamFormat.json(), "/data/incoming")
    ...     .with_max_bytes_per_trigger("1g")
    ...     .monitor_continuously("10s")
    ...     .build()
    ... )
    >>> source
    FileSource(path='/data/incoming', format='json', maxBytesPerTrigger='1g', monitorInterval='10s')
    """

    @staticmethod
    def for_record_stream_format(
        stream_format: StreamFormat | str, *paths: str | os.PathLike[str]
    ) -> FileSourceBuilder:
        """Starts a source that reads record by record.

        Args:
            stream_format: how bytes become rows, or `"text"`, `"json"` or `"csv"`.
            paths: files, directories, or patterns such as `/data/2026-*`, all of one file system.

        Raises:
            ValueError: the format is a string but not the name of one, or no path was named.

        >>> FileSource.for_record_stream_format("text", "/data/logs").build().options()
        {'path': '/data/logs', 'format': 'text'}
        >>> FileSource.for_record_stream_format("text", "/data/eu", "/data/us").build().options()
        {'paths': '["/data/eu", "/data/us"]', 'format': 'text'}
        """
        from stoplog._source_builder import source_builder

        return source_builder(paths, StreamFormat.of(stream_format).options())

    @staticmethod
    def for_bulk_file_format(
        bulk_format: BulkFormat | str, *paths: str | os.PathLike[str]
    ) -> FileSourceBuilder:
        """Starts a source that reads many records together.

        Args:
            bulk_format: a format, such as `BulkFormat.parquet()`; or `"parquet"`, `"orc"`, `"avro"` or
                `"binaryFile"`; or the fully qualified name of a class on the session's class path that
                extends `stoplog.source.format.BulkFormat` and `stoplog.format.read.RowFormat`.
            paths: files, directories or patterns, all of one file system.

        Raises:
            ValueError: there is no such format, or no path was named.

        >>> FileSource.for_bulk_file_format(BulkFormat.parquet(), "/data/events").build().options()
        {'path': '/data/events', 'format': 'parquet'}
        """
        from stoplog._source_builder import source_builder

        if isinstance(bulk_format, BulkFormat):
            return source_builder(paths, bulk_format.options_to_read())
        if not isinstance(bulk_format, str):
            raise TypeError(f"bulk_format must be a BulkFormat or a string, not {bulk_format!r}")
        if bulk_format in RECORD_FORMATS:
            raise ValueError(
                f"{bulk_format!r} is read record by record: "
                f'use FileSource.for_record_stream_format({bulk_format!r}, "…")'
            )
        if bulk_format not in FILE_FORMATS and "." not in bulk_format:
            known = ", ".join(FILE_FORMATS)
            raise ValueError(f"{bulk_format!r} is not a bulk format: use one of {known}, or a class's name")
        return source_builder(paths, {"format": bulk_format})

    def options(self) -> dict[str, str]:
        """The options of `format("stoplog")` that this source stands for, as a new dict."""
        return dict(self._pairs)

    def read_stream(self, spark: SparkSession, schema: StructType | str | None = None) -> DataFrame:
        """The files as a streaming DataFrame.

        Args:
            spark: a session, classic or Connect.
            schema: the columns; text has its own, and files of blocks say which they have.

        Example:
            events = source.read_stream(spark, "at TIMESTAMP, message STRING")
        """
        reader = spark.readStream.format(FORMAT).options(**self.options())
        return (reader if schema is None else reader.schema(schema)).load()

    def read(self, spark: SparkSession, schema: StructType | str | None = None) -> DataFrame:
        """The files that are there now as a DataFrame.

        Args:
            spark: a session, classic or Connect.
            schema: the columns; text has its own, and files of blocks say which they have.

        Example:
            source.read(spark).count()
        """
        reader = spark.read.format(FORMAT).options(**self.options())
        return (reader if schema is None else reader.schema(schema)).load()
