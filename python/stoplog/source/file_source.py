# SPDX-License-Identifier: Apache-2.0
"""The file source: its options, and its streaming and batch reads."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from stoplog._functions.code import UserCode
from stoplog._functions.driver import found_by
from stoplog._functions.frame import FileReader
from stoplog._options.builder import FORMAT, BuilderState, OptionBacked, checked, required
from stoplog._options.formats import FILE_FORMATS, RECORD_FORMATS
from stoplog._text.values import (
    Duration,
    Size,
    Value,
    columns_text,
    count_text,
    duration_text,
    names_of,
    own_class,
    path_text,
    present,
    size_text,
)
from stoplog.bulk import BulkFormat
from stoplog.errors import InvalidOptions
from stoplog.source.selection import SelectionMethods
from stoplog.stream_format import StreamFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_TWO_FINDERS = "with_file_finder and the option fileEnumerator: remove one of the two."


@dataclass(frozen=True, slots=True, repr=False)
class FileSource(OptionBacked):
    """Files under a path as a stream or as a table, with exactly-once reads of each record.

    Created by `FileSource.for_record_stream_format`; immutable, comparable, and usable for any number of
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

    _reader: FileReader | None = None
    _finder: UserCode | None = None

    @staticmethod
    def for_record_stream_format(
        stream_format: StreamFormat | str, *paths: str | os.PathLike[str]
    ) -> FileSourceBuilder:
        """Creates a builder of a source that reads record by record.

        Args:
            stream_format: a record format, or `"text"`, `"json"`, `"csv"` or `"lengthDelimited"`.
            paths: files, directories, or patterns such as `/data/2026-*`, all in one file system.

        Raises:
            ValueError: the format is a string but not the name of a record format, or no path was given.

        >>> FileSource.for_record_stream_format("text", "/data/logs").build().options()
        {'path': '/data/logs', 'format': 'text'}
        >>> FileSource.for_record_stream_format("text", "/data/eu", "/data/us").build().options()
        {'paths': '["/data/eu", "/data/us"]', 'format': 'text'}
        """
        chosen = StreamFormat.of(stream_format)
        return _builder(paths, chosen.options(), chosen._reader)

    @staticmethod
    def for_bulk_file_format(
        bulk_format: BulkFormat | str, *paths: str | os.PathLike[str]
    ) -> FileSourceBuilder:
        """Creates a builder of a source that reads blocks of records.

        Args:
            bulk_format: a format, such as `BulkFormat.parquet()`; or `"parquet"`, `"orc"`, `"avro"` or
                `"binaryFile"`; or the fully qualified name of a class on the session's class path that
                extends `stoplog.source.format.BulkFormat` and `stoplog.format.read.RowFormat`.
            paths: files, directories or patterns, all in one file system.

        Raises:
            ValueError: there is no such format, or no path was given.

        >>> FileSource.for_bulk_file_format(BulkFormat.parquet(), "/data/events").build().options()
        {'path': '/data/events', 'format': 'parquet'}
        """
        if isinstance(bulk_format, BulkFormat):
            return _builder(paths, bulk_format.options_to_read())
        required(
            "for_bulk_file_format", bulk_format, BulkFormat | str, "create one with a method of BulkFormat"
        )
        if bulk_format in RECORD_FORMATS:
            raise ValueError(
                f"{bulk_format!r} is read record by record: "
                f'use FileSource.for_record_stream_format({bulk_format!r}, "…")'
            )
        if bulk_format not in FILE_FORMATS and "." not in bulk_format:
            known = ", ".join(FILE_FORMATS)
            raise ValueError(f"{bulk_format!r} is not a bulk format: use one of {known}, or a class's name")
        return _builder(paths, {"format": bulk_format})

    def read_stream(self, spark: SparkSession, schema: StructType | str | None = None) -> DataFrame:
        """Returns the files as a streaming DataFrame.

        Args:
            spark: a session, classic or Connect.
            schema: the columns. Text has a fixed column, and block formats store their columns in the files.

        Example:
            events = source.read_stream(spark, "at TIMESTAMP, message STRING")
        """
        return self._loaded(spark.readStream, schema)

    def read(self, spark: SparkSession, schema: StructType | str | None = None) -> DataFrame:
        """Returns the current files as a DataFrame.

        Args:
            spark: a session, classic or Connect.
            schema: the columns. Text has a fixed column, and block formats store their columns in the files.

        Example:
            source.read(spark).count()
        """
        return self._loaded(spark.read, schema)

    def _loaded(self, reader: Any, schema: StructType | str | None) -> DataFrame:
        if self._reader is not None and schema is not None:
            raise ValueError(
                "the columns of these files are the schema of StreamFormat.from_reader: leave the schema out"
            )
        options = self.options() | ({} if self._finder is None else found_by(self._finder, reader))
        reader = reader.format(FORMAT).options(**options)
        loaded: DataFrame = (reader if schema is None else reader.schema(schema)).load()
        return loaded if self._reader is None else self._reader.read(loaded)


