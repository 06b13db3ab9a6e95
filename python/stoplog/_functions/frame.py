# SPDX-License-Identifier: Apache-2.0
"""DataFrames with the user's functions in front of the sink, or after the source."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from stoplog._functions.code import UserCode, plan_of
from stoplog._functions.encode import BucketNames, Encoded
from stoplog._functions.read import Reading
from stoplog._functions.task import Function
from stoplog._text.values import names_of
from stoplog.errors import InvalidOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

BUCKET = "_python_bucket"
"""The column with the bucket of a row, which the files do not contain."""

VALUE = "_python_value"
"""The column with the bytes that an encoder function returned."""

_GROUP = "_python_group"

_WATERMARK = "spark.watermarkDelayMs"
"""The metadata of the column of a `withWatermark`."""


@dataclass(frozen=True, slots=True)
class RowFunction:
    """A function of Arrow batches.

    Attributes:
        columns: the columns of the batches; `None` for all.
    """

    code: UserCode
    columns: tuple[str, ...] | None

    @classmethod
    def of(cls, method: str, function: Callable[..., Any], columns: Sequence[str] | None) -> RowFunction:
        """Pickles the function.

        Args:
            method: the method that received the function.

        Raises:
            TypeError: the function cannot be pickled.
            ValueError: the list of columns is empty.
        """
        names = None if columns is None else tuple(names_of(method, "column", [columns]))
        return cls(UserCode.of_function(method, function), names)

    def columns_in(self, df: DataFrame, otherwise: Sequence[str]) -> list[str]:
        """Returns the columns of the batches, in the spelling of the rows."""
        chosen = otherwise if self.columns is None else self.columns
        return [resolved(df, name, self.code.owner) for name in chosen]

    def in_task(self) -> Function:
        return Function(self.code.owner, self.code.pickled)


@dataclass(frozen=True, slots=True)
class SinkFunctions:
    """The functions of a file sink."""

    bucket: RowFunction | None = None
    encoder: RowFunction | None = None

    def applied(self, df: DataFrame, options: Mapping[str, str]) -> DataFrame:
        """Returns the rows as the sink of these options expects the rows.

        Raises:
            InvalidOptions: a function needs a column that the rows do not have, or the rows have a column of
                this package.
        """
        used = [each for each in (self.bucket, self.encoder) if each is not None]
        taken = {BUCKET, VALUE, _GROUP}.intersection(df.columns) if used else ()
        for name in taken:
            raise _invalid(
                f"The rows have a column {name}, which {used[0].code.owner} adds. Rename the column."
            )
        if self.encoder is not None:
            return self._encoded(df, self.encoder, {key.lower(): value for key, value in options.items()})
        return df if self.bucket is None else _with_bucket(df, _names(df, self.bucket))

    def _encoded(self, df: DataFrame, encoder: RowFunction, options: Mapping[str, str]) -> DataFrame:
        from pyspark.sql import functions as F
        from pyspark.sql.types import BinaryType, StringType, StructField, StructType

        owner = encoder.code.owner
        rows, by, kept = df, list[str](), list[str]()
        if self.bucket is not None:
            by, kept = [BUCKET], [BUCKET]
        elif "bucketby" in options:
            rows = df.withColumn(_GROUP, F.expr(options["bucketby"]).cast("string"))
            by, kept = [_GROUP], df.columns
        else:
            by = kept = [resolved(df, name, owner) for name in _columns_of_buckets(options, owner)]
        times = [resolved(df, name, owner) for name in _columns_of_event_times(df, options)]
        kept = list(dict.fromkeys([*kept, *times]))
        outside = by if "partitionby" in options else []
        columns = encoder.columns_in(df, [name for name in df.columns if name not in outside])
        names = None if self.bucket is None else _names(df, self.bucket)
        plan = Encoded(encoder.in_task(), columns, names, by, kept, VALUE, times)
        added = StructField(BUCKET, StringType())
        fields = {field.name: field for field in [*df.schema.fields, added]}
        schema = StructType([*(fields[name] for name in kept), StructField(VALUE, BinaryType())])
        return rows.mapInArrow(batch_function(plan), schema)


NO_FUNCTIONS = SinkFunctions()


@dataclass(frozen=True, slots=True)
class FileReader:
    """A function that reads files.

    Attributes:
        schema: the columns of the function's batches, as DDL or JSON.
    """

    code: UserCode
    schema: str
    access: Literal["forward", "random"]

    def read(self, chunks: DataFrame) -> DataFrame:
        """Returns the rows of the files whose chunks a source returns."""
        from pyspark.sql.pandas.types import to_arrow_schema
        from pyspark.sql.types import StructType

        schema = self.columns()
        directories = [field for field in chunks.schema.fields if not field.name.startswith("_chunk_")]
        plan = Reading(
            Function(self.code.owner, self.code.pickled),
            to_arrow_schema(schema),
            [field.name for field in directories],
            self.access,
        )
        return chunks.mapInArrow(batch_function(plan), StructType([*schema.fields, *directories]))

    def columns_without_session(self) -> pa.Schema | None:
        """Returns the columns of the function's batches; `None` for DDL, which only a session can parse."""
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self.columns()) if self.schema.startswith("{") else None

    def columns(self) -> StructType:
        """Returns the columns of the function's batches; needs a session for DDL."""
        return columns_of(self.schema)


