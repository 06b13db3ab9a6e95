# SPDX-License-Identifier: Apache-2.0
"""Flink's `BucketingSink` with its own names, implemented by the file sink."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stoplog._functions.frame import SinkFunctions
from stoplog._options.builder import BuilderState, checked, required
from stoplog._text.values import (
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
    """Directories by the time at which a row is written; by default, one directory for each hour.

    Args:
        format_string: a pattern of Java's `DateTimeFormatter`; `yyyy-MM-dd--HH` by default.
        zone_id: the zone of the pattern's calendar and clock, such as `Europe/Berlin`. The default is UTC; in
            Flink, the machine's zone.

    >>> DateTimeBucketer().options()
    {'bucketAssigner': 'dateTime', 'bucketFormat': 'yyyy-MM-dd--HH', 'bucketTimeZone': 'UTC'}
    """

    format_string: str = "yyyy-MM-dd--HH"
    zone_id: str = "UTC"

    def options(self) -> dict[str, str]:
        """Returns the options of this bucketer."""
        return {
            "bucketAssigner": "dateTime",
            "bucketFormat": self.format_string,
            "bucketTimeZone": self.zone_id,
        }


@dataclass(frozen=True, slots=True)
class BasePathBucketer:
    """No directories: all files are directly under the sink's path.

    >>> BasePathBucketer().options()
    {'bucketAssigner': 'basePath'}
    """

    def options(self) -> dict[str, str]:
        """Returns the options of this bucketer."""
        return {"bucketAssigner": "basePath"}


@dataclass(frozen=True, slots=True)
class StringWriter:
    """Lines of UTF-8: each row of a single string column, followed by a line feed.

    >>> StringWriter().options()
    {'format': 'text'}
    """

    def options(self) -> dict[str, str]:
        """Returns the options of this writer."""
        return {"format": "text"}


@dataclass(frozen=True, slots=True)
class SequenceFileWriter:
    """Hadoop's SequenceFile, with one column of values, or with two columns of keys and values.

    Args:
        compression: a codec by its short name, such as `gzip`; uncompressed by default.
        compression_type: `block` or `record`, for use with a codec.

    >>> SequenceFileWriter("gzip", "record").options()
    {'format': 'sequencefile', 'compression': 'gzip', 'compressionType': 'record'}
    """

    compression: str = "none"
    compression_type: str = "none"

    def options(self) -> dict[str, str]:
        """Returns the options of this writer."""
        return {
            "format": "sequencefile",
            "compression": self.compression,
            "compressionType": self.compression_type,
        }


@dataclass(frozen=True, slots=True)
class AvroKeyValueSinkWriter:
    """Avro files of pairs in the format of Hadoop's `AvroKeyValueOutputFormat`.

    The columns are `key` and `value`.

    Args:
        key_schema: the schema of the keys, as JSON.
        value_schema: the schema of the values, as JSON. A record that is in both schemas needs a namespace.
        compression: `none` (the default), `deflate`, `snappy`, `bzip2`, `xz` or `zstandard`.

    Raises:
        TypeError: a schema is not a string.
        ValueError: a schema is not JSON, or a type in it has no name.

    >>> AvroKeyValueSinkWriter('"long"', '"string"').options()["avroSchema"]
    ... # doctest: +ELLIPSIS
    '{"type":"record","name":"KeyValuePair","namespace":"org.apache.avro.mapreduce",...}'
    """

    key_schema: str
    value_schema: str
    compression: str = "none"

    def __post_init__(self) -> None:
        # An invalid schema fails at the construction.
        self.options()

    def options(self) -> dict[str, str]:
        """Returns the options of this writer."""
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
        raise ValueError(f"{argument} is not an Avro schema in JSON: {error}") from None
    return schema


_NAMED = {"record", "error", "enum", "fixed"}


def _alone(schema: Any) -> Any:
    """Returns the schema for use within another schema, without the other schema's namespace.

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
    """Returns a schema for use after another schema: a type that the other schema defines is named."""
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
    "set_fs_config": "set spark.hadoop.… in the session: these settings apply to every file system",
    "set_async_timeout": "the sink waits two minutes for HDFS to end a lease; an error names the file",
    "disable_cleanup_on_open": "a file that no record of the log names is deleted after eleven minutes",
}


