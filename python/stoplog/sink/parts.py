# SPDX-License-Identifier: Apache-2.0
"""The settings of a file sink's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._options.builder import Builder, required
from stoplog._text.values import Duration, Size, count_text, duration_text, if_given, present, size_text
from stoplog.compaction import FileCompactStrategy
from stoplog.output_file import OutputFileConfig
from stoplog.rolling import RollingPolicy

if TYPE_CHECKING:
    from typing_extensions import Self

Compression: TypeAlias = Literal[
    "none", "gzip", "zstd", "lz4", "snappy", "bzip2",
    "uncompressed", "lz4_raw", "brotli", "lzo", "zlib", "deflate", "xz", "zstandard",
]  # fmt: skip
"""The codecs. The first line is for row formats; the jar checks the codec of a bulk format."""

_POLICIES = (
    "create one with DefaultRollingPolicy(…), RollingPolicy.from_function(…) or RollingPolicy.custom(…)"
)


class PartMethods(Builder):
    """The methods of `FileSinkBuilder` for parts: rolling, names, compression and compaction."""

    __slots__ = ()

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
            "with_output_file_config", config, OutputFileConfig, "create one with OutputFileConfig(…)"
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

    def with_compaction(
        self,
        to: Size | None = None,
        after_epochs: int | None = None,
        compactor: str | None = None,
    ) -> Self:
        """Compacts small finished parts of a bucket between epochs. By default, small parts are kept.

        Args:
            to: the maximum size of a compacted part. The default is the size at which the policy closes
                parts. Parts below a quarter of this size are compacted.
            after_epochs: the number of epochs for which small parts wait for further small parts. The default
                is 100.
            compactor: a class of the jar's `Compactor`, for a custom encoder or bulk writer.

        >>> from stoplog import FileSink
        >>> FileSink.for_bulk_format("/data/out", "parquet").with_compaction(after_epochs=600).build()
        FileSink(path='/data/out', format='parquet', compaction='smallParts', compactAfterEpochs='600')
        """
        options = {
            "compaction": if_given(size_text, "to", to) or "smallParts",
            "compactAfterEpochs": if_given(count_text, "after_epochs", after_epochs),
            "compactor": compactor,
        }
        return self._with(**present(options))

    def enable_compact(self, strategy: FileCompactStrategy, compactor: str | None = None) -> Self:
        """Sets compaction by PyFlink's name and strategy; see `with_compaction`.

        Flink compacts files of any size. This sink compacts files below a quarter of the strategy's
        `size_threshold`, which is also the maximum size of a compacted part.

        Args:
            strategy: the limits at which the sink compacts small parts.
            compactor: a class of the jar's `Compactor`, for a custom encoder or bulk writer.

        >>> from stoplog import FileSink
        >>> strategy = FileCompactStrategy.builder().enable_compaction_on_checkpoint(5).build()
        >>> FileSink.for_row_format("/data/out", "json").enable_compact(strategy).build()
        FileSink(path='/data/out', format='json', compaction='smallParts', compactAfterEpochs='5')
        """
        required(
            "enable_compact", strategy, FileCompactStrategy, "create one with FileCompactStrategy.builder()"
        )
        return self.with_compaction(
            to=strategy.size_threshold, after_epochs=strategy.checkpoints, compactor=compactor
        )

    def with_manifest(self, form: Literal["none", "json"], retention: Duration | None = None) -> Self:
        """Sets whether the sink lists the files of each commit for loaders. The default is `"none"`.

        Args:
            form: `"json"` lists the files with rows, bytes and times, in `_stoplog/<sinkId>/manifests`.
            retention: the time for which a list is kept; unlimited by default. A `timedelta`, a string such
                as `"30d"`, or an int of milliseconds.

        Raises:
            ValueError: a retention without manifests.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_manifest("json").build()
        FileSink(path='/data/out', format='json', manifest='json')
        """
        kept = if_given(duration_text, "retention", retention)
        if kept is not None and form != "json":
            raise ValueError(f"with_manifest({form!r}) has no retention, because it writes no manifest")
        return self._with(manifest=form if kept is None else kept)
