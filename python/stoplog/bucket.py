# SPDX-License-Identifier: Apache-2.0
"""Assigners that choose the directory of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._builder import OptionBacked
from stoplog._values import Value, own_class, pairs_of, present

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, repr=False)
class BucketAssigner(OptionBacked):
    """Chooses the bucket of each row, a directory under the sink's path.

    Made by its static methods; immutable and comparable. A sink without one uses hourly buckets by
    processing time in UTC, such as `dt=2026-01-31/hour=23`. A bucket that would leave the path, or that
    readers would not see, fails the query.

    For buckets by a SQL expression or by columns see `with_bucket_by` and `with_partition_by` of the
    sink's builder.

    >>> BucketAssigner.date_time_bucket_assigner("'day='yyyy-MM-dd").options()
    {'bucketAssigner': 'dateTime', 'bucketFormat': "'day='yyyy-MM-dd"}
    """

    @staticmethod
    def date_time_bucket_assigner(
        format_str: str | None = None, timezone_id: str | None = None, column: str | None = None
    ) -> BucketAssigner:
        """Buckets by time: one for each hour unless the pattern says otherwise.

        Args:
            format_str: a pattern of Java's `DateTimeFormatter`, whose `/` makes nested directories; by
                default `'dt='yyyy-MM-dd'/hour='HH`, which Spark, pyarrow, DuckDB and pandas read without
                options, as columns `dt` and `hour`. Flink's default is `yyyy-MM-dd--HH`.
            timezone_id: the zone in which times are written, such as `Europe/Berlin`; UTC by default,
                not the machine's as in PyFlink, so that a move to another machine moves no bucket. It
                names directories alone: timestamps in rows stay as they are.
            column: a timestamp column that holds the event's time; by default the bucket
                follows the time at which a row is written.

        >>> BucketAssigner.date_time_bucket_assigner("yyyy/MM/dd", "Europe/Berlin", column="ts").options()
        ... # doctest: +NORMALIZE_WHITESPACE
        {'bucketAssigner': 'dateTime', 'bucketFormat': 'yyyy/MM/dd',
         'bucketTimeZone': 'Europe/Berlin', 'bucketColumn': 'ts'}
        """
        options = {
            "bucketAssigner": "dateTime",
            "bucketFormat": format_str,
            "bucketTimeZone": timezone_id,
            "bucketColumn": column,
        }
        return BucketAssigner(pairs_of(present(options)))

    @staticmethod
    def base_path_bucket_assigner() -> BucketAssigner:
        """No buckets: every part lies directly under the sink's path.

        >>> BucketAssigner.base_path_bucket_assigner().options()
        {'bucketAssigner': 'basePath'}
        """
        return BucketAssigner((("bucketAssigner", "basePath"),))

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> BucketAssigner:
        """A class on the session's class path that extends `stoplog.bucket.BucketAssigner`.

        Args:
            class_name: its fully qualified name; it needs a public constructor of a `java.util.Map`, which
                gets the parameters, or one without arguments.
            parameters: settings of the class, by the names that it reads.

        >>> BucketAssigner.custom("com.acme.ByTenant", {"column": "tenant"}).options()
        {'bucketAssigner': 'com.acme.ByTenant', 'bucketAssigner.column': 'tenant'}
        """
        return BucketAssigner(pairs_of(own_class("bucketAssigner", class_name, parameters)))
