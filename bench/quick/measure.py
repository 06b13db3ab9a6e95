# SPDX-License-Identifier: Apache-2.0
"""Takes the figures with the programs of the other benches, and fewer rounds."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.engines.measures import OTHER_FILES, fresh_measures, large_measures
from bench.engines.plan import CONTENDERS, Contender
from bench.engines.requests import asked
from bench.engines.rounds import Measurement, Result, in_all_rounds, measured, results
from bench.peers import DISK, NOOP, PROCESS, TEXT
from bench.quick.figures import CPU_ROWS, HEAP, PIECE_MIB, Figure
from bench.quick.plan import Plan
from bench.recovery import lived
from bench.rounds import in_turn as sinks_in_turn
from bench.run import running
from bench.source_data import one_text_file
from bench.source_reads import in_turn as reads_in_turn
from bench.source_reads import of, streaming

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OURS_TEXT, OURS, SPARKS = (
    next(each for each in CONTENDERS if each.word == word)
    for word in ("stoplog-text", "stoplog-parquet", "Spark-parquet")
)


def figures(plan: Plan, folder: Path) -> list[Figure]:
    """All of them. Tells how long each group takes, since all have five minutes together."""
    found: list[Figure] = []
    for group in (in_one_session, parquet, requests, open_parts):
        started = time.monotonic()
        found += group(plan, folder / group.__name__)
        print(f"{group.__name__}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    return found


def in_one_session(plan: Plan, folder: Path) -> list[Figure]:
    with running() as spark:
        small = _medians(spark, plan, plan.small_rows, plan.small_epochs, folder / "small")
        large = _medians(spark, plan, plan.large_rows, plan.large_epochs, folder / "large")
        piece = piece_millis(spark, plan, folder / "source")
    noop = small[NOOP.name]
    speed = {name: plan.large_rows / millis / 1000 for name, millis in large.items()}
    return [
        Figure("epoch-noop", small[DISK.name], noop),
        Figure("epoch-text", small[DISK.name], small[TEXT.name]),
        Figure("text-process", speed[PROCESS.name], speed[TEXT.name]),
        Figure("text-disk", speed[DISK.name], speed[TEXT.name]),
        Figure("source-piece", piece, noop),
    ]


def _medians(spark: SparkSession, plan: Plan, rows: int, epochs: int, folder: Path) -> dict[str, float]:
    """Milliseconds of a micro-batch. The noop sink is no measure of speed: it encodes nothing."""
    sinks = (NOOP, DISK, TEXT) if rows == plan.small_rows else (PROCESS, DISK, TEXT)
    found = sinks_in_turn(spark, sinks, plan.rounds, rows, epochs, folder)
    return {name: statistics.median(rounds) for name, rounds in found.items()}


def piece_millis(spark: SparkSession, plan: Plan, folder: Path) -> float:
    """What each micro-batch but the first adds to the time of reading the file in one."""
    files = one_text_file(folder / "in", plan.source_mib)
    cut = {"maxBytesPerTrigger": str(PIECE_MIB << 20)}
    reads = [
        streaming(spark, name, "stoplog", files, "length(value) AS n", options)
        for name, options in (("whole", {}), ("pieces", cut))
    ]
    found = reads_in_turn(spark, reads, plan.rounds, folder)
    whole, pieces = (of(found, name, "stoplog") for name in ("whole", "pieces"))
    return (pieces.wall_seconds - whole.wall_seconds) * 1000 / (pieces.batches - whole.batches)


def parquet(plan: Plan, folder: Path) -> list[Figure]:
    """Each run is checked: a sink that loses a row has no speed."""
    planned = in_all_rounds((OURS, SPARKS), plan.large_jobs)
    # The first one writes few rows in many commits as well: how many files they leave depends on no heap.
    plans = [plan.peers, *[plan.large_jobs] * (plan.peers.rounds - 1)]
    rounds = measured([*planned, *(Measurement(OURS, each, HEAP) for each in plans)], folder)
    ours, sparks = results((OURS, SPARKS), planned, rounds[: len(planned)])
    little = Result(OURS, tuple(rounds[len(planned) :]))
    rows, per_cpu = large_measures()
    fresh_cpu = fresh_measures()[0]
    speeds = [rows.median(each) / 1e6 for each in (ours, sparks, little)]
    cpu = [CPU_ROWS / per_cpu.median(each) for each in (ours, sparks)]
    fresh = [fresh_cpu.median(each) for each in (ours, sparks)]
    return [
        Figure("parquet-rows", speeds[0], speeds[1]),
        Figure("parquet-cpu", cpu[0], cpu[1]),
        Figure("parquet-fresh", fresh[0], fresh[1]),
        Figure("parquet-heap", speeds[2], speeds[0]),
        Figure("state-files", OTHER_FILES.median(replace(little, rounds=little.rounds[:1]))),
    ]


def requests(plan: Plan, folder: Path) -> list[Figure]:
    contenders: Sequence[Contender] = (OURS_TEXT, OURS)
    text, bulk = asked(contenders, plan.peers, folder)
    return [Figure("s3-text", text.per_commit), Figure("s3-parquet", bulk.per_commit)]


def open_parts(plan: Plan, folder: Path) -> list[Figure]:
    lived("open", folder / "many", plan.open_parts)
    before = set(records(folder / "many"))
    many = lived("few", folder / "many", plan.open_parts)
    written = [path.stat().st_size for path in records(folder / "many") if path not in before]
    lived("open", folder / "few", plan.few_parts)
    few = lived("few", folder / "few", plan.few_parts)
    return [
        Figure("record", statistics.median_high(written)),
        Figure("recovery", many["first_few"], few["first_few"]),
    ]


def records(place: Path) -> list[Path]:
    """Marks are empty files beside them."""
    log = place / "out" / "_stoplog" / "main" / "log"
    return [path for path in log.iterdir() if path.stat().st_size]
