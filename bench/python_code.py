# SPDX-License-Identifier: Apache-2.0
"""Compares user code in Python with functions of Spark: batches of the same rows, in turn."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench import python_functions, python_sink
from bench.turns import in_turn

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Pair:
    """Seconds of stoplog and of its peer, in each round."""

    what: str
    seconds: Mapping[str, Sequence[float]]

    def ratio(self, name: str) -> float:
        """Returns the speed to that of the peer."""
        peer = list(self.seconds)[-1]
        return statistics.median(self.seconds[peer]) / statistics.median(self.seconds[name])


def pairs(spark: SparkSession, rounds: int, folder: Path) -> list[Pair]:
    """Measures all pairs, each after a round that is not counted. A single round has fewer rows."""
    out, is_quick = folder / "out", rounds == 1
    to_sink = python_sink.ROWS_QUICK if is_quick else python_sink.ROWS
    to_files = python_functions.ROWS_QUICK if is_quick else python_functions.ROWS
    buckets = python_functions.BUCKETS
    measured = {
        f"{to_sink:,} rows to a two-phase sink that counts": python_sink.peers(spark, to_sink),
        f"{to_files:,} rows as JSON in {buckets} buckets of a function": (
            python_functions.bucket_peers(spark, to_files, out)
        ),
        f"{to_files:,} rows as lines of a function": python_functions.encoder_peers(spark, to_files, out),
    }
    return [
        Pair(what, in_turn(peers, rounds, after=lambda: shutil.rmtree(out, ignore_errors=True)))
        for what, peers in measured.items()
    ]


def python_section(measured: Sequence[Pair]) -> list[str]:
    lines = [
        "A batch in one session of two cores. The start of the driver's Python process is part of the sink's",
        "time. A ratio above 1 is faster than the peer.",
        "",
        "| | s | ratio | rounds |",
        "|---|---:|---:|---|",
    ]
    for pair in measured:
        for name, seconds in pair.seconds.items():
            median, rounds = statistics.median(seconds), " ".join(format(each, ".1f") for each in seconds)
            lines.append(f"| {pair.what}: {name} | {median:.1f} | {pair.ratio(name):.2f} | {rounds} |")
    return lines
