# SPDX-License-Identifier: Apache-2.0
"""The sinks that are compared: the floor, ours in text and Parquet, and Spark's own text files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter


@dataclass(frozen=True, slots=True)
class Peer:
    """A sink under its name in the tables."""

    name: str
    writer: Callable[[DataFrame, Path], DataStreamWriter]


def noop(rows: DataFrame, _: Path) -> DataStreamWriter:
    return rows.writeStream.format("noop")


def spark_text(rows: DataFrame, path: Path) -> DataStreamWriter:
    return rows.writeStream.format("text").option("path", str(path))


def ours(durability: Literal["disk", "process"]) -> Callable[[DataFrame, Path], DataStreamWriter]:
    def writer(rows: DataFrame, path: Path) -> DataStreamWriter:
        sink = (
            stoplog.FileSink.for_row_format(str(path), "text")
            .with_bucket_assigner(stoplog.BucketAssigner.base_path_bucket_assigner())
            .with_durability(durability)
            .build()
        )
        return sink.write_stream(rows)

    return writer


def parquet(rows: DataFrame, path: Path) -> DataStreamWriter:
    sink = (
        stoplog.FileSink.for_bulk_format(str(path), stoplog.BulkFormat.parquet())
        .with_bucket_assigner(stoplog.BucketAssigner.base_path_bucket_assigner())
        .build()
    )
    return sink.write_stream(rows)


NOOP = Peer("Spark noop", noop)
DISK = Peer("stoplog, durability=disk", ours("disk"))
PROCESS = Peer("stoplog, durability=process", ours("process"))
PARQUET = Peer("stoplog, Parquet", parquet)
TEXT = Peer("Spark text", spark_text)

PEERS = (NOOP, DISK, PROCESS, TEXT)
LATENCY_PEERS = (NOOP, DISK, PROCESS, PARQUET, TEXT)
