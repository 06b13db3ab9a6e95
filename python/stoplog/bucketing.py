# SPDX-License-Identifier: Apache-2.0
"""Flink's `BucketingSink` by its own names, over the sink of files."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stoplog._builder import BuilderState, checked, required
from stoplog._values import (
    Duration,
    Size,
    Value,
    duration_text,
    option_name,
    path_text,
    size_text,
    string,
    text_of,
)
from stoplog.bucket import BucketAssigner
from stoplog.encoder import Encoder
from stoplog.sink import FACADE, FileSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from typing_extensions import Self

__all__ = [
    "AvroKeyValueSinkWriter",
    "BasePathBucketer",
    "BucketingSink",
    "DateTimeBucketer",
    "SequenceFileWriter",
    "StringWriter",
]


@dataclass(frozen=True, slots=True)
class DateTimeBucketer:
    """Directories named after the time at which a row is written; one for each hour by default.

    Args:
        format_string: a pattern of Java's `DateTimeFormatter`; `yyyy-MM-dd--HH` by default.
        zone_id: the zone of the pattern's calendar and clock, such as `Europe/Berlin`; UTC by default, where
            Flink takes that of the machine.

    >>> DateTimeBucketer().options()
    {'bucketAssigner': 'dateTime', 'bucketFormat': 'yyyy-MM-dd--HH', 'bucketTimeZone': 'UTC'}
    """

    format_string: str = "yyyy-MM-dd--HH"
    zone_id: str = "UTC"

    def options(self) -> dict[str, str]:
        """The options that this bucketer stands for."""
        return {
            "bucketAssigner": "dateTime",
            "bucketFormat": self.format_string,
            "bucketTimeZone": self.zone_id,
        }


@dataclass(frozen=True, slots=True)
class BasePathBucketer:
    """No directories: all files lie right under the sink's path.

    >>> BasePathBucketer().options()
    {'bucketAssigner': 'basePath'}
    """

    def options(self) -> dict[str, str]:
        """The options that this bucketer stands for."""
        return {"bucketAssigner": "basePath"}


@dataclass(frozen=True, slots=True)
class StringWriter:
    """Lines of UTF-8: each row of one column of strings, and a line feed.

    >>> StringWriter().options()
    {'format': 'text'}
    """

    def options(self) -> dict[str, str]:
        """The options that this writer stands for."""
        return {"format": "text"}


@dataclass(frozen=True, slots=True)
class SequenceFileWriter:
    """Hadoop's SequenceFile, of one column of values, or of two: keys and values.

    Args:
        compression: a codec by its short name, such as `gzip`; not compressed by default.
        compression_type: `block` or `record`, where there is a codec.

    >>> SequenceFileWriter("gzip", "record").options()
    {'format': 'sequencefile', 'compression': 'gzip', 'compressionType': 'record'}
    """

    compression: str = "none"
    compression_type: str = "none"

    def options(self) -> dict[str, str]:
        """The options that this writer stands for."""
        return {
            "format": "sequencefile",
            "compression": self.compression,
            "compressionType": self.compression_type,
        }


@dataclass(frozen=True, slots=True)
class AvroKeyValueSinkWriter:
    """Avro files of pairs, as Hadoop's `AvroKeyValueOutputFormat` writes them, of columns `key` and `value`.

    Args:
        key_schema: of the keys, as JSON.
        value_schema: of the values. A record that is in both has a namespace.
        compression: `none` (the default), `deflate`, `snappy`, `bzip2`, `xz` or `zstandard`.

    Raises:
        TypeError: a schema is no string.
        ValueError: a schema is not JSON, or a type in it has no name.

    >>> AvroKeyValueSinkWriter('"long"', '"string"').options()["avroSchema"]
    ... # doctest: +ELLIPSIS
    '{"type":"record","name":"KeyValuePair","namespace":"org.apache.avro.mapreduce",...}'
    """

    key_schema: str
    value_schema: str
    compression: str = "none"

    def __post_init__(self) -> None:
        # A schema that is none fails here, in the line that gave it.
        self.options()

    def options(self) -> dict[str, str]:
        """The options that this writer stands for."""
        key = _schema("key_schema", self.key_schema)
        pair = {
            "type": "record",
            "name": "KeyValuePair",
            "namespace": "org.apache.avro.mapreduce",
            "doc": "A key/value pair",
            "fields": [
                {"name": "key", "type": _alone(key), "doc": "The key"},
                {
                    "name": "value",
                    "type": _second(_schema("value_schema", self.value_schema), key),
                    "doc": "The value",
                    "order": "ignore",
                },
            ],
        }
        schema = json.dumps(pair, separators=(",", ":"))
        return {"format": "avro", "compression": self.compression, "avroSchema": schema}


def _schema(argument: str, given: str) -> Any:
    try:
        schema = json.loads(string(argument, given))
        _alone(schema)
    except ValueError as error:
        raise ValueError(f"{argument} is no schema of Avro in JSON: {error}") from None
    return schema


_NAMED = {"record", "error", "enum", "fixed"}


def _alone(schema: Any) -> Any:
    """The schema within another one, whose namespace it must not take.

    >>> _alone(["null", {"type": "record", "name": "A", "fields": []}])
    ['null', {'type': 'record', 'name': 'A', 'fields': [], 'namespace': ''}]
    """
    if isinstance(schema, list):
        return [_alone(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") in _NAMED:
        if not isinstance(schema.get("name"), str):
            raise ValueError(f"a {schema['type']} has no name")
        return schema if "." in schema["name"] else {**schema, "namespace": schema.get("namespace", "")}
    return {key: _alone(each) if key in {"items", "values", "type"} else each for key, each in schema.items()}


def _second(schema: Any, first: Any) -> Any:
    """The same behind another schema: what that one has defined is named."""
    if isinstance(schema, dict) and schema.get("type") in _NAMED and schema == first:
        space = schema.get("namespace")
        return f"{space}.{schema['name']}" if space else schema["name"]
    return _alone(schema)


Bucketer: TypeAlias = DateTimeBucketer | BasePathBucketer | BucketAssigner
Writer: TypeAlias = StringWriter | SequenceFileWriter | AvroKeyValueSinkWriter | Encoder

_DEFAULTS = {
    "inProgress": "bucket",
    "partSuffix": "",
    "rollingPolicy": "default",
    "maxPartSize": "384m",
    "rolloverInterval": "none",
    "inactivityInterval": "1m",
    "bucketCheckInterval": "1m",
    "onRestart": "finish",
}

_ELSEWHERE = {
    "set_fs_config": "a session's settings spark.hadoop.… reach every file system: set them there",
    "set_async_timeout": "the sink waits two minutes for HDFS to end a lease, and says then for which file",
    "disable_cleanup_on_open": "what no record of the log names is removed once it is eleven minutes old",
}


class BucketingSink:
    """The sink of Flink's `flink-connector-filesystem`: its setters and its defaults.

    Unlike the builders of stoplog it is mutable: a setter changes it and returns it, as programs for Flink
    expect. `docs/files/bucketing-sink.md` has each setter, and what differs.

    Args:
        base_path: the directory of the buckets; a path or a URI.

    >>> sink = BucketingSink("/base/path")
    >>> sink.set_bucketer(DateTimeBucketer("yyyy-MM-dd--HHmm")) is sink
    True
    >>> sink.set_batch_size(1024 * 1024 * 400).build().options()["maxPartSize"]
    '419430400'
    """

    def __init__(self, base_path: str | os.PathLike[str]) -> None:
        self._others = {"path": path_text(base_path), **_DEFAULTS}
        self._bucketer: Bucketer = DateTimeBucketer()
        self._writer: Writer = StringWriter()

    def set_bucketer(self, bucketer: Bucketer) -> Self:
        """Sets the directory of each row; by default one for each hour, `2026-01-31--20`, in UTC.

        Args:
            bucketer: a `DateTimeBucketer`, a `BasePathBucketer`, or one of your own on the JVM,
                `BucketAssigner.custom("…")`.
        """
        self._bucketer = required("set_bucketer", bucketer, Bucketer, "make one, such as DateTimeBucketer()")
        return self

    def set_writer(self, writer: Writer) -> Self:
        """Sets the format of rows; lines of text by default.

        Args:
            writer: a `StringWriter`, a `SequenceFileWriter`, an `AvroKeyValueSinkWriter`, or an `Encoder`,
                such as one of your own on the JVM, `Encoder.custom("…")`.
        """
        self._writer = required("set_writer", writer, Writer, "make one, such as StringWriter()")
        return self

    def set_batch_size(self, size: Size) -> Self:
        """A part with more bytes is closed: an int, or a string such as `"384m"` (the default)."""
        return self.set_option("maxPartSize", size_text("size", size))

    def set_batch_rollover_interval(self, interval: Duration) -> Self:
        """A part that was opened so long ago is closed: `timedelta`, string or int milliseconds.

        By default none is, however old it gets: `"none"`.
        """
        return self.set_option("rolloverInterval", duration_text("interval", interval))

    def set_inactive_bucket_threshold(self, threshold: Duration) -> Self:
        """A part that got no row for so long is closed: as above; 1 minute by default."""
        return self.set_option("inactivityInterval", duration_text("threshold", threshold))

    def set_inactive_bucket_check_interval(self, interval: Duration) -> Self:
        """Sets the interval of the driver's looks while no data flows: as above; 1 minute by default."""
        return self.set_option("bucketCheckInterval", duration_text("interval", interval))

    def set_in_progress_prefix(self, prefix: str) -> Self:
        """Sets the prefix of an open part's name: `.` or `_` first; `_` by default."""
        return self._set_marker("inProgressPrefix", prefix)

    def set_in_progress_suffix(self, suffix: str) -> Self:
        """Sets the suffix of an open part's name; `.in-progress` by default."""
        return self._set_marker("inProgressSuffix", suffix)

    def set_pending_prefix(self, prefix: str) -> Self:
        """Sets the prefix of a closed part's name until its epoch is committed; `_` by default."""
        return self._set_marker("pendingPrefix", prefix)

    def set_pending_suffix(self, suffix: str) -> Self:
        """Sets the suffix of a closed part's name until its epoch is committed; `.pending` by default."""
        return self._set_marker("pendingSuffix", suffix)

    def set_valid_length_prefix(self, prefix: str) -> Self:
        """Sets the prefix of a valid-length file's name; `_` by default.

        Only with `set_use_truncate(False)`: otherwise there are no such files.
        """
        return self._set_marker("validLengthPrefix", prefix)

    def set_valid_length_suffix(self, suffix: str) -> Self:
        """Sets the suffix of a valid-length file's name; `.valid-length` by default. Only as above."""
        return self._set_marker("validLengthSuffix", suffix)

    def set_part_prefix(self, prefix: str) -> Self:
        """Sets the prefix of finished files' names; `part` by default."""
        return self.set_option("partPrefix", prefix)

    def set_part_suffix(self, suffix: str) -> Self:
        """Sets the suffix of finished files' names, with its dot; nothing by default."""
        return self.set_option("partSuffix", suffix)

    def set_use_truncate(self, use_truncate: bool) -> Self:
        """Sets the treatment of bytes that failed attempts have left behind the committed ones.

        Args:
            use_truncate: `True`, the default, has them cut off; `False` notes in a valid-length file how
                many bytes count.
        """
        return self.set_option("useTruncate", use_truncate)

    def set_on_restart(self, choice: Literal["finish", "continue"]) -> Self:
        """Sets the treatment of parts that an earlier run has left open.

        Args:
            choice: `"finish"`, the default, publishes them; `"continue"` goes on in them.
        """
        return self.set_option("onRestart", choice)

    def set_option(self, key: str, value: Value) -> Self:
        """Any other option of the sink of files by its name; `docs/reference/options.md` has them."""
        name = option_name(key)  # in any case, as the jar reads it
        known = next((each for each in self._others if each.lower() == name.lower()), name)
        self._others[known] = text_of(key, value)
        return self

    def build(self) -> FileSink:
        """The sink of files that this one stands for, checked by the jar when a classic session is active.

        Raises:
            InvalidOptions: an option was given two values, or the jar refused some options.
            JarMissing: the active session runs without the jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return FileSink(checked(self._state(), FACADE))

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """A streaming query's writer that is set to this sink; stands for Flink's `stream.addSink(sink)`.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: the directory of the query's progress; by default it is left to
                `spark.sql.streaming.checkpointLocation`.
        """
        return self.build().write_stream(df, checkpoint_location)

    def __repr__(self) -> str:
        return f"BucketingSink({self._state()})"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # Only for names that are not there: a setter of Flink's says why, and what to do instead.
            why = f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
            raise AttributeError(f"a BucketingSink has no {name}{why}")

    def _state(self) -> BuilderState:
        return BuilderState.of(
            {"others": self._others, "bucketer": self._bucketer.options(), "writer": self._writer.options()}
        )

    def _set_marker(self, option: str, text: str) -> Self:
        if not string(option, text):
            raise ValueError(
                f"{option} = '' would show unfinished files to readers: every sink of stoplog is exactly "
                "once, so leave it out or name one"
            )
        return self.set_option(option, text)
