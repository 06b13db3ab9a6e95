# SPDX-License-Identifier: Apache-2.0
"""The methods of a sink's builder, one for each setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._options.builder import Builder, required
from stoplog._text.values import (
    Duration,
    Size,
    Value,
    columns_text,
    count_text,
    delay_text,
    duration_text,
    if_given,
    names_of,
    present,
    size_text,
)
from stoplog.bucket import BucketAssigner
from stoplog.compaction import FileCompactStrategy
from stoplog.output_file import OutputFileConfig
from stoplog.rolling import RollingPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self


Compression: TypeAlias = Literal[
    "none", "gzip", "zstd", "lz4", "snappy", "bzip2",
    "uncompressed", "lz4_raw", "brotli", "lzo", "zlib", "deflate", "xz", "zstandard",
]  # fmt: skip
"""The codecs. The first line is for row formats; the jar checks the codec of a bulk format."""


_ASSIGNERS = "make one by a method of BucketAssigner, or use with_bucket_by for a SQL expression"
_POLICIES = "make one by DefaultRollingPolicy(…), OnCheckpointRollingPolicy(…) or RollingPolicy.custom(…)"


@dataclass(frozen=True, slots=True, repr=False)
class FileSinkMethods(Builder):
    """The methods of `FileSinkBuilder`; each returns a new builder of the same class."""

    def with_bucket_assigner(self, assigner: BucketAssigner) -> Self:
        """Sets the directory of each row, by default `dt=2026-01-31/hour=23`, by processing time in UTC."""
        return self._with(**required("with_bucket_assigner", assigner, BucketAssigner, _ASSIGNERS).options())

    def with_bucket_by(self, expression: str) -> Self:
        """Sets the bucket of each row to the value of a SQL expression over the row's columns.

        Args:
            expression: an expression; its value is converted to a string, with `/` between nested
                directories. Readers interpret directories `name=value` as columns. By default, Spark reads no
                other directories.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_bucket_by("concat('day=', date(at))").build()
        FileSink(path='/data/out', format='json', bucketBy="concat('day=', date(at))")
        """
        return self._with(bucketBy=expression)

    def with_partition_by(self, *columns: str | Iterable[str]) -> Self:
        """Sets Hive-style directories, `a=1/b=2`, which readers convert back to columns.

        The columns are removed from the rows, and escaped as in Spark. Spark passes nothing of
        `DataStreamWriter.partitionBy` to a sink: the writer of `write_stream` refuses that method, and with
        `df.writeStream.format("stoplog")` it has no effect.

        Args:
            columns: one or more columns, or a list of columns, outermost first.

        Raises:
            ValueError: no column was given.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_partition_by("country", "day").build()
        FileSink(path='/data/out', format='json', partitionBy='country,day')
        """
        return self._with(partitionBy=columns_text(names_of("with_partition_by", "column", columns)))

    def with_partition_overwrite_mode(self, mode: Literal["static", "dynamic"]) -> Self:
        """Sets what a batch write with `mode="overwrite"` replaces.

        Args:
            mode: `"static"` replaces all files, `"dynamic"` only the files in the directories of the rows.
                The default is the session's `spark.sql.sources.partitionOverwriteMode`.

        >>> from stoplog import FileSink
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

        >>> from stoplog import FileSink
        >>> base = FileSink.for_row_format("/out", "json").with_partition_by("day")
        >>> base.with_replace_where("day = '2026-01-31'").build()
        FileSink(path='/out', format='json', partitionBy='day', replaceWhere="day = '2026-01-31'")
        """
        return self._with(replaceWhere=condition)

    def with_rolling_policy(self, policy: RollingPolicy) -> Self:
        """Sets the policy that closes parts. The default is `DefaultRollingPolicy`: size, age, inactivity."""
        return self._with(**required("with_rolling_policy", policy, RollingPolicy, _POLICIES).options())

    def with_event_time_column(self, column: str) -> Self:
        """Sets the column of the event time, for a policy with `event_time_interval` and for custom classes.

        Args:
            column: a column of type timestamp or date. The default is the column of the query's
                `withWatermark`.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_event_time_column("at")
        FileSinkBuilder(path='/out', format='json', eventTimeColumn='at')
        """
        return self._with(eventTimeColumn=column)

    def with_bucket_check_interval(self, interval: Duration) -> Self:
        """Sets the interval at which the driver checks the age of open parts while no data arrives.

        Args:
            interval: a `timedelta`, a string such as `"1m"`, or an int of milliseconds as in PyFlink. The
                default is 1 minute.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_bucket_check_interval("30s")
        FileSinkBuilder(path='/out', format='json', bucketCheckInterval='30s')
        """
        return self._with(bucketCheckInterval=duration_text("interval", interval))

    def with_output_file_config(self, config: OutputFileConfig) -> Self:
        """Sets the names of finished parts. The default is `part-<uid>-<n>` and the format's suffix."""
        given = required(
            "with_output_file_config", config, OutputFileConfig, "make one by OutputFileConfig(…)"
        )
        return self._with("outputFileConfig", **given.options())

    def with_compression(self, codec: Compression) -> Self:
        """Sets the codec of the parts. The default is `"none"` for rows, and Spark's codec for a bulk format.

        Sizes in policies refer to compressed bytes.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_compression("gzip")
        FileSinkBuilder(path='/out', format='json', compression='gzip')
        """
        return self._with(compression=codec)

    def with_max_open_parts(self, parts: int) -> Self:
        """Limits the open parts of a task, which closes the least recently used parts. The default is 1000.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_max_open_parts(200)
        FileSinkBuilder(path='/out', format='json', maxOpenParts='200')
        """
        return self._with(maxOpenParts=count_text("parts", parts))

    def with_distribution(self, distribution: Literal["none", "byBucket"] | int) -> Self:
        """Sets the distribution of rows over the writing tasks.

        Args:
            distribution: `"none"` (the default) keeps the distribution of the query. `"byBucket"` sends each
                bucket's rows to one task. A number distributes rows over this number of tasks.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_distribution("byBucket")
        FileSinkBuilder(path='/out', format='json', distribution='byBucket')
        """
        text = distribution if isinstance(distribution, str) else count_text("distribution", distribution)
        return self._with(distribution=text)

    def with_sink_id(self, sink_id: str) -> Self:
        """Sets the sink id, which separates several sinks in one path. The default is `main`.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_sink_id("clicks")
        FileSinkBuilder(path='/out', format='json', sinkId='clicks')
        """
        return self._with(sinkId=sink_id)

    def with_on_foreign_query(self, action: Literal["fail", "adopt", "adoptAndRepeat"]) -> Self:
        """Sets the reaction to a directory that another query's checkpoint owns. The default is `"fail"`.

        `"adopt"` takes over the log if this query has passed all epochs of the log. `"adoptAndRepeat"` also
        takes over a log that is ahead of the checkpoint, writes those rows again, and is valid for one start.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_foreign_query("adopt")
        FileSinkBuilder(path='/out', format='json', onForeignQuery='adopt')
        """
        return self._with(onForeignQuery=action)

    def with_on_restart(self, action: Literal["continue", "finish"]) -> Self:
        """Sets the handling of open parts of an earlier run.

        Args:
            action: `"continue"` (the default) appends to the parts. `"finish"` cuts each part to its
                committed length, and publishes the part before new rows are written.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_restart("finish")
        FileSinkBuilder(path='/out', format='json', onRestart='finish')
        """
        return self._with(onRestart=action)

    def with_finalize_on_termination(self, when: Literal["auto", "always", "never"]) -> Self:
        """Sets whether the end of the query closes and publishes open parts. The default is `"auto"`.

        Args:
            when: `"auto"` publishes after the triggers `availableNow` and `once`, which end by themselves.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_finalize_on_termination("always")
        FileSinkBuilder(path='/out', format='json', finalizeOnTermination='always')
        """
        return self._with(finalizeOnTermination=when)

    def with_on_lost_part(self, action: Literal["fail", "skip"]) -> Self:
        """Sets the reaction to a missing part in recovery, removed by another program.

        The default is `"fail"`.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_lost_part("skip")
        FileSinkBuilder(path='/out', format='json', onLostPart='skip')
        """
        return self._with(onLostPart=action)

    def with_on_bad_row(self, action: Literal["fail", "reject"], reject_path: str | None = None) -> Self:
        """Sets the reaction to a row that cannot be written. The default is `"fail"`.

        Args:
            action: `"reject"` writes the row as a line of JSON, published with the other rows of the epoch.
            reject_path: the directory of rejected rows, under the sink's path. The default is `_rejected`.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_on_bad_row("reject").build()
        FileSink(path='/data/out', format='json', onBadRow='reject')
        """
        return self._with(onBadRow=action, **present({"rejectPath": reject_path}))

    def with_bucket_complete(
        self,
        when: Literal["none", "watermark", "processingTime", "idle"],
        delay: Duration | None = None,
        marker: Literal["json", "empty"] | None = None,
        listener: str | None = None,
    ) -> Self:
        """Marks complete buckets by `_SUCCESS` files. The default is `"none"`.

        Args:
            when: `"watermark"` marks a bucket when the query's watermark reaches the bucket's end.
                `"processingTime"` marks a bucket when the clock reaches the end. `"idle"` marks a bucket
                without new rows for the delay.
            delay: the additional wait after the bucket's end; zero by default, required with `"idle"`. A
                `timedelta`, a string such as `"10m"`, or an int of milliseconds.
            marker: the content of the marker: counts and a version by default, or empty.
            listener: the name of a JVM class; the driver calls the class for each marker, at least once.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_bucket_complete("idle", "10m").build()
        FileSink(path='/data/out', format='json', bucketComplete='idle', bucketCompleteDelay='10m')
        """
        waits = if_given(delay_text, "delay", delay)
        more = {"bucketCompleteDelay": waits, "bucketMarker": marker, "bucketListener": listener}
        return self._with(bucketComplete=when, **present(more))

    def with_compaction(
        self,
        smaller_than: Size | None = None,
        to: Size | None = None,
        after_epochs: int | None = None,
        min_files: int | None = None,
        compactor: str | None = None,
    ) -> Self:
        """Compacts small finished parts of a bucket between epochs. By default, small parts are kept.

        Args:
            smaller_than: parts below this size are compacted. The default is a quarter of `to`.
            to: the maximum size of a compacted part. The default is the size at which the policy closes
                parts.
            after_epochs: the number of epochs for which small parts wait for further small parts. The default
                is 100.
            min_files: the minimum number of parts in a merge. The default is 2.
            compactor: a class of the jar's `Compactor`, for a custom encoder or bulk writer.

        >>> from stoplog import FileSink
        >>> FileSink.for_bulk_format("/data/out", "parquet").with_compaction(after_epochs=600).build()
        FileSink(path='/data/out', format='parquet', compaction='smallParts', compactAfterEpochs='600')
        """
        options = {
            "compaction": "smallParts",
            "compactSmallerThan": if_given(size_text, "smaller_than", smaller_than),
            "compactTo": if_given(size_text, "to", to),
            "compactAfterEpochs": if_given(count_text, "after_epochs", after_epochs),
            "compactMinFiles": if_given(count_text, "min_files", min_files),
            "compactor": compactor,
        }
        return self._with(**present(options))

    def enable_compact(self, strategy: FileCompactStrategy, compactor: str | None = None) -> Self:
        """Sets compaction by PyFlink's name and strategy; see `with_compaction`.

        Flink compacts files of any size. This sink compacts files below a quarter of the strategy's
        `size_threshold`, which is also the maximum size of a compacted part. `with_compaction` sets the two
        sizes separately.

        Args:
            strategy: the limits at which the sink compacts small parts.
            compactor: a class of the jar's `Compactor`, for a custom encoder or bulk writer.

        >>> from stoplog import FileSink
        >>> strategy = FileCompactStrategy.builder().enable_compaction_on_checkpoint(5).build()
        >>> FileSink.for_row_format("/data/out", "json").enable_compact(strategy).build()
        FileSink(path='/data/out', format='json', compaction='smallParts', compactAfterEpochs='5')
        """
        required("enable_compact", strategy, FileCompactStrategy, "make one by FileCompactStrategy.builder()")
        return self.with_compaction(
            to=strategy.size_threshold, after_epochs=strategy.checkpoints, compactor=compactor
        )

    def with_manifest(self, form: Literal["none", "json"], retention: Duration | None = None) -> Self:
        """Sets whether the sink lists the files of each commit for loaders. The default is `"none"`.

        Args:
            form: `"json"` lists the files with rows, bytes and times, in `_stoplog/<sinkId>/manifests`.
            retention: the time for which a list is kept; unlimited by default. A `timedelta`, a string such
                as `"30d"`, or an int of milliseconds.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_manifest("json").build()
        FileSink(path='/data/out', format='json', manifest='json')
        """
        retention_text = if_given(duration_text, "retention", retention)
        return self._with(manifest=form, **present({"manifestRetention": retention_text}))

    def with_on_schema_change(self, action: Literal["fail", "additive", "roll"]) -> Self:
        """Sets the reaction to changed columns of a restarted query. The default is `"additive"`.

        Columns are identified by name; their order is irrelevant.

        Args:
            action: `"additive"` adds new columns, writes null for missing columns, and rejects a changed
                type. `"roll"` accepts all changes and logs a warning: new files have only the new columns.
                `"fail"` rejects all changes.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_schema_change("fail")
        FileSinkBuilder(path='/out', format='json', onSchemaChange='fail')
        """
        return self._with(onSchemaChange=action)

    def with_durability(self, durability: Literal["disk", "process"]) -> Self:
        """Sets the failures that a committed epoch survives.

        Args:
            durability: `"disk"` (the default) forces each epoch to the disk and survives a power loss.
                `"process"` is faster and survives a killed process.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_durability("process")
        FileSinkBuilder(path='/out', format='json', durability='process')
        """
        return self._with(durability=durability)

    def with_option(self, key: str, value: Value) -> Self:
        """Sets any option by its name, for options without a method.

        Args:
            key: the option's name, case-insensitive.
            value: the value; `True` and `False` become `true` and `false`.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_option("inProgress", "bucket").build()
        FileSink(path='/data/out', format='json', inProgress='bucket')
        """
        return self._with_option(key, value)
