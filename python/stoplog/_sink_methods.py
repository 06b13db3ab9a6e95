# SPDX-License-Identifier: Apache-2.0
"""The methods of a sink's builder, one for each thing that can be set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._builder import Builder, required
from stoplog._values import (
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
"""The codecs. The first line is for rows; the jar checks a bulk format's with its other options."""


_ASSIGNERS = "make one by a method of BucketAssigner, or use with_bucket_by for a SQL expression"
_POLICIES = "make one by DefaultRollingPolicy(…), OnCheckpointRollingPolicy(…) or RollingPolicy.custom(…)"


@dataclass(frozen=True, slots=True, repr=False)
class FileSinkMethods(Builder):
    """The methods of `FileSinkBuilder`; each returns a new builder of the same class."""

    def with_bucket_assigner(self, assigner: BucketAssigner) -> Self:
        """Sets the directory of each row; `dt=2026-01-31/hour=23`, by processing time in UTC, by default."""
        return self._with(**required("with_bucket_assigner", assigner, BucketAssigner, _ASSIGNERS).options())

    def with_bucket_by(self, expression: str) -> Self:
        """Takes the value of a SQL expression over the row's columns as its bucket.

        Args:
            expression: its value is taken as a string, with `/` between nested directories. Readers
                take directories `name=value` for columns, and Spark looks into no others by itself.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_bucket_by("concat('day=', date(at))").build()
        FileSink(path='/data/out', format='json', bucketBy="concat('day=', date(at))")
        """
        return self._with(bucketBy=expression)

    def with_partition_by(self, *columns: str | Iterable[str]) -> Self:
        """Sets Hive-style directories, `a=1/b=2`, which readers turn back into columns.

        The columns are left out of the rows and escaped as Spark does. Use this and not
        `DataStreamWriter.partitionBy`, which Spark drops without a word for sinks of this kind.

        Args:
            columns: one column or more, outermost first; a list of them will do.

        Raises:
            ValueError: no column was named.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_partition_by("country", "day").build()
        FileSink(path='/data/out', format='json', partitionBy='country,day')
        """
        return self._with(partitionBy=columns_text(names_of("with_partition_by", "column", columns)))

    def with_rolling_policy(self, policy: RollingPolicy) -> Self:
        """Sets the policy that closes parts; by default `DefaultRollingPolicy`: size, age, inactivity."""
        return self._with(**required("with_rolling_policy", policy, RollingPolicy, _POLICIES).options())

    def with_event_time_column(self, column: str) -> Self:
        """Names the column of the event time, for a policy with `event_time_interval` and your own classes.

        Args:
            column: of type timestamp or date; by default that of the query's `withWatermark`.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_event_time_column("at")
        FileSinkBuilder(path='/out', format='json', eventTimeColumn='at')
        """
        return self._with(eventTimeColumn=column)

    def with_bucket_check_interval(self, interval: Duration) -> Self:
        """Sets the interval at which the driver looks at the age of open parts while no data flows.

        Args:
            interval: a `timedelta`, a string such as `"1m"`, or an int of milliseconds as in PyFlink;
                1 minute by default.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_bucket_check_interval("30s")
        FileSinkBuilder(path='/out', format='json', bucketCheckInterval='30s')
        """
        return self._with(bucketCheckInterval=duration_text("interval", interval))

    def with_output_file_config(self, config: OutputFileConfig) -> Self:
        """Sets the names of finished parts; `part-<uid>-<n>` and the format's suffix by default."""
        given = required(
            "with_output_file_config", config, OutputFileConfig, "make one by OutputFileConfig(…)"
        )
        return self._with("outputFileConfig", **given.options())

    def with_compression(self, codec: Compression) -> Self:
        """Sets the codec of the parts; by default `"none"` for rows, and Spark's own for a bulk format.

        Sizes in policies are those after compression.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_compression("gzip")
        FileSinkBuilder(path='/out', format='json', compression='gzip')
        """
        return self._with(compression=codec)

    def with_max_open_parts(self, parts: int) -> Self:
        """Limits the open parts of a task, which closes the least recently used; 1000 by default.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_max_open_parts(200)
        FileSinkBuilder(path='/out', format='json', maxOpenParts='200')
        """
        return self._with(maxOpenParts=count_text("parts", parts))

    def with_distribution(self, distribution: Literal["none", "byBucket"] | int) -> Self:
        """Spreads rows over the tasks that write.

        Args:
            distribution: `"none"` (the default) leaves rows where they are, `"byBucket"` brings
                each bucket's rows to one task, a number spreads rows over that many tasks.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_distribution("byBucket")
        FileSinkBuilder(path='/out', format='json', distribution='byBucket')
        """
        text = distribution if isinstance(distribution, str) else count_text("distribution", distribution)
        return self._with(distribution=text)

    def with_sink_id(self, sink_id: str) -> Self:
        """Sets the sink id, by which several sinks can share one path; `main` by default.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_sink_id("clicks")
        FileSinkBuilder(path='/out', format='json', sinkId='clicks')
        """
        return self._with(sinkId=sink_id)

    def with_on_foreign_query(self, action: Literal["fail", "adopt", "adoptAndRepeat"]) -> Self:
        """Sets the reaction to a directory that another query's checkpoint owns; `"fail"` by default.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_foreign_query("adopt")
        FileSinkBuilder(path='/out', format='json', onForeignQuery='adopt')
        """
        return self._with(onForeignQuery=action)

    def with_on_restart(self, action: Literal["continue", "finish"]) -> Self:
        """Sets the treatment of parts that an earlier run has left open.

        Args:
            action: `"continue"` (the default) goes on in them, `"finish"` cuts each to its committed length
                and publishes it before anything new is written.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_restart("finish")
        FileSinkBuilder(path='/out', format='json', onRestart='finish')
        """
        return self._with(onRestart=action)

    def with_finalize_on_termination(self, when: Literal["auto", "always", "never"]) -> Self:
        """Closes and publishes open parts when the query ends, or does not; `"auto"` by default.

        Args:
            when: `"auto"` does so after the triggers `availableNow` and `once`, which come to an end.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_finalize_on_termination("always")
        FileSinkBuilder(path='/out', format='json', finalizeOnTermination='always')
        """
        return self._with(finalizeOnTermination=when)

    def with_on_lost_part(self, action: Literal["fail", "skip"]) -> Self:
        """Sets the reaction when recovery misses a part that another program removed; `"fail"` by default.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_lost_part("skip")
        FileSinkBuilder(path='/out', format='json', onLostPart='skip')
        """
        return self._with(onLostPart=action)

    def with_on_bad_row(self, action: Literal["fail", "reject"], reject_path: str | None = None) -> Self:
        """Sets the reaction to a row that cannot be written; `"fail"` by default.

        Args:
            action: `"reject"` puts it aside as a line of JSON, published with the other rows of its epoch.
            reject_path: the directory of such lines under the sink's path; `_rejected` by default.

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
        """Marks a bucket by `_SUCCESS` once it counts as complete; `"none"` by default.

        Args:
            when: `"watermark"`, when the query's watermark reaches the bucket's end; `"processingTime"`,
                when the clock does; `"idle"`, when no row came for the delay.
            delay: the time after the end for which the sink still waits; nothing by default. Required
                with `"idle"`: a `timedelta`, a string such as `"10m"`, or an int of milliseconds.
            marker: the content of the marker: counts and a version by default, or nothing.
            listener: the name of a class on the JVM; the driver calls it for each marker, at least once.

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
        """Merges small finished parts of a bucket, between epochs; without this they stay as they are.

        Args:
            smaller_than: parts below this size are merged; a quarter of `to` by default.
            to: the size of a merged part at most; by default that at which the policy closes parts.
            after_epochs: the number of epochs for which small parts wait for more of them; 100 by default.
            min_files: the fewest parts of a merge; 2 by default.
            compactor: a class of the jar's `Compactor`, for an encoder or bulk writer of your own.

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
        """PyFlink's name for `with_compaction`, with its strategy.

        Flink merges files of any size. This merges those below a quarter of the strategy's `size_threshold`,
        which is also the size of a merged part at most: `with_compaction` sets the two apart.

        Args:
            strategy: the limits at which the sink merges small parts.
            compactor: a class of the jar's `Compactor`, for an encoder or bulk writer of your own.

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
        """Lists the files of each commit for loaders, or does not; `"none"` by default.

        Args:
            form: `"json"` lists them with rows, bytes and times, in `_stoplog/<sinkId>/manifests`.
            retention: the time for which a list is kept, for good by default: a `timedelta`, a string such as
                `"30d"`, or an int of milliseconds.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_manifest("json").build()
        FileSink(path='/data/out', format='json', manifest='json')
        """
        retention_text = if_given(duration_text, "retention", retention)
        return self._with(manifest=form, **present({"manifestRetention": retention_text}))

    def with_on_schema_change(self, action: Literal["fail", "additive", "roll"]) -> Self:
        """Sets the reaction when the query comes back with other columns than before; `"roll"` by default.

        Columns are known by their names: in another order they are the same ones.

        Args:
            action: `"roll"` ends open parts with the columns that they have, where a file cannot hold both,
                `"additive"` lets columns be added or become nullable, `"fail"` lets nothing change.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_on_schema_change("additive")
        FileSinkBuilder(path='/out', format='json', onSchemaChange='additive')
        """
        return self._with(onSchemaChange=action)

    def with_durability(self, durability: Literal["disk", "process"]) -> Self:
        """Sets the failures that a committed epoch outlives.

        Args:
            durability: `"disk"` (the default) forces each epoch to the disk and outlives a power loss,
                `"process"` is faster and outlives a killed process.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/out", "json").with_durability("process")
        FileSinkBuilder(path='/out', format='json', durability='process')
        """
        return self._with(durability=durability)

    def with_option(self, key: str, value: Value) -> Self:
        """Sets any option by its own name, for those without a method here.

        Args:
            key: the option's name; case does not matter.
            value: the value; `True` and `False` become `true` and `false`.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_option("inProgress", "bucket").build()
        FileSink(path='/data/out', format='json', inProgress='bucket')
        """
        return self._with_option(key, value)
