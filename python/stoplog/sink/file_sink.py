# SPDX-License-Identifier: Apache-2.0
"""The file sink and its builder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._functions.frame import NO_FUNCTIONS, SinkFunctions
from stoplog._options.builder import FORMAT, BuilderState, checked, required
from stoplog._shared.this_python import completed
from stoplog._text.values import Duration, Value, count_text, duration_text, if_given, path_text, present
from stoplog.announcement import Announcement, announced
from stoplog.bulk import BulkFormat
from stoplog.encoder import Encoder
from stoplog.preflight import Preflight, check_options
from stoplog.sink.base import Sink
from stoplog.sink.buckets import BucketMethods
from stoplog.sink.parts import PartMethods

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Self

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

    _functions: SinkFunctions = NO_FUNCTIONS

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
        chosen = Encoder.of(encoder)
        return _builder(base_path, chosen.options(), SinkFunctions(encoder=chosen._function))

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
        return check_options(self._prepared(df), completed(self.options(), df))

    def _prepared(self, df: DataFrame) -> DataFrame:
        return self._functions.applied(df, self.options())


@dataclass(frozen=True, slots=True, repr=False)
class FileSinkBuilder(BucketMethods, PartMethods):
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

    _direction = "sink"

    def with_announcement(self, announcement: Announcement, name: str = "files") -> Self:
        """Announces visible files and complete buckets to another system, which never delays the query.

        Several calls with different names add several targets.

        Args:
            announcement: the target.
            name: the name of the target, for the metrics and for the files of its progress.

        >>> from stoplog import Announcement
        >>> base = FileSink.for_row_format("/out", "json")
        >>> base.with_announcement(Announcement.catalog("events"), "hive")
        FileSinkBuilder(path='/out', format='json', announce.hive='catalog', announce.hive.table='events')
        """
        advice = "create one with a method of Announcement"
        chosen = required("with_announcement", announcement, Announcement, advice)
        return self._with(f"announce.{name}", **dict(announced(name, chosen)))

    def with_announcement_limits(
        self,
        backlog: int | None = None,
        backlog_age: Duration | None = None,
        on_backlog: Literal["gap", "fail"] | None = None,
        at_end: Duration | None = None,
    ) -> Self:
        """Sets the limits for records that wait for targets of announcements.

        Args:
            backlog: the largest number of waiting records; 1000 by default.
            backlog_age: the age from which a waiting record is no longer announced; seven days by default.
            on_backlog: `"gap"` (the default) reports the missing records to the target. `"fail"` fails the
                query before its next epoch.
            at_end: the time for which the end of a query or of a batch job waits for targets; ten seconds by
                default.

        >>> FileSink.for_row_format("/out", "json").with_announcement_limits(5000, on_backlog="fail")
        FileSinkBuilder(path='/out', format='json', announceBacklog='5000', announceOnBacklog='fail')
        """
        counted = if_given(count_text, "backlog", backlog)
        aged = if_given(duration_text, "backlog_age", backlog_age)
        waiting = [limit for limit in (counted, aged) if limit is not None]
        limits = {
            "announceBacklog": ", ".join(waiting) or None,
            "announceOnBacklog": on_backlog,
            "announceAtEnd": if_given(duration_text, "at_end", at_end),
        }
        return self._with("announcement limits", **present(limits))

    def with_partition_overwrite_mode(self, mode: Literal["static", "dynamic"]) -> Self:
        """Sets the files that a batch write with `mode="overwrite"` replaces.

        Args:
            mode: `"static"` replaces all files, `"dynamic"` only the files in the directories of the rows.
                The default is the session's `spark.sql.sources.partitionOverwriteMode`.

        >>> base = FileSink.for_row_format("/out", "json").with_partition_by("day")
        >>> base.with_partition_overwrite_mode("dynamic").build()
        FileSink(path='/out', format='json', partitionBy='day', partitionOverwriteMode='dynamic')
        """
        return self._with(partitionOverwriteMode=mode)

    def with_replace_where(self, condition: str) -> Self:
        """Restricts a batch write with `mode="overwrite"` to the partitions that satisfy a condition.

        A row of another partition fails the job. Without rows, the job deletes the partitions.

        Args:
            condition: a SQL condition on the columns of `with_partition_by`.

        >>> base = FileSink.for_row_format("/out", "json").with_partition_by("day")
        >>> base.with_replace_where("day = '2026-01-31'").build()
        FileSink(path='/out', format='json', partitionBy='day', replaceWhere="day = '2026-01-31'")
        """
        return self._with(replaceWhere=condition)

    def with_sink_id(self, sink_id: str) -> Self:
        """Sets the sink id, which separates several sinks in one path. The default is `main`.

        >>> FileSink.for_row_format("/out", "json").with_sink_id("clicks")
        FileSinkBuilder(path='/out', format='json', sinkId='clicks')
        """
        return self._with(sinkId=sink_id)

    def with_on_foreign_query(self, action: Literal["fail", "adopt", "adoptAndRepeat"]) -> Self:
        """Sets the reaction to a directory that another query's checkpoint owns. The default is `"fail"`.

        `"adopt"` takes over the log if this query has passed all epochs of the log. `"adoptAndRepeat"` also
        takes over a log that is ahead of the checkpoint, writes those rows again, and is valid for one start.

        >>> FileSink.for_row_format("/out", "json").with_on_foreign_query("adopt")
        FileSinkBuilder(path='/out', format='json', onForeignQuery='adopt')
        """
        return self._with(onForeignQuery=action)

    def with_on_restart(self, action: Literal["continue", "finish"]) -> Self:
        """Sets the handling of open parts of an earlier run.

        Args:
            action: `"continue"` (the default) appends to the parts. `"finish"` cuts each part to its
                committed length, and publishes the part before new rows are written.

        >>> FileSink.for_row_format("/out", "json").with_on_restart("finish")
        FileSinkBuilder(path='/out', format='json', onRestart='finish')
        """
        return self._with(onRestart=action)

    def with_finalize_on_termination(self, when: Literal["auto", "always", "never"]) -> Self:
        """Sets whether the end of the query closes and publishes open parts. The default is `"auto"`.

        Args:
            when: `"auto"` publishes after the triggers `availableNow` and `once`, which end by themselves.

        >>> FileSink.for_row_format("/out", "json").with_finalize_on_termination("always")
        FileSinkBuilder(path='/out', format='json', finalizeOnTermination='always')
        """
        return self._with(finalizeOnTermination=when)

    def with_on_lost_part(self, action: Literal["fail", "skip"]) -> Self:
        """Sets the reaction to a missing part in recovery, removed by another program.

        The default is `"fail"`.

        >>> FileSink.for_row_format("/out", "json").with_on_lost_part("skip")
        FileSinkBuilder(path='/out', format='json', onLostPart='skip')
        """
        return self._with(onLostPart=action)

    def with_on_bad_row(self, action: Literal["fail", "reject"]) -> Self:
        """Sets the reaction to a row that cannot be written. The default is `"fail"`.

        Args:
            action: `"reject"` writes the row as a line of JSON below `_rejected` in the sink's path,
                published with the other rows of the epoch.

        >>> FileSink.for_row_format("/data/out", "json").with_on_bad_row("reject").build()
        FileSink(path='/data/out', format='json', onBadRow='reject')
        """
        return self._with(onBadRow=action)

    def with_on_schema_change(self, action: Literal["fail", "additive", "roll"]) -> Self:
        """Sets the reaction to changed columns of a restarted query. The default is `"additive"`.

        Columns are identified by name; their order is irrelevant.

        Args:
            action: `"additive"` adds new columns, writes null for missing columns, and rejects a changed
                type. `"roll"` accepts all changes and logs a warning: new files have only the new columns.
                `"fail"` rejects all changes.

        >>> FileSink.for_row_format("/out", "json").with_on_schema_change("fail")
        FileSinkBuilder(path='/out', format='json', onSchemaChange='fail')
        """
        return self._with(onSchemaChange=action)

    def with_durability(self, durability: Literal["disk", "process"]) -> Self:
        """Sets the failures that a committed epoch survives.

        Args:
            durability: `"disk"` (the default) forces each epoch to the disk and survives a power loss.
                `"process"` is faster and survives a killed process.

        >>> FileSink.for_row_format("/out", "json").with_durability("process")
        FileSinkBuilder(path='/out', format='json', durability='process')
        """
        return self._with(durability=durability)

    def with_option(self, key: str, value: Value) -> Self:
        """Sets any option by its name, for options without a method.

        Args:
            key: the option's name, case-insensitive.
            value: the value; `True` and `False` become `true` and `false`.

        >>> FileSink.for_row_format("/data/out", "json").with_option("inProgress", "bucket").build()
        FileSink(path='/data/out', format='json', inProgress='bucket')
        """
        return self._with_option(key, value)

    def build(self) -> FileSink:
        """Returns the sink. In a classic session, the jar checks the options first.

        On Spark Connect, or before the start of a session, the options are checked at the start of the query.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without the jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return FileSink(checked(self._state, FACADE), self._functions)


def _builder(
    base_path: str | os.PathLike[str],
    format_options: dict[str, str],
    functions: SinkFunctions = NO_FUNCTIONS,
) -> FileSinkBuilder:
    groups = {"path": {"path": path_text(base_path)}, "encoder": format_options}
    return FileSinkBuilder(BuilderState.of(groups), functions)
