# SPDX-License-Identifier: Apache-2.0
"""Parquet from micro-batches: the file that many small ones make, their cost, and the speed of large ones."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
from bench.peers import NOOP, Peer
from bench.rounds import Measured, wait_for
from bench.stores import measured

import stoplog

if TYPE_CHECKING:
    from bench.rounds import Plan
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

ROW_GROUP_BYTES = 8 << 20
SMALL_ROWS = 2_000
SCANS = 5


def ours(rows: DataFrame, path: Path) -> DataStreamWriter:
    sink = (
        stoplog.FileSink.for_bulk_format(
            str(path), stoplog.BulkFormat.parquet({"parquet.block.size": ROW_GROUP_BYTES})
        )
        .with_bucket_assigner(stoplog.BucketAssigner.base_path_bucket_assigner())
        .with_rolling_policy(stoplog.DefaultRollingPolicy(rollover_interval="1h", inactivity_interval="1h"))
        .with_finalize_on_termination("always")
        .build()
    )
    return sink.write_stream(rows)


def sparks(rows: DataFrame, path: Path) -> DataStreamWriter:
    writer = rows.writeStream.format("parquet").option("path", str(path))
    return writer.option("parquet.block.size", str(ROW_GROUP_BYTES))


OURS = Peer("stoplog", ours)
SPARKS = Peer("Spark parquet", sparks)


@dataclass(frozen=True, slots=True)
class Written:
    """What one way of writing the same rows has left, and how long a scan of all of it takes."""

    by: str
    files: int
    bytes: int
    row_groups: tuple[int, ...]  # bytes of each before compression; of the largest file
    scan_millis: float


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU time of a micro-batch in each round, in milliseconds."""

    by: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


@dataclass(frozen=True, slots=True)
class Held:
    """Heap of a task with so many open parts: while it writes to all, and once its epoch has ended."""

    parts: int
    rows_each: int
    raw_bytes_each: int
    during_bytes: int
    after_bytes: int
    limit_bytes: int


def small_batches(spark: SparkSession, batches: int, folder: Path) -> list[Written]:
    """The same rows by so many micro-batches of `SMALL_ROWS` rows through each sink, and by one batch job."""
    rows = batches * SMALL_ROWS
    for peer in (OURS, SPARKS):
        run(spark, peer, SMALL_ROWS, batches, folder / peer.name)
    job = folder / "job"
    columns(spark.range(0, rows, 1, 1), "id").write.option(
        "parquet.block.size", str(ROW_GROUP_BYTES)
    ).parquet(str(job))
    places = {
        OURS.name: folder / OURS.name / "out",
        "one batch job": job,
        SPARKS.name: folder / SPARKS.name / "out",
    }
    scans: dict[str, list[float]] = {by: [] for by in places}
    for _ in range(SCANS + 1):
        for by, place in places.items():
            scans[by].append(scan_millis(spark, place, rows))
    return [written(by, place, statistics.median(scans[by][1:])) for by, place in places.items()]


def cpu_rounds(spark: SparkSession, plan: Plan, folder: Path) -> list[Cost]:
    """CPU time of the whole process for each micro-batch of `SMALL_ROWS` rows."""
    peers = (NOOP, OURS)
    measured: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for number in range(plan.rounds + 1):
        shift = number % len(peers)
        for peer in (*peers[shift:], *peers[:shift]):
            place = folder / f"{number}-{peer.name}"
            before = cpu_millis(spark)
            run(spark, peer, SMALL_ROWS, plan.small_batches, place)
            if number > 0:
                measured[peer.name].append((cpu_millis(spark) - before) / plan.small_batches)
            shutil.rmtree(place, ignore_errors=True)
    return [Cost(by, tuple(values)) for by, values in measured.items()]


def large_batches(spark: SparkSession, plan: Plan, folder: Path) -> list[Measured]:
    """Rows per second of micro-batches of many rows."""
    peers = (OURS, SPARKS)
    measured: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for number in range(plan.rounds + 1):
        shift = number % len(peers)
        for peer in (*peers[shift:], *peers[:shift]):
            place = folder / f"{number}-{peer.name}"
            millis = run(spark, peer, plan.large_rows, plan.large_batches, place)
            if number > 0:
                measured[peer.name].append(plan.large_rows * 1000 / statistics.median(millis))
            shutil.rmtree(place, ignore_errors=True)
    return [Measured(by, tuple(values)) for by, values in measured.items()]


def memory(folder: Path) -> list[Held]:
    """What open parts take of the heap, measured without Spark."""
    return [
        Held(
            row["parts"],
            row["rowsEach"],
            row["rawBytesEach"],
            row["duringBytes"],
            row["afterBytes"],
            row["limitBytes"],
        )
        for row in measured("OpenPartMemory", folder)
    ]


def run(spark: SparkSession, peer: Peer, rows: int, batches: int, place: Path) -> list[float]:
    """So many micro-batches and no more, to their end; the milliseconds of each but the first."""
    source = (
        spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).option("numPartitions", 1)
    )
    writer = peer.writer(columns(stopped_after(source.load(), rows * batches), "value"), place / "out")
    query = (
        writer.option("checkpointLocation", str(place / "checkpoint"))
        .trigger(processingTime="0 seconds")
        .start()
    )
    try:
        wait_for(query, batches)
        done = [p for p in query.recentProgress if p["batchId"] < batches]
    finally:
        query.stop()
    if peer is not NOOP:
        stoplog.await_finished(query)
    return [float(p["durationMs"]["triggerExecution"]) for p in done if p["batchId"] > 0]


