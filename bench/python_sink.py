# SPDX-License-Identifier: Apache-2.0
"""Compares a two-phase sink in Python with `mapInArrow` into Spark's `noop`, process start included."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark import cloudpickle

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 6_000_000
ROWS_QUICK = 1_000_000

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


def peers(spark: SparkSession, count: int) -> dict[str, Callable[[], None]]:
    """Returns the calls that each write all rows."""
    df = spark.range(0, count, 1, 4).selectExpr("id", "cast(id as string) as name", "id * 2.5 as price")
    return {"`TwoPhaseSink`": lambda: Discarding().write(df), "`mapInArrow` into noop": lambda: to_noop(df)}


def to_noop(df: DataFrame) -> None:
    df.mapInArrow(counted, "n bigint").write.format("noop").mode("overwrite").save()
