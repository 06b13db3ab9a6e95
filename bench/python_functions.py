# SPDX-License-Identifier: Apache-2.0
"""Compares bucket and encoder functions with `pandas_udf` into Spark's own sinks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import cloudpickle
from pyspark.sql import functions as F

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Workers cannot import the benchmarks, so their functions travel whole.
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

ROWS = 1_000_000
ROWS_QUICK = 200_000
BUCKETS = 8

pandas_udf: Any = getattr(F, "pandas_udf")  # noqa: B009 mypy knows no such name


def bucket_of(batch: pa.RecordBatch) -> pa.Array:
    return pc.binary_join_element_wise("b=", pc.cast(pc.bit_wise_and(batch.column("id"), 7), pa.string()), "")


def lines_of_pandas(batch: pa.RecordBatch) -> bytes:
    """The loop of `lines_by_pandas`."""
    columns = batch.to_pandas()
    pairs = zip(columns["id"], columns["word"], strict=True)
    return "".join([f"{number};{word}\n" for number, word in pairs]).encode()


def lines_of_lists(batch: pa.RecordBatch) -> bytes:
    """The same loop over the lists of pyarrow, which cost more than the loop."""
    pairs = zip(batch.column("id").to_pylist(), batch.column("word").to_pylist(), strict=True)
    return "".join([f"{number};{word}\n" for number, word in pairs]).encode()


def rows(spark: SparkSession, count: int) -> DataFrame:
    return spark.range(0, count, 1, 2).selectExpr("id", "concat('word ', id) as word", "id * 0.5 as half")


def buckets_here(df: DataFrame, out: Path) -> None:
    assigner = stoplog.BucketAssigner.from_function(bucket_of, columns=["id"])
    stoplog.FileSink.for_row_format(out, "json").with_bucket_assigner(assigner).build().write(df)


def buckets_by_pandas(df: DataFrame, out: Path) -> None:
    def bucket(number: pd.Series) -> pd.Series:
        return (number % BUCKETS).astype(str)

    df.withColumn("b", pandas_udf(bucket, "string")("id")).write.mode("append").partitionBy("b").json(
        str(out)
    )


def lines_here(df: DataFrame, out: Path, lines_of: Callable[[pa.RecordBatch], bytes]) -> None:
    encoder = stoplog.Encoder.from_function(lines_of, ".txt", columns=["id", "word"])
    plain = stoplog.BucketAssigner.base_path_bucket_assigner()
    stoplog.FileSink.for_row_format(out, encoder).with_bucket_assigner(plain).build().write(df)


def lines_by_pandas(df: DataFrame, out: Path) -> None:
    def line(number: pd.Series, word: pd.Series) -> pd.Series:
        return pd.Series([f"{n};{w}" for n, w in zip(number, word, strict=True)])

    df.select(pandas_udf(line, "string")("id", "word")).write.mode("append").text(str(out))


def bucket_peers(spark: SparkSession, count: int, out: Path) -> dict[str, Callable[[], None]]:
    """Returns the calls that each write all rows as JSON into buckets."""
    df = rows(spark, count)
    return {
        "`BucketAssigner.from_function`": lambda: buckets_here(df, out),
        "`pandas_udf`, Spark's json": lambda: buckets_by_pandas(df, out),
    }


def encoder_peers(spark: SparkSession, count: int, out: Path) -> dict[str, Callable[[], None]]:
    """Returns the calls that each write all rows as lines of their own format."""
    df = rows(spark, count)
    return {
        "`Encoder.from_function`, pandas columns": lambda: lines_here(df, out, lines_of_pandas),
        "`Encoder.from_function`, `to_pylist`": lambda: lines_here(df, out, lines_of_lists),
        "`pandas_udf`, Spark's text": lambda: lines_by_pandas(df, out),
    }
