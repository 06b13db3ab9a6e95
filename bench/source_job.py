# SPDX-License-Identifier: Apache-2.0
"""One life of a stream over many files, for `bench.source_many`: prints what it measured as one line of JSON.

No rows are read: what is measured is how files are found and remembered.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

import stoplog

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

FILES_AT_ONCE = 100_000
POLLS = 5
WALKS = 3


def main() -> None:
    side, folder, checkpoint, heap, expected = (
        sys.argv[1],
        Path(sys.argv[2]),
        Path(sys.argv[3]),
        sys.argv[4],
        int(sys.argv[5]),
    )
    spark = session(heap)
    warm_up(spark, side, checkpoint.with_name(f"warm-{time.time_ns()}"))
    walk = statistics.median(walk_seconds(spark, folder) for _ in range(WALKS))
    before = live_heap(spark)
    started = time.monotonic()
    query = start(spark, side, folder, checkpoint)
    batches = until_all_seen(query, expected)
    # The first of the progress is known as soon as its micro-batch is over.
    polls = [poll_seconds(p) for p in batches.idle]
    measured: dict[str, Any] = {
        "walk": walk,
        "first": batches.first_seconds - started,
        "all": batches.all_seconds - started,
        "discovery": sum(poll_seconds(p) for p in batches.planned),
        "poll": statistics.median(polls),
        "heap": live_heap(spark) - before,
    }
    print(json.dumps(measured), flush=True)
    query.stop()
    spark.stop()


class Batches:
    """What the progress of a query has told."""

    def __init__(self) -> None:
        self.planned: list[dict[str, Any]] = []
        self.idle: list[dict[str, Any]] = []
        self.first_seconds = 0.0
        self.all_seconds = 0.0


def until_all_seen(query: StreamingQuery, expected: int) -> Batches:
    """Waits for `expected` micro-batches, and for some polls behind them that find nothing."""
    found = Batches()
    while len(found.idle) < POLLS:
        time.sleep(0.02)
        if not query.isActive:
            raise RuntimeError(str(query.exception()))
        progress = query.recentProgress
        found.planned = [p for p in progress if "addBatch" in p["durationMs"]]
        if found.planned and not found.first_seconds:
            found.first_seconds = time.monotonic()
        if len(found.planned) >= expected:
            found.all_seconds = found.all_seconds or time.monotonic()
            found.idle = [p for p in progress if "addBatch" not in p["durationMs"]]
    return found


def poll_seconds(progress: dict[str, Any]) -> float:
    """Spark's source lists in the one, and looks at what it found once more in the other."""
    took = progress["durationMs"]
    return float(took.get("latestOffset", 0) + took.get("getBatch", 0)) / 1000


def start(spark: SparkSession, side: str, folder: Path, checkpoint: Path) -> StreamingQuery:
    reader = spark.readStream.schema("value STRING").option("maxFilesPerTrigger", FILES_AT_ONCE)
    reader = reader.option("recursiveFileLookup", "true")
    if side == "stoplog":
        rows = reader.format("stoplog").option("format", "text").load(str(folder))
    else:
        rows = reader.format("text").load(str(folder))
    writer = rows.writeStream.foreachBatch(lambda _rows, _number: None)
    return writer.option("checkpointLocation", str(checkpoint)).trigger(processingTime="0 seconds").start()


def warm_up(spark: SparkSession, side: str, place: Path) -> None:
    """The first query of a JVM waits for classes to be loaded, which is no business of the source's."""
    (place / "in").mkdir(parents=True)
    (place / "in" / "one.txt").write_text("one\n", encoding="ascii")
    query = start(spark, side, place / "in", place / "checkpoint")
    until_all_seen(query, 1)
    query.stop()


def walk_seconds(spark: SparkSession, folder: Path) -> float:
    """One walk over all files by Java's own, which asks for the attributes of each."""
    jvm = spark._jvm
    gateway = spark.sparkContext._gateway
    if jvm is None or gateway is None:
        raise RuntimeError("no session of this process")
    path = jvm.java.nio.file.Paths.get(str(folder), gateway.new_array(jvm.java.lang.String, 0))
    started = time.perf_counter()
    jvm.org.apache.commons.io.file.PathUtils.countDirectory(path)
    return time.perf_counter() - started


def live_heap(spark: SparkSession) -> int:
    """Bytes of the heap in use behind a collection."""
    jvm = spark._jvm
    if jvm is None:
        raise RuntimeError("no session of this process")
    for _ in range(3):
        jvm.java.lang.System.gc()
    runtime = jvm.java.lang.Runtime.getRuntime()
    return int(runtime.totalMemory() - runtime.freeMemory())


def session(heap: str) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("stoplog-bench-source")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", heap)
        .config("spark.log.level", "OFF")
        .config("spark.sql.streaming.noDataProgressEventInterval", "0")
        .config("spark.sql.streaming.numRecentProgressUpdates", "1000")
    )
    return stoplog.configure(builder).getOrCreate()


if __name__ == "__main__":
    main()
