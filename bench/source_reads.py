# SPDX-License-Identifier: Apache-2.0
"""Reads of the same files by our source and by Spark's own, in turn, in one session."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bench.bulk import cpu_millis

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Side = Literal["stoplog", "Spark"]
SIDES: tuple[Side, ...] = ("stoplog", "Spark")


@dataclass(frozen=True, slots=True)
class Cost:
    """One read: CPU time of the whole process, time by the clock, and micro-batches (0 for a batch query)."""

    cpu_millis: float
    wall_millis: float
    batches: int


@dataclass(frozen=True, slots=True)
class Read:
    """A way to read some files. `run` gets a place for a checkpoint."""

    name: str
    side: Side
    run: Callable[[Path], int]


@dataclass(frozen=True, slots=True)
class Measured:
    """A way to read, and what each round cost."""

    name: str
    side: Side
    rounds: tuple[Cost, ...]

    @property
    def cpu_seconds(self) -> float:
        return statistics.median(cost.cpu_millis for cost in self.rounds) / 1000

    @property
    def wall_seconds(self) -> float:
        return statistics.median(cost.wall_millis for cost in self.rounds) / 1000

    @property
    def batches(self) -> int:
        return self.rounds[-1].batches


@dataclass(frozen=True, slots=True)
class Files:
    """What is read, by whichever side: `options` of the read, the columns of the files, and how many rows."""

    path: Path
    format: str
    schema: str
    rows: int

    def streamed(self, spark: SparkSession, side: Side, options: dict[str, str]) -> DataFrame:
        reader = spark.readStream.options(**options).schema(self.schema)
        if side == "Spark":
            return reader.format(self.format).load(str(self.path))
        return reader.format("stoplog").option("format", self.format).load(str(self.path))

    def loaded(self, spark: SparkSession, side: Side) -> DataFrame:
        reader = spark.read.schema(self.schema)
        if side == "Spark":
            return reader.format(self.format).load(str(self.path))
        return reader.format("stoplog").option("format", self.format).load(str(self.path))


def in_turn(spark: SparkSession, reads: Sequence[Read], rounds: int, folder: Path) -> list[Measured]:
    """Each round in another order; one more round before, which is not counted, to warm up."""
    costs: dict[tuple[str, Side], list[Cost]] = {(read.name, read.side): [] for read in reads}
    for number in range(rounds + 1):
        shift = number % len(reads)
        for read in (*reads[shift:], *reads[:shift]):
            place = folder / "checkpoint"
            cpu, started = cpu_millis(spark), time.perf_counter()
            batches = read.run(place)
            wall = (time.perf_counter() - started) * 1000
            if number > 0:
                costs[read.name, read.side].append(Cost(cpu_millis(spark) - cpu, wall, batches))
            shutil.rmtree(place, ignore_errors=True)
    return [Measured(name, side, tuple(all_of)) for (name, side), all_of in costs.items()]


def streaming(
    spark: SparkSession, name: str, side: Side, files: Files, rows: str, options: dict[str, str]
) -> Read:
    """All that is there, in as many micro-batches as the options make of it, to nowhere.

    Without a state, so that the micro-batches cost little beside the reading.
    """

    def run(place: Path) -> int:
        frame = files.streamed(spark, side, options).selectExpr(rows)
        writer = frame.writeStream.format("noop").option("checkpointLocation", str(place))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        done = [p for p in query.recentProgress if p["numInputRows"] > 0]
        found = sum(p["numInputRows"] for p in done)
        if found != files.rows:
            raise RuntimeError(f"{side} read {found} rows of {files.rows} in {files.path}")
        return len(done)

    return Read(name, side, run)


def batch(spark: SparkSession, name: str, side: Side, files: Files, sums: Sequence[str]) -> Read:
    """A batch query of some sums; the number of rows is seen to."""

    def run(_: Path) -> int:
        found = files.loaded(spark, side).selectExpr("count(*)", *sums).collect()[0]
        if found[0] != files.rows:
            raise RuntimeError(f"{side} read {found[0]} rows of {files.rows} in {files.path}")
        return 0

    return Read(name, side, run)


def of(measured: Sequence[Measured], name: str, side: Side) -> Measured:
    return next(row for row in measured if (row.name, row.side) == (name, side))


def table(measured: Sequence[Measured]) -> list[str]:
    """Both sides of each read, and the ratio of their CPU times."""
    names = list(dict.fromkeys(row.name for row in measured))
    lines = []
    for name in names:
        ours, sparks = of(measured, name, "stoplog"), of(measured, name, "Spark")
        ratio = ours.cpu_seconds / sparks.cpu_seconds
        lines += [
            f"| {name} | stoplog | {cells(ours)} | {ratio:.2f} | {listed(ours)} |",
            f"| {name} | Spark | {cells(sparks)} | 1.00 | {listed(sparks)} |",
        ]
    heads = "| read | by | micro-batches | seconds | CPU seconds | to Spark's | CPU seconds of each round |"
    return [heads, "|---|---|---:|---:|---:|---:|---|", *lines]


def cells(row: Measured) -> str:
    batches = f"{row.batches}" if row.batches else ""
    return f"{batches} | {row.wall_seconds:.2f} | {row.cpu_seconds:.2f}"


def listed(row: Measured) -> str:
    return " ".join(f"{cost.cpu_millis / 1000:.2f}" for cost in row.rounds)
