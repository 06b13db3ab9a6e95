"""Which directory a row goes to."""

from __future__ import annotations

from dataclasses import dataclass

from stoplog._options import Pairs, present


@dataclass(frozen=True, slots=True)
class BucketAssigner:
    """Says which bucket, a directory under the sink's path, each row belongs to.

    Made by its static methods; immutable and comparable. A sink without one uses hourly buckets by
    processing time in UTC. A bucket that would leave the path, or that readers would not see, fails
    the query.

    >>> BucketAssigner.expression("country").options()
    {'bucketBy': 'country'}
    """

    _pairs: Pairs

    @staticmethod
    def date_time_bucket_assigner(
        format_str: str | None = None, timezone_id: str | None = None, column: str | None = None
    ) -> BucketAssigner:
        """Buckets by time: `yyyy-MM-dd--HH` makes one for each hour.

        :param format_str: a pattern of Java's `DateTimeFormatter`; `yyyy-MM-dd--HH` by default, and
            its `/` makes nested directories.
        :param timezone_id: the zone in which times are written, such as `Europe/Berlin`; UTC by default,
            not the machine's as in PyFlink, so that a move to another machine moves no bucket.
        :param column: a timestamp column that holds the event's time; by default the bucket
            follows the time at which a row is written.

        >>> BucketAssigner.date_time_bucket_assigner("yyyy/MM/dd", "Europe/Berlin", column="ts").options()
        ... # doctest: +NORMALIZE_WHITESPACE
        {'bucketAssigner': 'dateTime', 'bucketFormat': 'yyyy/MM/dd',
         'timeZone': 'Europe/Berlin', 'bucketColumn': 'ts'}
        """
        return _of(
            {
                "bucketAssigner": "dateTime",
                "bucketFormat": format_str,
                "timeZone": timezone_id,
                "bucketColumn": column,
            }
        )

    @staticmethod
    def base_path_bucket_assigner() -> BucketAssigner:
        """No buckets: every part lies directly under the sink's path.

        >>> BucketAssigner.base_path_bucket_assigner().options()
        {'bucketAssigner': 'basePath'}
        """
        return _of({"bucketAssigner": "basePath"})

    @staticmethod
    def expression(sql: str) -> BucketAssigner:
        """The bucket is what a SQL expression over the row's columns says.

        :param sql: the expression; its value is taken as a string, with `/` between nested directories.

        >>> BucketAssigner.expression("concat(country, '/', date_format(ts, 'yyyy-MM'))").options()
        {'bucketBy': "concat(country, '/', date_format(ts, 'yyyy-MM'))"}
        """
        return _of({"bucketBy": sql})

    @staticmethod
    def partition_columns(*columns: str) -> BucketAssigner:
        """Hive-style directories, `a=1/b=2`, which readers turn back into columns.

        The columns are left out of the rows and escaped as Spark does. Use this and not
        `DataStreamWriter.partitionBy`, which Spark drops without a word for sinks of this kind.

        :param columns: one column or more, outermost first.

        >>> BucketAssigner.partition_columns("country", "day").options()
        {'partitionBy': 'country,day'}
        """
        if not columns:
            raise ValueError("partition_columns needs the name of at least one column")
        with_comma = [column for column in columns if "," in column]
        if with_comma:
            raise ValueError(f"a partition column's name must not hold a comma: {', '.join(with_comma)!r}")
        return _of({"partitionBy": ",".join(columns)})

    @staticmethod
    def of_class(class_name: str) -> BucketAssigner:
        """A class on the session's class path that extends `stoplog.bucket.BucketAssigner`.

        :param class_name: its fully qualified name; it needs a constructor without arguments.

        >>> BucketAssigner.of_class("com.acme.ByTenant").options()
        {'bucketAssigner': 'com.acme.ByTenant'}
        """
        return _of({"bucketAssigner": class_name})

    def options(self) -> dict[str, str]:
        """The options that this assigner stands for."""
        return dict(self._pairs)


def _of(options: dict[str, str] | dict[str, str | None]) -> BucketAssigner:
    return BucketAssigner(tuple(present(options).items()))
