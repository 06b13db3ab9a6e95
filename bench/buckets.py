# SPDX-License-Identifier: Apache-2.0
"""Text and JSON in 24 buckets, compared with Spark's own sink and as many partitions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bench.peers import Peer
from bench.report import pair_table
from bench.rounds import Measured, throughput_rounds

import stoplog

if TYPE_CHECKING:
    from bench.rounds import Plan
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

BUCKETS = 24
KINDS: tuple[Literal["text", "json"], ...] = ("text", "json")


def in_buckets(rows: DataFrame) -> DataFrame:
    return rows.selectExpr("line", f"pmod(hash(line), {BUCKETS}) AS bucket")


def peers(kind: Literal["text", "json"]) -> tuple[Peer, Peer]:
    def ours(rows: DataFrame, path: Path) -> DataStreamWriter:
        sink = (
            stoplog.FileSink.for_row_format(str(path), kind)
            .with_partition_by("bucket")
            .with_durability("process")
            .build()
        )
        return sink.write_stream(in_buckets(rows))

    def sparks(rows: DataFrame, path: Path) -> DataStreamWriter:
        writer = in_buckets(rows).writeStream.format(kind).option("path", str(path))
        return writer.partitionBy("bucket")

    return Peer(f"stoplog {kind}", ours), Peer(f"Spark {kind}", sparks)


def speeds(spark: SparkSession, plan: Plan, folder: Path) -> list[Measured]:
    """Rows per second."""
    return throughput_rounds(spark, [peer for kind in KINDS for peer in peers(kind)], plan, folder)


def bucket_section(speeds_of: Sequence[Measured], plan: Plan) -> list[str]:
    return [
        f"Rows per second in micro-batches of {plan.large_rows:,} lines for {BUCKETS} buckets in random",
        "order, with `durability=process`, the durability of Spark's sink. Spark's sink sorts the rows of a",
        "task by their partition, and ends a file for each task, partition and micro-batch.",
        "",
        *pair_table(speeds_of, KINDS),
    ]
