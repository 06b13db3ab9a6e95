# SPDX-License-Identifier: Apache-2.0
"""Parts on HDFS and S3 against the streams of the same file systems, and what the servers are asked for.

Measured without Spark, by the programs of `stoplog.bench` among the Scala tests: this runs them.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.rounds import Plan

ROOT = Path(__file__).resolve().parent.parent
HDFS_TIMES = 4  # as large a file there as on S3: it takes no more time


@dataclass(frozen=True, slots=True)
class Speed:
    """MiB per second of so many writers together, in each round; `measure` names whom to compare with."""

    storage: str
    writers: int
    peer: str
    measure: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


@dataclass(frozen=True, slots=True)
class RequestCount:
    """Calls of an epoch by their names: for each part of a kind, and those made once for all of them."""

    storage: str
    part: str
    each: Mapping[str, float]
    once: Mapping[str, float]


def speeds(plan: Plan, folder: Path) -> list[Speed]:
    sizes = (str(HDFS_TIMES * plan.store_mib), str(plan.store_mib))
    found = measured("StoreThroughput", folder, str(plan.store_rounds), *sizes)
    return [
        Speed(row["storage"], row["writers"], row["peer"], row["measure"], tuple(row["mibPerSecond"]))
        for row in found
    ]


def requests(folder: Path) -> list[RequestCount]:
    return [
        RequestCount(row["storage"], row["part"], row["each"], row["once"])
        for row in measured("StoreRequests", folder)
    ]


def measured(program: str, folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """What the program writes to the file that it is told first."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{program}.json"
    task = f"core/Test/runMain stoplog.bench.{program} {target} {' '.join(arguments)}"
    subprocess.run([ROOT / "scripts" / "sbt", task.strip()], cwd=ROOT, stdout=sys.stderr, check=True)
    rows: list[dict[str, Any]] = json.loads(target.read_text(encoding="utf-8"))
    return rows


def speed_section(measured: Sequence[Speed], mib: int) -> list[str]:
    return [
        "Each writer writes one file to the server, in pieces of 64 KiB, until readers see the file:",
        f"{HDFS_TIMES * mib} MiB on HDFS, {mib} MiB on S3. It uses the file system's own stream, or writes a",
        "part in one epoch or in eight, each of which ends durable. The writers take turns, in another order",
        f"in each round, after a warm-up round; figures are medians of {len(measured[0].rounds)} rounds. The",
        "servers run on the same machine: one NameNode with one DataNode, and S3Mock.",
        "",
        *speed_table(measured),
        "",
        "The ratio compares with the stream of the same durability. A plain HDFS stream leaves its bytes in",
        "the memory of the DataNodes, like `durability=process`. A stream with `SYNC_BLOCK` writes each",
        "closed block to their disks, like `durability=disk`. A plain stream has no epochs, and only its",
        "writer can continue it. A part is closed at the end of each epoch, so any process can continue the",
        "part. Unless Hadoop's own client is named, all streams use the sink's client, which polls earlier",
        "whether a file is closed.",
    ]


def speed_table(measured: Sequence[Speed]) -> list[str]:
    medians = {(row.storage, row.writers, row.peer): row.median for row in measured}
    lines = [
        f"| {row.storage} | {row.writers} | {row.peer} | {row.median:,.0f} "
        f"| {row.median / medians[row.storage, row.writers, row.measure]:.2f} "
        f"| {' '.join(f'{value:.0f}' for value in row.rounds)} |"
        for row in measured
    ]
    return [
        "| storage | writers | | MiB per second | ratio | rounds |",
        "|---|---:|---|---:|---:|---|",
        *lines,
    ]


def request_section(measured: Sequence[RequestCount]) -> list[str]:
    return [
        "Counted by the NameNode, and by a proxy in front of the S3 server, while driver and task run whole",
        "epochs: the average for each part with new rows, and the calls once for all parts.",
        "",
        *request_table(measured),
        "",
        "HDFS clients repeat the call `Complete` until the DataNode has reported the block, so counts above",
        "one are repetitions. A finished part here starts, ends and becomes visible in the same epoch.",
    ]


def request_table(measured: Sequence[RequestCount]) -> list[str]:
    lines = [
        f"| {row.storage} | {row.part} | {total(row.each)} | {names(row.each)} | {names(row.once)} |"
        for row in measured
    ]
    return ["| storage | a part that | calls | which | once an epoch |", "|---|---|---:|---|---|", *lines]


def total(calls: Mapping[str, float]) -> str:
    return f"{sum(calls.values()):.1f}"


def names(calls: Mapping[str, float]) -> str:
    """The most frequent first."""
    ordered = sorted(calls.items(), key=lambda call: (-call[1], call[0]))
    return ", ".join(f"{count:.1f} {name}" for name, count in ordered) or "none"