@dataclass(frozen=True, slots=True, repr=False)
class FileSourceBuilder(SelectionMethods):
    """Builds a `FileSource`; created by `FileSource.for_record_stream_format`.

    Immutable: each method returns a new builder. A repeated call of a method replaces the earlier values.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small, or for an empty name.

    >>> FileSource.for_record_stream_format("text", "/data/logs").with_on_changed_file("tail").build()
    FileSource(path='/data/logs', format='text', onChangedFile='tail')
    """

    _reader: FileReader | None = None
    _finder: UserCode | None = None

    _direction = "source"

    def monitor_continuously(self, interval: Duration) -> FileSourceBuilder:
        """Limits directory listings to one for each interval. The default is one for each trigger.

        Args:
            interval: a `timedelta`, a string such as `"10s"`, or an int of milliseconds as in PyFlink.

        >>> FileSource.for_record_stream_format("text", "/in").monitor_continuously("10s")
        FileSourceBuilder(path='/in', format='text', monitorInterval='10s')
        """
        return self._with(monitorInterval=duration_text("interval", interval))

    def process_static_file_set(self) -> FileSourceBuilder:
        """Reverts `monitor_continuously`: `availableNow` reads the current files, and ends.

        >>> FileSource.for_record_stream_format("text", "/in").process_static_file_set()
        FileSourceBuilder(path='/in', format='text')
        """
        return replace(self, _state=self._state.without_options("monitorInterval"))

    def with_max_files_per_trigger(self, files: int) -> FileSourceBuilder:
        """Limits the files, or pieces of files, that a micro-batch reads.

        >>> FileSource.for_record_stream_format("text", "/in").with_max_files_per_trigger(100)
        FileSourceBuilder(path='/in', format='text', maxFilesPerTrigger='100')
        """
        return self._with(maxFilesPerTrigger=count_text("files", files))

    def with_max_bytes_per_trigger(self, size: Size) -> FileSourceBuilder:
        """Limits the bytes on storage that a micro-batch reads; several micro-batches read a larger file.

        Args:
            size: a string such as `"1g"`, or an int of bytes.

        >>> FileSource.for_record_stream_format("text", "/in").with_max_bytes_per_trigger("1g")
        FileSourceBuilder(path='/in', format='text', maxBytesPerTrigger='1g')
        """
        return self._with(maxBytesPerTrigger=size_text("size", size))

    def with_max_rows_per_trigger(self, rows: int) -> FileSourceBuilder:
        """Limits the rows that a micro-batch reads; a micro-batch reads at least one block of a block format.

        >>> FileSource.for_record_stream_format("text", "/in").with_max_rows_per_trigger(10_000)
        FileSourceBuilder(path='/in', format='text', maxRowsPerTrigger='10000')
        """
        return self._with(maxRowsPerTrigger=count_text("rows", rows))

    def with_on_changed_file(self, action: Literal["ignore", "reread", "tail"]) -> FileSourceBuilder:
        """Sets the reaction to a file that changed after it was read; `"ignore"` by default.

        Args:
            action: `"reread"` reads the whole file again. `"tail"` reads the complete lines that were
                appended to `text`, `json` or `csv` in UTF-8.

        >>> FileSource.for_record_stream_format("text", "/in").with_on_changed_file("reread")
        FileSourceBuilder(path='/in', format='text', onChangedFile='reread')
        """
        return self._with(onChangedFile=action)

    def with_file_enumerator(
        self, enumerator: str, parameters: Mapping[str, Value] | None = None
    ) -> FileSourceBuilder:
        """Sets the class that finds the files.

        Args:
            enumerator: `"blockSplitting"`, the default; `"nonSplitting"`, which does not split files; or the
                fully qualified name of a class on the session's class path that extends
                `stoplog.source.file.FileFinder`.
            parameters: the settings of the class, by name.

        >>> FileSource.for_record_stream_format("text", "/in").with_file_enumerator("nonSplitting")
        FileSourceBuilder(path='/in', format='text', fileEnumerator='nonSplitting')
        """
        return replace(self._with(**own_class("fileEnumerator", enumerator, parameters)), _finder=None)

    def with_file_finder(self, function: Callable[[str], Iterable[str]]) -> FileSourceBuilder:
        """Sets a Python function that finds the files, from a manifest, a database or an index.

        The function runs on the driver, in a Python process of the query, each time the source looks for
        files. It receives the path of the source and returns the paths of all files, also of files that it
        returned before: absolute, as a URI, also of `Path.as_uri`, or relative to the path of the source. The
        source skips paths without a file, and reads each file once. Filters of names and dates do not apply.

        Args:
            function: a function that cloudpickle can send to the driver, with the module of the function.

        Raises:
            TypeError: the function cannot be pickled, for example because it refers to a connection.

        Example:
            def from_manifest(path):
                with open(f"{path}/_manifest") as manifest:
                    return manifest.read().splitlines()

            builder.with_file_finder(from_manifest)
        """
        code = UserCode.of_function("with_file_finder", function)
        return replace(self, _state=self._state.without_group("fileEnumerator"), _finder=code)

    def set_file_enumerator(
        self, enumerator: str, parameters: Mapping[str, Value] | None = None
    ) -> FileSourceBuilder:
        """Sets the class that finds the files, under PyFlink's name."""
        return self.with_file_enumerator(enumerator, parameters)

    def with_partition_columns(self, *columns: str | Iterable[str]) -> FileSourceBuilder:
        """Sets the partition columns in the names of directories, such as `day=2026-11-21`.

        Required only if no directory contains the columns when the query starts.

        >>> FileSource.for_record_stream_format("csv", "/in").with_partition_columns("day", "hour").build()
        FileSource(path='/in', format='csv', partitionColumns='day,hour')
        """
        names = names_of("with_partition_columns", "column", columns)
        return self._with(partitionColumns=columns_text(names))

    def with_on_merged_part(self, action: Literal["fail", "read", "skip"]) -> FileSourceBuilder:
        """Sets the reaction to a compacted file of a sink; `"fail"` by default.

        Args:
            action: `"read"` if compaction in the directory has ended, `"skip"` if the small files had been
                read.

        >>> FileSource.for_record_stream_format("text", "/in").with_on_merged_part("skip")
        FileSourceBuilder(path='/in', format='text', onMergedPart='skip')
        """
        return self._with(onMergedPart=action)

    def with_on_replaced_part(self, action: Literal["fail", "read", "skip"]) -> FileSourceBuilder:
        """Sets the reaction to a file of a job that replaced partitions; `"fail"` by default.

        Args:
            action: `"read"` if the query had not read the replaced rows, `"skip"` if it had.
        """
        return self._with(onReplacedPart=action)

    def with_quarantine(self, directory: str | os.PathLike[str]) -> FileSourceBuilder:
        """Skips bytes that cannot be decoded, and records them in a directory; by default the query fails.

        Args:
            directory: a directory for this query only; the records are lines of JSON.

        >>> FileSource.for_record_stream_format("text", "/in").with_quarantine("/bad")
        FileSourceBuilder(path='/in', format='text', quarantinePath='/bad')
        """
        return self._with(quarantinePath=path_text(directory))

    def with_read_quarantined(self, directory: str | os.PathLike[str]) -> FileSourceBuilder:
        """Reads only the data that an earlier query skipped, for example after a repair of the files.

        Together with the rows of the earlier query, each row is read once. Only for `FileSource.read`.

        Args:
            directory: the directory of `with_quarantine` in the earlier query.

        >>> FileSource.for_record_stream_format("text", "/in").with_read_quarantined("/bad")
        FileSourceBuilder(path='/in', format='text', readQuarantined='/bad')
        """
        return self._with(readQuarantined=path_text(directory))

    def with_clean_source(
        self,
        action: Literal["off", "archive", "delete"],
        archive_dir: str | os.PathLike[str] | None = None,
    ) -> FileSourceBuilder:
        """Sets the handling of a file after the commit of the micro-batch that read its end.

        The default is `"off"`. The source learns of the commit when Spark plans the next micro-batch, or when
        the query stops.

        Args:
            action: `"archive"` moves the file, `"delete"` deletes the file.
            archive_dir: the directory of archived files, on the same file system; required with `"archive"`.

        >>> builder = FileSource.for_record_stream_format("text", "/in")
        >>> builder.with_clean_source("archive", "/read")
        FileSourceBuilder(path='/in', format='text', cleanSource='archive', sourceArchiveDir='/read')
        """
        directory = None if archive_dir is None else path_text(archive_dir)
        return self._with(cleanSource=action, **present({"sourceArchiveDir": directory}))

    def with_option(self, key: str, value: Value) -> FileSourceBuilder:
        """Sets any option by its name, for options without a method.

        Args:
            key: the option's name, case-insensitive.
            value: the value; `True` and `False` become `true` and `false`.

        >>> builder = FileSource.for_record_stream_format("text", "/in")
        >>> builder.with_option("recursiveFileLookup", False).build()
        FileSource(path='/in', format='text', recursiveFileLookup='false')
        """
        return self._with_option(key, value)

    def build(self) -> FileSource:
        """Returns the source. In a classic session, the jar checks the options first.

        On Spark Connect, or before the start of a session, the options are checked at the first read.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without the jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        pairs = checked(self._state, "stoplog.FileSource")
        names = {key.lower() for key, _ in pairs}
        if self._finder is not None and "fileenumerator" in names:
            raise InvalidOptions("STOPLOG_INVALID_OPTIONS", _TWO_FINDERS)
        if self._reader is not None and "maxrowspertrigger" in names:
            raise InvalidOptions(
                "STOPLOG_INVALID_OPTIONS",
                f"{self._reader.code.owner} determines the rows of a file, which the source does not know: "
                "use with_max_files_per_trigger or with_max_bytes_per_trigger instead of a limit of rows.",
            )
        return FileSource(pairs, self._reader, self._finder)


def _builder(
    paths: Sequence[str | os.PathLike[str]],
    format_options: dict[str, str],
    reader: FileReader | None = None,
) -> FileSourceBuilder:
    """Returns a builder with only the paths and the format."""
    return FileSourceBuilder(BuilderState.of({"path": _located(paths), "format": format_options}), reader)


def _located(paths: Sequence[str | os.PathLike[str]]) -> dict[str, str]:
    """Returns the option for one path, or the option for several paths, which Spark sets for `load([…])`."""
    if not paths:
        raise ValueError("no path was named: name at least one file, directory or pattern")
    names = [path_text(path) for path in paths]
    return {"path": names[0]} if len(names) == 1 else {"paths": json.dumps(names)}