def stopped_after(rows: DataFrame, count: int) -> DataFrame:
    """The source goes on for as long as it is asked; what is past the last batch is left out."""
    return rows.where(f"value < {count}")


def columns(rows: DataFrame, number: str) -> DataFrame:
    return rows.selectExpr(
        f"{number} AS id",
        f"concat('name-', cast({number} % 100000 AS string), '-', cast({number} AS string)) AS name",
        f"cast({number} * 37 % 1000003 AS double) / 7 AS amount",
        f"timestamp_seconds(1700000000 + {number}) AS at",
    )


def scan_millis(spark: SparkSession, place: Path, rows: int) -> float:
    started = time.perf_counter()
    frame = spark.read.parquet(str(place))
    found = frame.selectExpr("count(*)", "sum(id)", "max(name)", "sum(amount)", "max(at)").collect()[0]
    if (found[0], found[1]) != (rows, rows * (rows - 1) // 2):
        raise RuntimeError(f"{place} holds {found}, and not the rows 0 to {rows}")
    return (time.perf_counter() - started) * 1000


def written(by: str, place: Path, scan: float) -> Written:
    files = sorted(place.glob("*.parquet"), key=lambda file: file.stat().st_size)
    largest = pq.ParquetFile(files[-1]).metadata
    groups = tuple(largest.row_group(n).total_byte_size for n in range(largest.num_row_groups))
    return Written(by, len(files), sum(file.stat().st_size for file in files), groups, scan)


def cpu_millis(spark: SparkSession) -> float:
    """What the JVM has used so far, by the system's account."""
    jvm = spark._jvm
    if jvm is None:
        raise RuntimeError("no session of this process")
    process = jvm.java.lang.ProcessHandle.current().pid()
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    user, system = int(fields[11]), int(fields[12])
    return (user + system) * 1000 / os.sysconf("SC_CLK_TCK")


def bulk_section(
    files: Sequence[Written],
    costs: Sequence[Cost],
    speeds: Sequence[Measured],
    held: Sequence[Held],
    plan: Plan,
) -> list[str]:
    job = next(row for row in files if row.by == "one batch job")
    noop = costs[0].median
    theirs = next(row for row in speeds if row.peer == SPARKS.name).median
    return [
        f"{plan.bulk_batches} micro-batches of {SMALL_ROWS:,} rows on one writer, row "
        f"groups of {ROW_GROUP_BYTES >> 20} MiB, and the same rows by one batch job. "
        "A scan reads all columns with Spark.",
        "",
        "| written by | files | MB | ratio | row groups, MB before compression | scan, ms | ratio |",
        "|---|---:|---:|---:|---|---:|---:|",
        *[
            f"| {row.by} | {row.files:,} | {row.bytes / 1e6:.1f} | {row.bytes / job.bytes:.2f} "
            f"| {groups(row)} | {row.scan_millis:,.0f} | {row.scan_millis / job.scan_millis:.2f} |"
            for row in files
        ],
        "",
        f"CPU time of the process for each micro-batch of {SMALL_ROWS:,} rows; medians of {plan.rounds}:",
        "",
        "| sink | ms | to noop | rounds |",
        "|---|---:|---:|---|",
        *[
            f"| {row.by} | {row.median:.1f} | {row.median / noop:.2f} "
            f"| {listed(row.rounds, lambda v: f'{v:.0f}')} |"
            for row in costs
        ],
        "",
        f"Micro-batches of {plan.large_rows:,} rows, medians of {plan.rounds} rounds:",
        "",
        "| sink | rows per second | to Spark's | rounds |",
        "|---|---:|---:|---|",
        *[
            f"| {row.peer} | {row.median:,.0f} | {row.median / theirs:.2f} "
            f"| {listed(row.rounds, lambda v: f'{v / 1e6:.2f}M')} |"
            for row in speeds
        ],
        "",
        "Heap of a task for its open parts, after a garbage collection: while rows of an epoch wait in all",
        f"parts, and after the epoch. Here, {held[0].limit_bytes >> 20} MiB of rows may wait in memory (a",
        "sink uses an eighth of the heap), and the rest waits on the local disk. In addition, a task has one",
        "block in progress, of the size of Spark's writer for one file.",
        "",
        "| open parts | rows each | bytes of rows each | heap each | in all, MiB | after the epoch, each |",
        "|---:|---:|---:|---:|---:|---:|",
        *[held_row(row) for row in held],
    ]


def held_row(row: Held) -> str:
    sizes = f"| {row.parts:,} | {row.rows_each:,} | {row.raw_bytes_each:,} "
    each = f"| {row.during_bytes // row.parts:,} | {row.during_bytes / (1 << 20):.1f} "
    return f"{sizes}{each}| {max(row.after_bytes, 0) // row.parts:,} |"


def groups(row: Written) -> str:
    if row.files > 1:
        return "one in each file"
    return listed([float(size) for size in row.row_groups], lambda v: f"{v / 1e6:.1f}")


def listed(values: Sequence[float], shown: Callable[[float], str]) -> str:
    return " ".join(shown(value) for value in values)