class BucketingSink:
    """The sink of Flink's `flink-connector-filesystem`, with its setters and defaults.

    Unlike the builders of stoplog, this class is mutable: a setter changes the sink and returns the sink, as
    Flink programs expect. `docs/files/bucketing-sink.md` describes each setter, and the differences.

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
        """Sets the directory of each row.

        The default is one directory for each hour, `2026-01-31--20`, in UTC.

        Args:
            bucketer: a `DateTimeBucketer`, a `BasePathBucketer`, or a custom JVM class,
                `BucketAssigner.custom("…")`.
        """
        self._bucketer = required("set_bucketer", bucketer, Bucketer, "pass one, such as DateTimeBucketer()")
        return self

    def set_writer(self, writer: Writer) -> Self:
        """Sets the format of rows. The default is lines of text.

        Args:
            writer: a `StringWriter`, a `SequenceFileWriter`, an `AvroKeyValueSinkWriter`, or an `Encoder`,
                such as a custom JVM class, `Encoder.custom("…")`.
        """
        self._writer = required("set_writer", writer, Writer, "pass one, such as StringWriter()")
        return self

    def set_batch_size(self, size: Size) -> Self:
        """Sets the size above which a part is closed: int bytes, or a string; `"384m"` by default."""
        return self.set_option("maxPartSize", size_text("size", size))

    def set_batch_rollover_interval(self, interval: Duration) -> Self:
        """Sets the age at which a part is closed: `timedelta`, string such as `"15m"`, or int milliseconds.

        The default is `"none"`: age does not close parts.
        """
        return self.set_option("rolloverInterval", duration_text("interval", interval))

    def set_inactive_bucket_threshold(self, threshold: Duration) -> Self:
        """Sets the idle time that closes a part: `timedelta`, string or int milliseconds; default: `"1m"`."""
        return self.set_option("inactivityInterval", duration_text("threshold", threshold))

    def set_inactive_bucket_check_interval(self, interval: Duration) -> Self:
        """Sets the interval of the driver's checks while no data arrives.

        A `timedelta`, a string such as `"1m"`, the default, or int milliseconds.
        """
        return self.set_option("bucketCheckInterval", duration_text("interval", interval))

    def set_in_progress_prefix(self, prefix: str) -> Self:
        """Sets the prefix of an open part's name, which must start with `.` or `_`; `_` by default."""
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

        Effective only with `set_use_truncate(False)`: otherwise there are no such files.
        """
        return self._set_marker("validLengthPrefix", prefix)

    def set_valid_length_suffix(self, suffix: str) -> Self:
        """Sets the suffix of a valid-length file's name; `.valid-length` by default. See the prefix."""
        return self._set_marker("validLengthSuffix", suffix)

    def set_part_prefix(self, prefix: str) -> Self:
        """Sets the prefix of finished files' names; `part` by default."""
        return self.set_option("partPrefix", prefix)

    def set_part_suffix(self, suffix: str) -> Self:
        """Sets the suffix of finished files' names, with its dot; empty by default."""
        return self.set_option("partSuffix", suffix)

    def set_use_truncate(self, use_truncate: bool) -> Self:
        """Sets the handling of uncommitted bytes that failed attempts have written after the committed bytes.

        Args:
            use_truncate: `True`, the default, truncates the uncommitted bytes; `False` records the number of
                valid bytes in a valid-length file.
        """
        return self.set_option(_setting("useTruncate"), use_truncate)

    def set_on_restart(self, choice: Literal["finish", "continue"]) -> Self:
        """Sets the handling of open parts of an earlier run.

        Args:
            choice: `"finish"`, the default, publishes the parts; `"continue"` appends to the parts.
        """
        return self.set_option("onRestart", choice)

    def set_option(self, key: str, value: Value) -> Self:
        """Sets any other option of the file sink by its name; see `docs/reference/options.md`."""
        name = option_name(key)  # case-insensitive, as in the jar
        known = next((each for each in self._others if each.lower() == name.lower()), name)
        self._others[known] = text_of(key, value)
        return self

    def build(self) -> FileSink:
        """Returns the equivalent file sink. In a classic session, the jar checks the options.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without the jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        functions = [getattr(each, "_function", None) for each in (self._bucketer, self._writer)]
        return FileSink(checked(self._state(), FACADE), SinkFunctions(*functions))

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """Returns a streaming query's writer that is set to this sink, like Flink's `stream.addSink(sink)`.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: the directory of the query's progress. The default is Spark's
                `spark.sql.streaming.checkpointLocation`.
        """
        return self.build().write_stream(df, checkpoint_location)

    def __repr__(self) -> str:
        return f"BucketingSink({self._state()})"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # Called only for missing attributes. For some of Flink's setters, the error explains the
            # alternative.
            why = f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
            raise AttributeError(f"a BucketingSink has no {name}{why}")

    def _state(self) -> BuilderState:
        return BuilderState.of(
            {"others": self._others, "bucketer": self._bucketer.options(), "writer": self._writer.options()}
        )

    def _set_marker(self, option: str, text: str) -> Self:
        if not string(option, text):
            raise ValueError(
                f"{option} = '' would show unfinished files to readers: every sink of stoplog is "
                "exactly-once. Remove the call, or pass another value"
            )
        return self.set_option(_setting(option), text)


def _setting(name: str) -> str:
    """Returns the option of a setting that only this builder has."""
    return f"bucketingSink.{name}"
