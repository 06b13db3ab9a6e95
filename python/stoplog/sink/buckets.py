# SPDX-License-Identifier: Apache-2.0
"""The settings of a file sink's buckets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from stoplog._functions.frame import NO_FUNCTIONS, SinkFunctions
from stoplog._options.builder import Builder, required
from stoplog._text.values import Duration, columns_text, count_text, delay_text, if_given, names_of
from stoplog.bucket import BucketAssigner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self

_ASSIGNERS = "create one with a method of BucketAssigner, or use with_bucket_by for a SQL expression"


@dataclass(frozen=True, slots=True, repr=False)
class BucketMethods(Builder):
    """The methods of `FileSinkBuilder` for buckets: names, rows and completion."""

    _functions: SinkFunctions = NO_FUNCTIONS

    def with_bucket_assigner(self, assigner: BucketAssigner) -> Self:
        """Sets the directory of each row, by default `dt=2026-01-31/hour=23`, by processing time in UTC."""
        chosen = required("with_bucket_assigner", assigner, BucketAssigner, _ASSIGNERS)
        builder = self._with("bucketAssigner", **chosen.options())
        return replace(builder, _functions=replace(self._functions, bucket=chosen._function))

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

    def with_bucket_complete(
        self,
        when: Literal["none", "watermark", "processingTime", "idle"],
        delay: Duration | None = None,
    ) -> Self:
        """Marks complete buckets by `_SUCCESS` files. The default is `"none"`.

        Args:
            when: `"watermark"` marks a bucket when the query's watermark reaches the bucket's end.
                `"processingTime"` marks a bucket when the clock reaches the end. `"idle"` marks a bucket
                without new rows for the delay.
            delay: the additional wait after the bucket's end; zero by default, required with `"idle"`. A
                `timedelta`, a string such as `"10m"`, or an int of milliseconds.

        >>> from stoplog import FileSink
        >>> FileSink.for_row_format("/data/out", "json").with_bucket_complete("idle", "10m").build()
        FileSink(path='/data/out', format='json', bucketComplete='idle 10m')
        """
        waits = if_given(delay_text, "delay", delay)
        return self._with(bucketComplete=when if waits is None else f"{when} {waits}")
