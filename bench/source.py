# SPDX-License-Identifier: Apache-2.0
"""The file source beside Spark's own: one large file, many small ones, Parquet, and very many files."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.source_data import one_text_file, parquet_files, small_files
from bench.source_many import Many, many_section
from bench.source_reads import SIDES, Measured, Read, batch, in_turn, of, streaming, table

if TYPE_CHECKING:
    from bench.rounds import Plan
    from pyspark.sql import SparkSession

PIECE_MIB = 64
FILES_AT_A_TIME = 1_000

WHOLE = "stream, all in one micro-batch"
PIECES = f"stream, `maxBytesPerTrigger` = {PIECE_MIB} MiB"
BATCH = "batch, sum of the lengths"
AT_ONCE = "stream, all files in one micro-batch"
SOME = f"stream, {FILES_AT_A_TIME:,} files at a time"
SCAN = "batch, two of ten columns"
SCANNED = "stream, two of ten columns"


def large_file(spark: SparkSession, plan: Plan, folder: Path) -> list[Measured]:
    """One file of text: whole, in pieces, and by a batch query."""
    files = one_text_file(folder / "in", plan.source_mib)
    pieces = {"maxBytesPerTrigger": str(PIECE_MIB << 20)}  # Spark's source knows no units
    reads = [
        read
        for side in SIDES
        for read in (
            batch(spark, BATCH, side, files, ["sum(length(value))"]),
            streaming(spark, WHOLE, side, files, "length(value) AS n", {}),
            streaming(spark, PIECES, side, files, "length(value) AS n", pieces),
        )
    ]
    return measured(spark, reads, plan, folder)


def small(spark: SparkSession, plan: Plan, folder: Path) -> list[Measured]:
    """Files of 4 KB, all at once and some at a time."""
    files = small_files(folder / "in", plan.source_small_files)
    some = {"maxFilesPerTrigger": str(FILES_AT_A_TIME)}
    reads = [
        read
        for side in SIDES
        for read in (
            streaming(spark, AT_ONCE, side, files, "length(value) AS n", {}),
            streaming(spark, SOME, side, files, "length(value) AS n", some),
        )
    ]
    return measured(spark, reads, plan, folder)


def parquet(spark: SparkSession, plan: Plan, folder: Path) -> list[Measured]:
    """Two columns of ten: a batch query prunes the others by itself, our stream by the option `columns`."""
    files = parquet_files(spark, folder / "in", plan.source_parquet_rows)
    both = "id + length(text0) AS n"
    pruned = {"stoplog": {"columns": "id,text0"}, "Spark": dict[str, str]()}
    reads = [
        read
        for side in SIDES
        for read in (
            batch(spark, SCAN, side, files, ["sum(id)", "max(text0)"]),
            streaming(spark, SCANNED, side, files, both, pruned[side]),
        )
    ]
    return measured(spark, reads, plan, folder)


def measured(spark: SparkSession, reads: Sequence[Read], plan: Plan, folder: Path) -> list[Measured]:
    found = in_turn(spark, reads, plan.source_rounds, folder)
    shutil.rmtree(folder)
    return found


def source_section(
    text: Sequence[Measured],
    files: Sequence[Measured],
    scans: Sequence[Measured],
    found: Many,
    plan: Plan,
) -> list[str]:
    whole, pieces = of(text, WHOLE, "stoplog"), of(text, PIECES, "stoplog")
    kept = whole.wall_seconds / pieces.wall_seconds
    return [
        "The sources take turns in one session (`local[2]`), in another order in each round, after a warm-up",
        f"round; figures are medians of {plan.source_rounds} rounds. CPU seconds cover the whole process.",
        "Streams read all existing files by the trigger `availableNow`, and write nothing.",
        "",
        f"One text file of {plan.source_mib:,} MiB:",
        "",
        *table(text),
        "",
        f"In pieces, {kept:.2f} of the throughput of one micro-batch. Spark's source reads a file as a",
        "whole, regardless of the limit.",
        "",
        f"{plan.source_small_files:,} files of 4 KB, 40 lines in each:",
        "",
        *table(files),
        "",
        f"Parquet, {plan.source_parquet_rows:,} rows:",
        "",
        *table(scans),
        "",
        *many_section(found),
    ]
