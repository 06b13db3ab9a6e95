# SPDX-License-Identifier: Apache-2.0
"""Assigners that choose the directory of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoplog._functions.frame import BUCKET, RowFunction
from stoplog._options.builder import OptionBacked
from stoplog._text.values import Value, own_class, pairs_of, present

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa


@dataclass(frozen=True, slots=True, repr=False)
class BucketAssigner(OptionBacked):
    """Chooses the bucket of each row, a directory under the sink's path.

    Created by the static methods; immutable and comparable. By default, a sink uses hourly buckets by
    processing time in UTC, such as `dt=2026-01-31/hour=23`. A bucket outside the path, or a bucket that
    readers would ignore, fails the query.

    For buckets by a SQL expression or by columns, see `with_bucket_by` and `with_partition_by` of the sink's
    builder.

    >>> BucketAssigner.date_time_bucket_assigner("'day='yyyy-MM-dd").options()
    {'bucketAssigner': 'dateTime', 'bucketFormat': "'day='yyyy-MM-dd"}
    """

    _function: RowFunction | None = None

    @staticmethod
    def date_time_bucket_assigner(
        format_str: str | None = None, timezone_id: str | None = None, column: str | None = None
    ) -> BucketAssigner:
        """Creates buckets by time; by default, one bucket for each hour.

        Args:
            format_str: a pattern of Java's `DateTimeFormatter`, whose `/` creates nested directories. The
                default is `'dt='yyyy-MM-dd'/hour='HH`, which Spark, pyarrow, DuckDB and pandas read without
                options, as columns `dt` and `hour`. Flink's default is `yyyy-MM-dd--HH`.
            timezone_id: the zone of the directory names, such as `Europe/Berlin`. The default is UTC instead
                of the machine's zone as in PyFlink, so that buckets are the same on all machines. Timestamps
                in rows are unchanged.
            column: a timestamp column with the event's time. By default, the bucket depends on the time at
                which a row is written.

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
        """Creates no buckets: all parts are directly under the sink's path.

        >>> BucketAssigner.base_path_bucket_assigner().options()
        {'bucketAssigner': 'basePath'}
        """
        return BucketAssigner((("bucketAssigner", "basePath"),))

    @staticmethod
    def from_function(
        function: Callable[[pa.RecordBatch], Any], columns: Sequence[str] | None = None
    ) -> BucketAssigner:
        """Names buckets by a Python function, which runs in Spark's tasks.

        The function receives an Arrow batch, and returns a string for each row, as a list or an Arrow array.
        A `/` creates nested directories. The function must return the same bucket for the same row, because
        Spark may repeat a task. The files do not contain the bucket. The function also works with Spark
        Connect; the server's Python needs no stoplog, only the packages that the function imports.

        Use `write_stream`, `run_available_now` or `write` of the sink: these methods call the function.
        `format("stoplog")` with the options of the sink does not.

        Args:
            function: a function that cloudpickle can send to the tasks, with the module of the function.
            columns: the columns that the function needs; all by default. Spark sends only these columns to
                Python.

        Raises:
            TypeError: the function cannot be pickled, for example because it refers to a connection.

        Example:
            def by_domain(batch):
                return [f"domain={mail.rpartition('@')[2]}" for mail in batch.column("mail").to_pylist()]

            assigner = BucketAssigner.from_function(by_domain, columns=["mail"])

        >>> BucketAssigner.from_function(len).options()
        {'bucketFrom': '_python_bucket'}
        """
        called = RowFunction.of("BucketAssigner.from_function", function, columns)
        return BucketAssigner((("bucketFrom", BUCKET),), called)

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> BucketAssigner:
        """A class on the session's class path that extends `stoplog.bucket.BucketAssigner`.

        Args:
            class_name: the fully qualified name of the class. The class needs a public constructor with a
                `java.util.Map` for the parameters, or a public constructor without arguments.
            parameters: the settings of the class, by name.

        >>> BucketAssigner.custom("com.acme.ByTenant", {"column": "tenant"}).options()
        {'bucketAssigner': 'com.acme.ByTenant', 'bucketAssigner.column': 'tenant'}
        """
        return BucketAssigner(pairs_of(own_class("bucketAssigner", class_name, parameters)))
