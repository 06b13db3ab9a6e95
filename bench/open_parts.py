# SPDX-License-Identifier: Apache-2.0
"""A stream with many open parts in a process of its own: what it is fed, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

FEW = 10
BUCKET_DIGITS = 5

Rows = Literal["few", "all"]


class Place:
    """The directories of one stream, and its micro-batches: one file each, at most one row a bucket."""

    def __init__(self, folder: Path, parts: int) -> None:
        self.out = folder / "out"
        self.checkpoint = folder / "checkpoint"
        self.input = folder / "input"
        self.parts = parts
        self.input.mkdir(parents=True, exist_ok=True)

    @property
    def batches(self) -> int:
        return len(list(self.input.glob("*.txt")))

    def feed(self, rows: Rows) -> int:
        """One more micro-batch, with a row for each bucket or for `FEW` of them. Returns its number."""
        number = self.batches
        buckets = range(0, self.parts, 1 if rows == "all" else max(1, self.parts // FEW))
        text = "".join(f"{bucket:0{BUCKET_DIGITS}} {number:04}\n" for bucket in buckets)
        hidden = self.input / f".{number:04}"
        hidden.write_text(text, encoding="utf-8")
        hidden.rename(self.input / f"{number:04}.txt")
        return number

    def start(self, spark: SparkSession) -> StreamingQuery:
        lines = spark.readStream.option("maxFilesPerTrigger", 1).text(str(self.input))
        sink = (
            stoplog.FileSink.for_row_format(str(self.out), "text")
            .with_bucket_by(f"substr(value, 1, {BUCKET_DIGITS})")
            .with_max_open_parts(self.parts)
            .with_finalize_on_termination("always")
            .build()
        )
        writer = sink.write_stream(lines).option("checkpointLocation", str(self.checkpoint))
        return writer.trigger(processingTime="0 seconds").start()

    def check(self) -> None:
        """Reads all visible files as plain text: every row once, in its bucket, and nothing else."""
        fed = sorted(line for file in self.input.glob("*.txt") for line in lines_of(file))
        found = [(file.parent.name, line) for file in self._visible() for line in lines_of(file)]
        if sorted(line for _, line in found) != fed:
            raise RuntimeError(f"{self.out} does not hold every row once: {len(found)} rows of {len(fed)}")
        if any(line[:BUCKET_DIGITS] != bucket for bucket, line in found):
            raise RuntimeError(f"{self.out} holds rows of another bucket")

    def _visible(self) -> Iterable[Path]:
        inside = (file for file in self.out.rglob("*") if file.is_file())
        return (file for file in inside if not file.relative_to(self.out).as_posix().startswith(("_", ".")))


def lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
