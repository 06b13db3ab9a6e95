# SPDX-License-Identifier: Apache-2.0
"""The driver with very many open parts, by simulation: production code, and answers of S3 and HDFS that are
counted and not waited for. Writes a section of `docs/reference/benchmarks.md`.

Measured without Spark, by `stoplog.bench.scale` among the Scala tests: this runs it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.engines.page import prose
from bench.page import with_section
from bench.provenance import ROOT, provenance
from bench.stores import measured

PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
TITLE = "Very many open parts"
SIZES = ("100x10", "1000x10", "1000x100", "1000x1000", "10000x1000")
HEAP = "8g"


@dataclass(frozen=True, slots=True)
class Cost:
    """What an epoch, or a start, costs the driver.

    Attributes:
        cpu_seconds: of the driver's process.
        store_seconds: what the storage would take, one answer after the other where the driver asks so.
        record_bytes: written to the log.
        plan_bytes: sent to each task.
    """

    cpu_seconds: float
    store_seconds: float
    requests: int
    record_bytes: int
    plan_bytes: int

    @property
    def seconds(self) -> float:
        return self.cpu_seconds + self.store_seconds

    def times(self, factor: float) -> Cost:
        return Cost(
            self.cpu_seconds * factor,
            self.store_seconds * factor,
            self.requests,
            round(self.record_bytes * factor),
            round(self.plan_bytes * factor),
        )


@dataclass(frozen=True, slots=True)
class Size:
    """One size on one storage.

    Attributes:
        every: an epoch that writes to every open part.
        few: one that writes to ten of them.
        recovery: from the start behind a driver that was killed until tasks can begin.
        held_bytes: heap of the driver between two epochs.
        few_mean_bytes: written to the log by an epoch of ten parts on average, as records differ in length.
        failed: why the figures are computed from the next smaller size; empty where they are measured.
    """

    storage: str
    tasks: int
    buckets: int
    every: Cost
    few: Cost
    recovery: Cost
    held_bytes: float
    few_mean_bytes: float
    failed: str = ""

    @property
    def parts(self) -> int:
        return self.tasks * self.buckets

    def times(self, factor: float, tasks: int, buckets: int, failed: str) -> Size:
        return Size(
            self.storage,
            tasks,
            buckets,
            self.every.times(factor),
            self.few_of(factor, tasks),
            self.recovery.times(factor),
            self.held_bytes * factor,
            self.few_mean_bytes,
            failed,
        )

    def few_of(self, factor: float, tasks: int) -> Cost:
        """The driver looks at each open part, and writes and sends what the epoch touches."""
        plan = round(self.few.plan_bytes * tasks / self.tasks)
        return replace(self.few, cpu_seconds=self.few.cpu_seconds * factor, plan_bytes=plan)


def sizes(rows: Sequence[Mapping[str, Any]]) -> list[Size]:
    """In their order; a size that failed has the figures of the one before, times how much larger it is."""
    found: list[Size] = []
    for row in rows:
        tasks, buckets = row["tasks"], row["buckets"]
        if "failed" in row:
            smaller = [each for each in found if each.storage == row["storage"] and not each.failed]
            if smaller:
                factor = tasks * buckets / smaller[-1].parts
                found.append(smaller[-1].times(factor, tasks, buckets, row["failed"]))
        else:
            every, few, recovery = (cost(row[name]) for name in ("all", "few", "recovery"))
            bytes_of = (row["heldBytes"], row["fewMean"])
            found.append(Size(row["storage"], tasks, buckets, every, few, recovery, *bytes_of))
    return found


def cost(row: Mapping[str, Any]) -> Cost:
    return Cost(
        row["cpuMillis"] / 1000,
        row["storeMillis"] / 1000,
        sum(row["requests"].values()),
        row["record"],
        row["plan"],
    )


def section(found: Sequence[Size], heap: str, provenance: str) -> list[str]:
    return [
        *prose(
            f"""Written by `make bench-scale`. The driver's production code holds one open part for each task
            and bucket, over a simulated storage. The times of S3 or HDFS are added up, without waits:
            20 ms a HEAD, 30 a GET, 50 a PUT, 80 a LIST of 1,000 names, 90 MB/s; 1 ms a call of the
            NameNode, 5 ms more for a block, 200 MB/s. Tasks, and their requests for each part with new
            rows, are not included. Beyond 10,000 open parts, the requests of a sweep's listing are not
            included, because a separate thread lists. *Time* is the CPU time of the driver's process with
            garbage collection, plus the storage's time.
            In addition to the heap, Spark keeps the plans sent to tasks in its storage memory or on the
            local disk: about the size of the record of all parts. A row with a `~` is computed from the
            row above: it did not run in a heap of {heap}. Measured on {provenance}."""
        ),
        "",
        *table(found),
        "",
        *advice(found),
    ]


def table(found: Sequence[Size]) -> list[str]:
    return [
        "| storage | tasks × buckets | open parts | heap held | epoch of all parts: time (CPU) | its record "
        "| epoch of ten parts: time (CPU) | its record, on average | requests | plan, to each task "
        "| recovery: time (CPU) |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        *map(_line, found),
    ]


def _line(size: Size) -> str:
    mark = "~" if size.failed else ""
    cells = [
        size.storage,
        f"{size.tasks:,} × {size.buckets:,}",
        f"{size.parts:,}",
        mark + amount(size.held_bytes),
        mark + _time(size.every),
        mark + amount(size.every.record_bytes),
        mark + _time(size.few),
        f"{mark}{amount(size.few.record_bytes)}, {amount(size.few_mean_bytes)}",
        f"{mark}{size.few.requests:,}",
        mark + amount(size.few.plan_bytes),
        mark + _time(size.recovery),
    ]
    return f"| {' | '.join(cells)} |"


def _time(cost: Cost) -> str:
    return f"{duration(cost.seconds)} ({duration(cost.cpu_seconds)})"


def duration(seconds: float) -> str:
    """
    >>> duration(0.0123), duration(1.234), duration(600)
    ('12 ms', '1.2 s', '10 min')
    """
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def amount(count: float) -> str:
    """
    >>> amount(999), amount(2_500), amount(3.1e9)
    ('1.0 kB', '2.5 kB', '3.1 GB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 1e3:.1f} kB"


TOLERABLE_SECONDS = 1.0


def advice(found: Sequence[Size]) -> list[str]:
    """The limits in words, from the figures."""
    points = [
        f"""**Up to {tolerated(found):,} open parts** the driver adds less than a second to an epoch of ten
        parts, on either storage. With more parts, the trigger interval must be longer than the time of
        an epoch above.""",
        """**Fewer open parts: first `distribution=byBucket`.** One task then writes a bucket, so that
        10,000 tasks × 1,000 buckets have 1,000 open parts and not 10,000,000. Next a shorter
        `inactivityInterval`, which ends parts of buckets that get no more rows, and `maxOpenParts`, which
        bounds the parts of each task. If every epoch writes to all buckets,
        `rollingPolicy=onCheckpoint` leaves no part open, at the cost of one file for each part and
        epoch.""",
        *largest(found),
    ]
    return [line for point in points for line in prose(point, first="- ", later="  ")]


def tolerated(found: Sequence[Size]) -> int:
    """The largest measured number of open parts at which no storage makes the driver slow."""
    slow = [size.parts for size in found if size.failed or size.few.seconds > TOLERABLE_SECONDS]
    return max((size.parts for size in found if size.parts < min(slow, default=1 << 62)), default=0)


def largest(found: Sequence[Size]) -> list[str]:
    """What did not run, if something did not."""
    failed = [size for size in found if size.failed]
    if not failed:
        return []
    least = min(failed, key=lambda size: size.parts)
    return [
        f"""**{least.parts:,} open parts do not run** with a driver of this heap ({least.failed}). Split
        the stream into several queries, each with its own sink id; they may share a directory."""
    ]


def main() -> None:
    arguments = parsed_arguments()
    folder = Path(tempfile.mkdtemp(prefix="stoplog-scale-"))
    try:
        rows = measured("scale.ScaleOnPaper", folder, arguments.heap, *arguments.sizes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = section(sizes(rows), arguments.heap, provenance())
    print("\n".join(lines))
    if tuple(arguments.sizes) == SIZES:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_section(text, TITLE, lines), encoding="utf-8")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heap", default=HEAP, help="of each driver (default: %(default)s)")
    parser.add_argument(
        "--sizes",
        nargs="+",
        default=SIZES,
        metavar="TASKSxBUCKETS",
        help="writes no page (default: %(default)s)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