def columns_of(schema: str) -> StructType:
    """Returns the columns of DDL, which needs a session, or of JSON.

    Raises:
        ValueError: the text has no columns.
    """
    from pyspark.sql.types import StructType

    if schema.startswith("{"):
        return StructType.fromJson(json.loads(schema))
    parsed = StructType.fromDDL(schema)
    if not isinstance(parsed, StructType):
        raise ValueError(f'The schema {schema} has no columns. Write "id bigint, name string".')
    return parsed


def resolved(df: DataFrame, name: str, owner: str) -> str:
    """Returns the name of a column in the spelling of the rows.

    Raises:
        InvalidOptions: the rows have no such column.
    """
    if name in df.columns:
        return name
    alike = [column for column in df.columns if column.lower() == name.lower()]
    if len(alike) != 1:
        raise _invalid(f"{owner} needs the column {name}, and the columns are {', '.join(df.columns)}.")
    return alike[0]


def batch_function(plan: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns a function for `mapInArrow` that needs no module of this package in the task."""
    pickled = plan_of(plan)

    # A function within a function, which cloudpickle sends by value.
    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pickle

        yield from pickle.loads(pickled)(batches)

    return run


def _names(df: DataFrame, bucket: RowFunction) -> BucketNames:
    return BucketNames(bucket.in_task(), bucket.columns_in(df, df.columns), BUCKET)


def _with_bucket(df: DataFrame, names: BucketNames) -> DataFrame:
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType, StructField, StructType

    arrow_udf: Any = getattr(F, "arrow_udf", None)
    if arrow_udf is None:  # Spark 4.0
        schema = StructType([*df.schema.fields, StructField(BUCKET, StringType())])
        return df.mapInArrow(batch_function(names), schema)
    # Only the columns of the function are sent to Python.
    name_of = arrow_udf(_array_function(names), StringType())
    return df.withColumn(BUCKET, name_of(F.struct(*(_column(name) for name in names.columns))))


def _array_function(names: BucketNames) -> Callable[..., Any]:
    import pyarrow as pa

    pickled = plan_of(names)

    def run(arrays: Any) -> Any:
        import pickle

        yield from pickle.loads(pickled).structs(arrays)

    # Spark finds the kind of a function by the types.
    run.__annotations__ = {"arrays": Iterator[pa.Array], "return": Iterator[pa.Array]}
    return run


def _column(name: str) -> Column:
    from pyspark.sql import functions as F

    return F.col(f"`{name.replace('`', '``')}`")


def _columns_of_buckets(options: Mapping[str, str], owner: str) -> list[str]:
    """Returns the columns that determine the bucket; none for buckets by the time of processing."""
    if "partitionby" in options:
        found = re.findall(r"\s*(?:`((?:[^`]|``)*)`|([^,`]+))\s*(?:,|$)", options["partitionby"])
        return [quoted.replace("``", "`") or plain.strip() for quoted, plain in found]
    assigner = options.get("bucketassigner", "dateTime")
    if assigner.lower() not in {"datetime", "basepath"}:
        raise _invalid(
            f"{owner} encodes the rows of one bucket, and the buckets of the JVM class {assigner} are not "
            "known in advance. Use BucketAssigner.from_function, with_partition_by or with_bucket_by."
        )
    return [options["bucketcolumn"]] if "bucketcolumn" in options else []


def _columns_of_event_times(df: DataFrame, options: Mapping[str, str]) -> list[str]:
    """Returns the column whose times the rolling policy uses; none for a policy without event times."""
    if "eventtimecolumn" in options:
        return [options["eventtimecolumn"]]
    policy = options.get("rollingpolicy", "default").lower()
    # A policy of this package receives no event times, except by the interval.
    is_own = policy in {"default", "oncheckpoint"} or policy.startswith("stoplog.python.")
    if is_own and options.get("eventtimeinterval", "none").lower() == "none":
        return []
    # As in the jar: the first timestamp with a watermark.
    watermarked = (field for field in df.schema.fields if _WATERMARK in field.metadata)
    return [field.name for field in watermarked if field.dataType.typeName() == "timestamp"][:1]


def _invalid(message: str) -> InvalidOptions:
    return InvalidOptions("STOPLOG_INVALID_OPTIONS", message)
