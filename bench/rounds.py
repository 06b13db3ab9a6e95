# SPDX-License-Identifier: Apache-2.0
"""Runs every sink in turn, several rounds of it, each round in another order."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.peers import Peer
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

LINE_BYTES = 40
FIRST_BATCHES = 5  # of each query, before its steady state: other queries cannot warm it up

# Rounds, MiB of a text file, files of 4 KB, rows of Parquet, and files that are only found.
SOURCE = (3, 1_024, 20_000, 20_000_000, 100_000)
SOURCE_QUICK = (1, 128, 1_000, 500_000, 10_000)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    rounds: int
    small_batches: int
    small_rows: int
    large_batches: int
    large_rows: int
    growth_batches: tuple[int, ...]
    open_parts: tuple[int, ...]
    recovery_rounds: int
    store_rounds: int
    store_mib: int
    bulk_batches: int
    source_rounds: int
    source_mib: int
    source_small_files: int
    source_parquet_rows: int
    source_files: int

    @staticmethod
    def full() -> Plan:
        return Plan(5, 60, 1_000, 5, 2_000_000, (10, 100, 300), (10, 1_000, 10_000), 3, 5, 128, 600, *SOURCE)

    @staticmethod
    def quick() -> Plan:
        return Plan(1, 30, 1_000, 3, 2_000_000, (10, 50), (10, 1_000), 1, 1, 16, 100, *SOURCE_QUICK)


@dataclass(frozen=True, slots=True)
class Measured:
    """One sink's figure in each round: the median of its micro-batches."""

    peer: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


def latency_rounds(spark: SparkSession, peers: Sequence[Peer], plan: Plan, folder: Path) -> list[Measured]:
    """Milliseconds per micro-batch of few rows."""
    measured = in_turn(spark, peers, plan.rounds, plan.small_rows, plan.small_batches, folder)
    return [Measured(name, tuple(values)) for name, values in measured.items()]


def throughput_rounds(spark: SparkSession, peers: Sequence[Peer], plan: Plan, folder: Path) -> list[Measured]:
    """Rows per second in micro-batches of many rows."""
    measured = in_turn(spark, peers, plan.rounds, plan.large_rows, plan.large_batches, folder)
    return [
        Measured(name, tuple(plan.large_rows * 1000 / v for v in values)) for name, values in measured.items()
    ]


def in_turn(
    spark: SparkSession, peers: Sequence[Peer], rounds: int, rows: int, batches: int, folder: Path
) -> dict[str, list[float]]:
    """The median milliseconds per micro-batch of each peer and round; one more round before, to warm up."""
    measured: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for number in range(rounds + 1):
        shift = number % len(peers)
        for position, peer in enumerate((*peers[shift:], *peers[:shift])):
            # Not the last peer's: a sink may still end its parts there, behind its stopped query.
            place = folder / f"{number}-{position}"
            millis = batch_millis(spark, peer, rows, batches, place)
            if number > 0:
                measured[peer.name].append(statistics.median(millis))
            shutil.rmtree(place, ignore_errors=True)
    return measured


def batch_millis(spark: SparkSession, peer: Peer, rows: int, batches: int, place: Path) -> list[float]:
    """How long each micro-batch took, those left out in which a query gets going."""
    writer = peer.writer(lines(spark, rows), place / "out")
    query = (
        writer.option("checkpointLocation", str(place / "checkpoint"))
        .trigger(processingTime="0 seconds")
        .start()
    )
    try:
        wait_for(query, batches + FIRST_BATCHES)
    finally:
        query.stop()
    done = [p for p in query.recentProgress if p["numInputRows"] == rows]
    return [float(p["durationMs"]["triggerExecution"]) for p in done[FIRST_BATCHES : batches + FIRST_BATCHES]]


def lines(spark: SparkSession, rows: int) -> DataFrame:
    """A stream of lines of `LINE_BYTES` each, the line feed counted."""
    source = (
        spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).option("numPartitions", 2)
    )
    number = "cast(10000000 + value AS string)"  # always eight digits: streams start at 0 and stay far below
    return source.load().selectExpr(f"concat('{'-' * (LINE_BYTES - 9)}', {number}) AS line")


def wait_for(query: StreamingQuery, batches: int) -> None:
    while True:
        progress = query.lastProgress
        if progress is not None and progress["batchId"] >= batches - 1:
            return
        if not query.isActive:
            raise RuntimeError(str(query.exception()))
        time.sleep(0.05)
