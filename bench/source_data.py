# SPDX-License-Identifier: Apache-2.0
"""The files that the benches of the source read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bench.source_reads import Files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT_LINE_BYTES = 40
SMALL_FILE_LINES = 40
SMALL_LINE_BYTES = 100
PER_DIRECTORY = 1_000
LINE_OF_MANY = b"one line of an event\n"


def one_text_file(folder: Path, mib: int) -> Files:
    """One file of lines that are all different."""
    folder.mkdir(parents=True)
    lines = (mib << 20) // TEXT_LINE_BYTES
    filler = "-" * (TEXT_LINE_BYTES - 10)
    with (folder / "lines.txt").open("w", encoding="ascii") as out:
        for start in range(0, lines, 10_000):
            out.write("".join(f"{filler}{n:09d}\n" for n in range(start, min(start + 10_000, lines))))
    return Files(folder, "text", "value STRING", lines)


def small_files(folder: Path, count: int) -> Files:
    """So many files of 4 KB."""
    folder.mkdir(parents=True)
    for number in range(count):
        line = f"{number:0{SMALL_LINE_BYTES - 1}d}\n"
        (folder / f"part-{number:06d}.txt").write_text(line * SMALL_FILE_LINES, encoding="ascii")
    return Files(folder, "text", "value STRING", count * SMALL_FILE_LINES)


def parquet_files(spark: SparkSession, folder: Path, rows: int) -> Files:
    """Four files of ten columns, of which two are read."""
    texts = [f"concat('text-{c}-', cast((id * {c + 3}) % 100003 AS string)) AS text{c}" for c in range(5)]
    numbers = [f"id * {c + 7} % 1000003 AS number{c}" for c in range(4)]
    spark.range(0, rows, 1, 4).selectExpr("id", *texts, *numbers).write.parquet(str(folder))
    schema = ", ".join(
        ["id LONG", *(f"text{c} STRING" for c in range(5)), *(f"number{c} LONG" for c in range(4))]
    )
    return Files(folder, "parquet", schema, rows)


def many_files(folder: Path, count: int) -> int:
    """So many files of one line, in directories of `PER_DIRECTORY`. Returns the bytes of their paths."""
    bytes_of_paths = 0
    for first in range(0, count, PER_DIRECTORY):
        directory = f"day-{first // PER_DIRECTORY:05d}"
        (folder / directory).mkdir(parents=True)
        opened = os.open(folder / directory, os.O_RDONLY)
        try:
            for number in range(first, min(first + PER_DIRECTORY, count)):
                name = f"events-{number:09d}.txt"
                bytes_of_paths += len(directory) + 1 + len(name)
                file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=opened)
                os.write(file, LINE_OF_MANY)
                os.close(file)
        finally:
            os.close(opened)
    return bytes_of_paths
