# SPDX-License-Identifier: Apache-2.0
"""Compares a two-phase sink in Python with `mapInArrow` into Spark's `noop`, process start included.

.venv/bin/python bench/python_sink.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark import cloudpickle

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 6_000_000
ROUNDS = 3

# Workers cannot import the benchmarks, so their functions travel whole.
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


class Discarding(stoplog.TwoPhaseSink):
    """Counts rows, and commits their number."""

    def writer(self, task: stoplog.WriterTask) -> stoplog.TwoPhaseWriter:
        return CountingWriter()

    def committer(self) -> stoplog.TwoPhaseCommitter:
        return NoCommitter()


class CountingWriter(stoplog.TwoPhaseWriter):
    def __init__(self) -> None:
        self.rows = 0

    def write(self, batch: Any) -> None:
        self.rows += batch.num_rows

    def prepare(self) -> list[stoplog.Prepared]:
        return [stoplog.Prepared(b"%d" % self.rows, self.rows)]


class NoCommitter(stoplog.TwoPhaseCommitter):
    def commit(self, prepared: stoplog.Prepared) -> stoplog.CommitOutcome:
        return stoplog.CommitOutcome.COMMITTED


def counted(batches: Iterable[Any]) -> Iterator[Any]:
    """The same work in a function of `mapInArrow`."""
    import pyarrow as pa

    rows = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_arrays([pa.array([rows])], names=["n"])


def ratio(df: DataFrame, rounds: int = ROUNDS) -> dict[str, float]:
    """Returns the median seconds of both, and the rows per second of the sink to those of `noop`."""
    runs: dict[str, Callable[[], None]] = {
        "noop": lambda: df.mapInArrow(counted, "n bigint").write.format("noop").mode("overwrite").save(),
        "sink": lambda: Discarding().write(df),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            begun = time.perf_counter()
            run()
            if number > 0:
                seconds[name].append(time.perf_counter() - begun)
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    return medians | {"ratio": medians["noop"] / medians["sink"]}


def main() -> None:
    """Prints the figures."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = stoplog.configure(builder).getOrCreate()
    df = spark.range(0, ROWS, 1, 4).selectExpr("id", "cast(id as string) as name", "id * 2.5 as price")
    for name, value in ratio(df).items():
        print(f"{name:6} {value:6.2f}")
    spark.stop()


if __name__ == "__main__":
    main()
