# SPDX-License-Identifier: Apache-2.0
"""Flink's `BucketingSink` by its own names, over the sink of files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._bucketers import (
    AvroKeyValueSinkWriter,
    BasePathBucketer,
    DateTimeBucketer,
    SequenceFileWriter,
    StringWriter,
)
from stoplog._builder import BuilderState, checked_sink, path_text, required, text_of
from stoplog._units import Duration, Size, duration_text, size_text
from stoplog.bucket import BucketAssigner
from stoplog.encoder import Encoder
from stoplog.sink import FileSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from typing_extensions import Self

    Bucketer: TypeAlias = DateTimeBucketer | BasePathBucketer | BucketAssigner
    Writer: TypeAlias = StringWriter | SequenceFileWriter | AvroKeyValueSinkWriter | Encoder

__all__ = [
    "AvroKeyValueSinkWriter",
    "BasePathBucketer",
    "BucketingSink",
    "DateTimeBucketer",
    "SequenceFileWriter",
    "StringWriter",
]

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
        needed = DateTimeBucketer | BasePathBucketer | BucketAssigner
        self._bucketer = required("set_bucketer", bucketer, needed, "make one, such as DateTimeBucketer()")
        return self

    def set_writer(self, writer: Writer) -> Self:
        """Sets the format of rows; lines of text by default.

        Args:
            writer: a `StringWriter`, a `SequenceFileWriter`, an `AvroKeyValueSinkWriter`, or an `Encoder`,
                such as one of your own on the JVM, `Encoder.custom("…")`.
        """
        needed = StringWriter | SequenceFileWriter | AvroKeyValueSinkWriter | Encoder
        self._writer = required("set_writer", writer, needed, "make one, such as StringWriter()")
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
        """Sets what a start does with the parts that an earlier one has left open.

        Args:
            choice: `"finish"`, the default, publishes them; `"continue"` goes on in them.
        """
        return self.set_option("onRestart", choice)

    def set_option(self, key: str, value: str | int | bool) -> Self:
        """Any other option of the sink of files by its name; `docs/reference/options.md` has them."""
        self._others[key] = text_of(key, value)
        return self

    def build(self) -> FileSink:
        """The sink of files that this one stands for, checked by the jar when a classic session is active.

        Raises:
            InvalidOptions: an option was given two values, or the jar refused some options.
            JarMissing: the active session runs without the jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return FileSink(checked_sink(self._state()))

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """A streaming query's writer that is set to this sink; stands for Flink's `stream.addSink(sink)`.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: where the query keeps its progress; by default it is left to
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
        if not text:
            raise ValueError(
                f"{option} = '' would show unfinished files to readers: every sink of stoplog is exactly "
                "once, so leave it out or name one"
            )
        return self.set_option(option, text)
