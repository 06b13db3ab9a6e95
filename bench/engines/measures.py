# SPDX-License-Identifier: Apache-2.0
"""The figures that are compared, each with which of two is the better one."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bench.engines.rounds import Result, Round


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of each round.

    Attributes:
        name: with its unit.
        better: whether more of it is better, or less.
        of: the figure of one round.
        shown: how it is written.
    """

    name: str
    better: Literal["more", "less"]
    of: Callable[[Round], float]
    shown: str = ",.0f"

    def values(self, result: Result) -> list[float]:
        return [self.of(row) for row in result.rounds]

    def median(self, result: Result) -> float:
        return statistics.median(self.values(result))


def fresh_measures() -> list[Measure]:
    return [
        Measure("fresh process: CPU s", "less", lambda row: row.fresh.cpu_seconds, ",.2f"),
        Measure("fresh process: s", "less", lambda row: row.fresh.seconds, ",.2f"),
    ]


def large_measures() -> list[Measure]:
    """Of the steady state. No trigger caps these rows: a micro-batch follows the preceding one at once."""
    return [
        Measure("rows per second", "more", lambda row: row.large.steady.rows / row.large.steady.seconds),
        Measure(
            "rows per CPU second", "more", lambda row: row.large.steady.rows / row.large.steady.cpu_seconds
        ),
    ]


def thread_measures() -> list[Measure]:
    """Only for engines on Spark."""
    kinds = {
        "executors, user": "executor_user",
        "executors, kernel": "executor_sys",
        "C2": "optimizing",
        "C1": "quick",
        "rest": "rest",
    }
    return [Measure(name, "less", _of_threads(field), ",.2f") for name, field in kinds.items()]


def _of_threads(field: str) -> Callable[[Round], float]:
    return lambda row: float(getattr(row.large.steady.threads, field))


def small_measures() -> list[Measure]:
    return [
        Measure(
            "CPU ms per commit",
            "less",
            lambda row: row.small.steady.cpu_seconds * 1000 / row.small.steady.commits,
            ",.1f",
        ),
        Measure("ms per commit", "less", lambda row: statistics.median(row.small.commit_millis), ",.0f"),
    ]


FILES = Measure("files with rows", "less", lambda row: row.small_left.files)
OTHER_FILES = Measure("other files", "less", lambda row: row.small_left.other_files)
BYTES = Measure("MB of files with rows", "less", lambda row: row.small_left.bytes / 1e6, ",.2f")
OTHER_BYTES = Measure("kB of other files", "less", lambda row: row.small_left.other_bytes / 1e3, ",.1f")
LARGE_BYTES = Measure("MB after few commits", "less", lambda row: row.large_left.bytes / 1e6, ",.2f")
LEFT = (FILES, BYTES, OTHER_FILES, OTHER_BYTES, LARGE_BYTES)
MEMORY = Measure("peak MiB", "less", lambda row: row.peak_bytes / (1 << 20))
