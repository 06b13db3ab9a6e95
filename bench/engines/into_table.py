# SPDX-License-Identifier: Apache-2.0
"""Writes many small micro-batches into one table, in a process of its own, and prints figures as JSON.

Run by `small_epochs.py`: `python -m bench.engines.into_table WRITER FOLDER EPOCHS`.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench.engines.plan import CORES
from bench.engines.spark_sinks import iceberg, settings
from bench.engines.spark_worker import session, wait_for
from tests.servers.jars import jars

import stoplog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.engines.plan import Engine
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

ROWS = 1_000
"""Of each micro-batch."""

MAX_PART_SIZE = "6m"
"""Ends the first part of each of two tasks after half of 300 micro-batches."""

NAME = "db.events"
ENGINES: Mapping[str, Engine] = {"Iceberg": "Iceberg", "Delta Lake": "Delta"}
"""The writers that are the formats' own sinks."""


def main() -> None:
    writer, folder, epochs = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    spark = session(session_settings(writer))
    out, state = str(folder / "out"), str(folder / "state")
    query = (
        written(writer, rows(spark, epochs), folder)
        .option("checkpointLocation", state)
        .trigger(processingTime="0 seconds")
        .start()
    )
    wait_for(query, epochs)
    query.stop()
    if writer not in ENGINES:
        stoplog.await_finished(query)
    millis = [
        progress["durationMs"]["triggerExecution"]
        for progress in query.recentProgress
        if epochs // 10 <= progress["batchId"] < epochs
    ]
    if writer.startswith("stoplog into"):
        one_file(spark, writer, out, folder / "one")
    print(json.dumps({"epoch_millis": statistics.median(millis)}))
    spark.stop()


def session_settings(writer: str) -> dict[str, str]:
    match writer:
        case "stoplog into Iceberg":
            return {"spark.jars": jars("iceberg")}
        case "stoplog into Delta Lake":
            return {"spark.jars": jars("delta")}
        case "Iceberg" | "Delta Lake":
            return dict(settings(ENGINES[writer]))
        case _:
            return {}


def rows(spark: SparkSession, epochs: int) -> DataFrame:
    """Numbers, their digests, which do not compress, and the moment of the micro-batch."""
    source = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", ROWS)
        .option("numPartitions", CORES)
        .load()
        .where(f"value < {ROWS * epochs}")
    )
    columns = ("value AS id", "sha2(string(value), 256) AS digest", "unix_millis(current_timestamp()) AS at")
    return source.selectExpr(*columns)


def written(writer: str, frame: DataFrame, folder: Path) -> DataStreamWriter:
    out = folder / "out"
    match writer:
        case "Iceberg":
            return iceberg(frame, str(out))
        case "Delta Lake":
            return frame.writeStream.format("delta").option("path", str(out))
        case _:
            sink = sink_of(writer, out, folder / "warehouse").with_rolling_policy(
                stoplog.DefaultRollingPolicy(
                    max_part_size=MAX_PART_SIZE, rollover_interval="1h", inactivity_interval="1h"
                )
            )
            return sink.with_finalize_on_termination("always").build().write_stream(frame)


def sink_of(writer: str, out: Path, warehouse: Path) -> stoplog.FileSinkBuilder:
    builder = stoplog.FileSink.for_bulk_format(str(out), stoplog.BulkFormat.parquet()).with_bucket_assigner(
        stoplog.BucketAssigner.base_path_bucket_assigner()
    )
    match writer:
        case "stoplog into Iceberg":
            catalog = {"type": "hadoop", "warehouse": str(warehouse)}
            target = stoplog.Announcement.iceberg(NAME, catalog, create="ifMissing")
        case "stoplog into Delta Lake":
            target = stoplog.Announcement.delta(create="ifMissing")
        case _:
            return builder
    return builder.with_announcement(target, "lake").with_announcement_limits(at_end="5m")


def one_file(spark: SparkSession, writer: str, out: str, folder: Path) -> None:
    """Writes the same rows as one file of another table of the same format."""
    frame = spark.read.parquet(out).coalesce(1)
    sink_of(writer, folder / "out", folder / "warehouse").build().write(frame)


if __name__ == "__main__":
    main()
