# SPDX-License-Identifier: Apache-2.0
"""Calls of 50 ms from one task, beside the time that their number and the capacity allow at best."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.turns import in_turn
from pyspark import cloudpickle

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

ROOT = Path(__file__).resolve().parent.parent
CALLS = 10_000
CAPACITY = 500
CALL_SECONDS = 0.05
IDEAL_SECONDS = CALLS / CAPACITY * CALL_SECONDS

# Workers cannot import the benchmarks, so their functions travel whole.
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Calls:
    """The seconds of all calls, in each round."""

    who: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


def calls(spark: SparkSession, rounds: int, folder: Path) -> list[Calls]:
    """In turn, after a round that is not counted; those of Scala in a JVM of their own."""
    peers: dict[str, Callable[[], None]] = {
        "asyncio alone, a semaphore": lambda: asyncio.run(alone()),
        "Spark with rows to Python and back, no calls": lambda: passed_through(spark),
        "`async_map`, ordered": lambda: in_spark(spark, "ordered"),
        "`async_map`, unordered": lambda: in_spark(spark, "unordered"),
    }
    seconds = in_turn(peers, rounds)
    return [*(Calls(name, tuple(each)) for name, each in seconds.items()), *in_scala(rounds, folder)]


async def call(row: Row) -> tuple[Any, ...]:
    await asyncio.sleep(CALL_SECONDS)
    return (row.id, "answer")


async def alone() -> None:
    """What the machine's asyncio does of it without Spark."""
    free = asyncio.Semaphore(CAPACITY)

    async def one() -> None:
        async with free:
            await asyncio.sleep(CALL_SECONDS)

    await asyncio.gather(*(one() for _ in range(CALLS)))


def in_spark(spark: SparkSession, order: Any) -> None:
    """A whole query: planned, scheduled, rows to Python and back."""
    rows = spark.range(0, CALLS, numPartitions=1)
    schema = "id bigint, answer string"
    result = stoplog.async_map(rows, call, schema, capacity=CAPACITY, order=order)
    result.write.format("noop").mode("overwrite").save()


def passed_through(spark: SparkSession) -> None:
    """What the query costs without its calls."""
    rows = spark.range(0, CALLS, numPartitions=1)
    rows.mapInArrow(lambda batches: batches, "id bigint").write.format("noop").mode("overwrite").save()


def in_scala(rounds: int, folder: Path) -> list[Calls]:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "scala.json"
    numbers = f"{rounds} {CALLS} {CAPACITY} {round(CALL_SECONDS * 1000)}"
    task = f"async/Test/runMain stoplog.async.bench.Calls {target} {numbers}"
    subprocess.run([ROOT / "scripts" / "sbt", task], cwd=ROOT, stdout=sys.stderr, check=True)
    found = json.loads(target.read_text(encoding="utf-8"))
    return [Calls(row["who"], tuple(row["seconds"])) for row in found]


def async_section(measured: Sequence[Calls]) -> list[str]:
    return [
        f"{CALLS:,} calls of {CALL_SECONDS * 1000:.0f} ms each (a timer, no server) in one task, of which",
        f"{CAPACITY} are in flight: {IDEAL_SECONDS:.1f} s at best. The figures cover a whole batch query in",
        "a warm session: planning, the start of the task, the transfer of rows to Python and back, the",
        f"calls, and a sink that drops the rows. They are medians of {len(measured[0].rounds)} rounds, after",
        "a warm-up round.",
        "",
        "| | seconds | of the ideal | rounds |",
        "|---|---:|---:|---|",
        *(
            f"| {row.who} | {row.median:.2f} | {row.median / IDEAL_SECONDS:.2f} "
            f"| {' '.join(f'{value:.2f}' for value in row.rounds)} |"
            for row in measured
        ),
    ]
