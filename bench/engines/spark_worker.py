# SPDX-License-Identifier: Apache-2.0
"""Runs jobs that it is told on standard input, one a line, in one session of Spark that stays up.

`CONTENDER ROWS COMMITS INTERVAL_MILLIS PACE OUT STATE DROPPED`; each is answered by one line of JSON.
Arguments are settings of the session, `key=value` each.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from bench.engines.plan import CONTENDERS, CORES, FILLER, FIRST_NUMBER, HEAP, Contender, Job, Pace
from bench.engines.processes import thread_times
from bench.engines.spark_sinks import writer
from bench.engines.worker import ANSWER
from pyspark.sql import SparkSession

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

_POLL_SECONDS = 0.02


def main() -> None:
    spark = session(dict(setting.split("=", 1) for setting in sys.argv[1:]))
    answer({})
    for line in sys.stdin:
        name, rows, commits, interval, pace, out, state, dropped = line.split()
        contender = next(each for each in CONTENDERS if each.word == name)
        job = Job(int(rows), int(commits), int(interval), cast("Pace", pace), out, state, int(dropped))
        answer(run(spark, contender, job))
    spark.stop()


def answer(what: dict[str, object]) -> None:
    print(f"{ANSWER}{json.dumps(what)}", flush=True)


def session(settings: dict[str, str]) -> SparkSession:
    builder = (
        SparkSession.builder.master(f"local[{CORES}]")
        .appName("stoplog-bench-peers")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", HEAP)
        .config("spark.sql.shuffle.partitions", str(CORES))
        .config("spark.sql.streaming.numRecentProgressUpdates", "10000")
        # Every query is stopped in the middle of a batch without rows, which Spark calls an error.
        .config("spark.log.level", "OFF")
    )
    for key, value in settings.items():
        builder = builder.config(key, value)
    return stoplog.configure(builder).getOrCreate()


def run(spark: SparkSession, contender: Contender, job: Job) -> dict[str, object]:
    writing = writer(contender, lines(spark, contender, job), job.out)
    interval = job.interval_millis if job.pace == "PACED" else 0
    begun = time.perf_counter()
    query = (
        writing.option("checkpointLocation", job.state)
        .trigger(processingTime=f"{interval} milliseconds")
        .start()
    )
    try:
        if job.dropped:
            wait_for(query, job.dropped)
        first_ended, before = time.perf_counter(), thread_times(os.getpid())
        wait_for(query, job.commits)
        steady_seconds = time.perf_counter() - first_ended
        threads = thread_times(os.getpid()).since(before)
    finally:
        query.stop()
    if contender.engine == "stoplog":
        stoplog.await_finished(query)
    seconds = time.perf_counter() - begun
    counted = range(job.dropped, job.commits)
    done = [p["durationMs"]["triggerExecution"] for p in query.recentProgress if p["batchId"] in counted]
    steady = {"seconds": steady_seconds, "threads": asdict(threads)}
    return {"seconds": seconds, "commit_millis": done, "steady": steady}


def lines(spark: SparkSession, contender: Contender, job: Job) -> DataFrame:
    """The source goes on for as long as it is asked: what is past the last commit is left out."""
    source = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", job.rows)
        .option("numPartitions", CORES)
        .load()
        .where(f"value < {job.all_rows}")
    )
    line = f"concat('{FILLER}', cast({FIRST_NUMBER} + value AS string)) AS line"
    return source.selectExpr(*(["value AS id", line] if contender.kind == "parquet" else [line]))


def wait_for(query: StreamingQuery, batches: int) -> None:
    """Until so many have ended. A whole report from the JVM each time would cost more than some sinks."""
    while True:
        progress = query._jsq.lastProgress()
        if progress is not None and progress.batchId() >= batches - 1:
            return
        if not query.isActive:
            raise RuntimeError(str(query.exception()))
        time.sleep(_POLL_SECONDS)


if __name__ == "__main__":
    main()
