# SPDX-License-Identifier: Apache-2.0
"""Upserts and scans by Spark with stoplog beside the driver alone, on one node on the same machine.

Measured by `stoplog.cassandra.bench` among the Scala tests: this runs it. By itself it prints the table:

    python bench/cassandra.py --rounds 5 --upserts 100000 --scans 400000
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "cassandra/Test/runMain stoplog.cassandra.bench.CassandraSpeed"
ALONE = "driver alone"
UPSERTS = 100_000
SCANS = 400_000


@dataclass(frozen=True, slots=True)
class Speed:
    """Rows per second of one peer in each round."""

    task: str
    rows_per_partition: int
    rows: int
    peer: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


def speeds(rounds: int, upserts: int, scans: int, folder: Path) -> list[Speed]:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "cassandra.json"
    command = [str(ROOT / "scripts" / "sbt"), f"{PROGRAM} {target} {rounds} {upserts} {scans}"]
    subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=True)
    return read(target)


def read(file: Path) -> list[Speed]:
    return [
        Speed(row["task"], row["rowsPerPartition"], row["rows"], row["peer"], tuple(row["rowsPerSecond"]))
        for row in json.loads(file.read_text(encoding="utf-8"))
    ]


def cassandra_section(measured: Sequence[Speed]) -> list[str]:
    return [
        "Rows of five columns, by two tasks of Spark (`local[2]`), and by a program with two threads without",
        "Spark and stoplog: the same statements, 256 requests in flight in each thread, and for scans the",
        "next page requested in advance. The node runs on the same machine, and uses most of its CPU time.",
        f"All take turns; figures are medians of {len(measured[0].rounds)} rounds.",
        "",
        *table(measured),
    ]


def table(measured: Sequence[Speed]) -> list[str]:
    alone = {(row.task, row.rows_per_partition): row.median for row in measured if row.peer.startswith(ALONE)}
    lines = [
        f"| {row.task} {row.rows:,} rows | {row.rows_per_partition} | {row.peer} | {row.median:,.0f} "
        f"| {row.median / alone[row.task, row.rows_per_partition]:.2f} "
        f"| {' '.join(f'{value:,.0f}' for value in row.rounds)} |"
        for row in measured
    ]
    heads = "| | rows of a partition | by | rows per second | to the driver | rounds |"
    return [heads, "|---|---:|---|---:|---:|---|", *lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--upserts", type=int, default=UPSERTS)
    parser.add_argument("--scans", type=int, default=SCANS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stoplog-bench-") as folder:
        measured = speeds(arguments.rounds, arguments.upserts, arguments.scans, Path(folder))
    print("\n".join(cassandra_section(measured)))


if __name__ == "__main__":
    main()
