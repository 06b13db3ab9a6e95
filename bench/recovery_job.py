# SPDX-License-Identifier: Apache-2.0
"""One life of the stream of `bench.recovery`: prints what it measured as one line of JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bench.open_parts import Place, Rows
from bench.rounds import wait_for
from pyspark.sql import SparkSession

import stoplog

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

EPOCHS_BEFORE = 2
FEW_EPOCHS = 9
MOST_FILES_OF_A_TASK = 5_000


def main() -> None:
    life, folder, parts = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    place = Place(folder, parts)
    spark = session(place)
    warm_up(spark)
    match life:
        case "open":
            measured = opened(spark, place)
        case "few":
            measured = recovered(spark, place, "few")
        case _:
            measured = recovered(spark, place, "all") | finished(spark)
    print(json.dumps(measured), flush=True)
    sys.stdin.read()  # until it is killed


def session(place: Place) -> SparkSession:
    tasks = max(2, place.parts // MOST_FILES_OF_A_TASK)
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("stoplog-bench-recovery")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "3g")
        .config("spark.log.level", "OFF")
        # Two tasks in a micro-batch with a row for each bucket; more where each would open too many files.
        .config("spark.sql.files.maxPartitionBytes", str(place.parts * 12 // tasks + 1))
        .config("spark.sql.files.openCostInBytes", "1")
    )
    return stoplog.configure(builder).getOrCreate()


def warm_up(spark: SparkSession) -> None:
    """The first query of a JVM waits for classes to be loaded, which is no business of the sink's."""
    spark.range(1000).selectExpr("cast(id as string)").write.format("noop").mode("append").save()


def opened(spark: SparkSession, place: Place) -> dict[str, float]:
    query = place.start(spark)
    first, *_ = (epoch_seconds(query, place, "all") for _ in range(EPOCHS_BEFORE))
    return {"open": first}


def recovered(spark: SparkSession, place: Place, rows: Rows) -> dict[str, float]:
    """The first micro-batch waits for the query; then come some of few rows and one of all buckets."""
    number = place.feed(rows)
    started = time.monotonic()
    query = place.start(spark)
    wait_for(query, number + 1)
    first = time.monotonic() - started
    few = sorted(epoch_seconds(query, place, "few") for _ in range(FEW_EPOCHS))
    every = epoch_seconds(query, place, "all")
    return {f"first_{rows}": first, "epoch_few": few[FEW_EPOCHS // 2], "epoch_all": every}


def epoch_seconds(query: StreamingQuery, place: Place, rows: Rows) -> float:
    number = place.feed(rows)
    wait_for(query, number + 1)
    done = next(p for p in query.recentProgress if p["batchId"] == number and p["numInputRows"] > 0)
    return cast(float, done["durationMs"]["triggerExecution"] / 1000)


def finished(spark: SparkSession) -> dict[str, float]:
    """From the stop of the query until all its parts are visible."""
    query = spark.streams.active[0]
    started = time.monotonic()
    query.stop()
    stoplog.await_finished(query)
    return {"finish": time.monotonic() - started}


if __name__ == "__main__":
    main()
