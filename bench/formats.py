# SPDX-License-Identifier: Apache-2.0
"""Every format and codec in micro-batches of many rows, beside Spark's own sink of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.peers import Peer
from bench.report import pair_table
from bench.rounds import Measured, throughput_rounds

import stoplog

if TYPE_CHECKING:
    from bench.rounds import Plan
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from stoplog.sink import Compression

_BULK = {"parquet": stoplog.BulkFormat.parquet, "orc": stoplog.BulkFormat.orc}


@dataclass(frozen=True, slots=True)
class Form:
    """What the files of two sinks have in common.

    Attributes:
        has_spark: whether Spark's own sink writes it with the libraries that Spark brings.
    """

    kind: str
    codec: Compression
    has_spark: bool = True

    @property
    def name(self) -> str:
        """
        >>> Form("text", "gzip").name, Form("csv", "none").name
        ('text, gzip', 'csv')
        """
        return self.kind if self.codec == "none" else f"{self.kind}, {self.codec}"

    @property
    def peers(self) -> tuple[Peer, ...]:
        ours = Peer(f"stoplog {self.name}", self.ours)
        return (ours, Peer(f"Spark {self.name}", self.sparks)) if self.has_spark else (ours,)

    def ours(self, rows: DataFrame, path: Path) -> DataStreamWriter:
        builder = (
            # or rows of an epoch would wait, and a later one encode them
            stoplog.FileSink.for_bulk_format(str(path), _BULK[self.kind]()).with_rolling_policy(
                stoplog.OnCheckpointRollingPolicy()
            )
            if self.kind in _BULK
            else stoplog.FileSink.for_row_format(str(path), self.kind)
        )
        sink = (
            builder.with_compression(self.codec)
            .with_bucket_assigner(stoplog.BucketAssigner.base_path_bucket_assigner())
            .with_durability("process")
            .build()
        )
        return sink.write_stream(rows)

    def sparks(self, rows: DataFrame, path: Path) -> DataStreamWriter:
        writer = rows.writeStream.format(self.kind).option("path", str(path))
        return writer.option("compression", self.codec)


FORMS = (
    Form("csv", "none"),
    Form("json", "none"),
    Form("text", "gzip"),
    Form("text", "zstd", has_spark=False),  # Spark has it with Hadoop's native library alone
    Form("json", "gzip"),
    Form("parquet", "zstd"),
    Form("orc", "zstd"),
)


def speeds(spark: SparkSession, plan: Plan, folder: Path) -> list[Measured]:
    """Rows per second."""
    peers = [peer for form in FORMS for peer in form.peers]
    return throughput_rounds(spark, peers, plan, folder)


def format_section(speeds_of: Sequence[Measured], plan: Plan) -> list[str]:
    return [
        f"Rows per second in micro-batches of {plan.large_rows:,} lines, with `durability=process`, the",
        "durability of Spark's sink, at the default level of each codec. Spark writes text with",
        "zstd only where Hadoop's native library is installed. Files of Parquet and ORC end with each",
        "micro-batch, as Spark's do.",
        "",
        *pair_table(speeds_of, [form.name for form in FORMS]),
    ]
