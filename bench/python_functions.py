# SPDX-License-Identifier: Apache-2.0
"""Compares bucket and encoder functions with `pandas_udf` into Spark's own sinks.

python bench/python_functions.py            a table of seconds and ratios
python bench/python_functions.py 2000000 5  rows, and rounds after a round that is not counted
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
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

BUCKETS = 8

pandas_udf: Any = getattr(F, "pandas_udf")  # noqa: B009 mypy knows no such name


def bucket_of(batch: pa.RecordBatch) -> pa.Array:
    return pc.binary_join_element_wise("b=", pc.cast(pc.bit_wise_and(batch.column("id"), 7), pa.string()), "")


def line_of(batch: pa.RecordBatch) -> bytes:
    columns = zip(batch.column("id").to_pylist(), batch.column("word").to_pylist(), strict=True)
    return "".join([f"{number};{word}\n" for number, word in columns]).encode()


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


def lines_here(df: DataFrame, out: Path) -> None:
    encoder = stoplog.Encoder.from_function(line_of, ".txt", columns=["id", "word"])
    plain = stoplog.BucketAssigner.base_path_bucket_assigner()
    stoplog.FileSink.for_row_format(out, encoder).with_bucket_assigner(plain).build().write(df)


def lines_by_pandas(df: DataFrame, out: Path) -> None:
    def line(number: pd.Series, word: pd.Series) -> pd.Series:
        return pd.Series([f"{n};{w}" for n, w in zip(number, word, strict=True)])

    df.select(pandas_udf(line, "string")("id", "word")).write.mode("append").text(str(out))


PAIRS: dict[str, tuple[Callable[..., None], Callable[..., None]]] = {
    f"JSON in {BUCKETS} buckets of a function": (buckets_here, buckets_by_pandas),
    "lines of an encoder function": (lines_here, lines_by_pandas),
}


def seconds(run: Callable[..., None], df: DataFrame, folder: Path) -> float:
    out = folder / "out"
    begun = time.perf_counter()
    run(df, out)
    took = time.perf_counter() - begun
    shutil.rmtree(out)
    return took


def main(count: int, rounds: int) -> None:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = stoplog.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    df = rows(spark, count)
    print(f"| {count:,} rows | stoplog | pandas_udf, Spark's sink | speed |\n|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, pair in PAIRS.items():
            found = [[seconds(run, df, Path(folder)) for run in pair] for _ in range(rounds + 1)][1:]
            own, other = (statistics.median(each) for each in zip(*found, strict=True))
            print(f"| {name} | {own:.2f} s | {other:.2f} s | {other / own:.2f} |", flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*(int(argument) for argument in (sys.argv[1:] or ["1000000", "3"])))
