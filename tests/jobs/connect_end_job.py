# SPDX-License-Identifier: Apache-2.0
"""The ends of queries, as a Spark Connect client sees them.

Its one argument is JSON (`support.jobs.Job`). Prints a line of JSON with what the client saw.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from connect_session import connect_session

import stoplog


def main(job: dict) -> None:
    spark = connect_session(job)
    root = Path(job["path"])
    source = spark.readStream.schema("value STRING").text(job["input"])
    seen = {"visible": [], "input_rows": []}
    for run in range(int(job["source"]["runs"])):
        out = root / f"out-{run}"
        sink = (
            stoplog.FileSink.for_row_format(out, "text")
            .with_bucket_by("concat('b=', value)")
            .with_max_open_parts(5000)
            .with_sink_id("clicks" if run % 3 == 2 else "main")
            .build()
        )
        query = sink.write_stream(source, root / f"checkpoint-{run}").trigger(availableNow=True).start()
        query.awaitTermination()
        finished = stoplog.await_finished(query, timeout=120)
        seen["visible"].append(len(list(out.glob("b=*/*"))) if finished else str(finished))
        seen["input_rows"].append(next(iter(stoplog.progress(query))).input_rows)
    seen.update(_others(spark, source, root))
    print(json.dumps(seen), flush=True)
    spark.stop()


def _others(spark, source, root: Path) -> dict:
    sink = (
        stoplog.FileSink.for_row_format(root / "stopped", "text")
        .with_option("bucketAssigner", "basePath")
        .build()
    )
    query = sink.write_stream(source, root / "checkpoint-stopped").start()
    query.processAllAvailable()
    stopped = stoplog.stop_after_batch(query, timeout=120)
    noop = source.writeStream.format("noop").option("checkpointLocation", str(root / "noop")).start()
    noop.processAllAvailable()
    refusals = [
        _refusal(lambda: stoplog.await_finished(noop)),
        _refusal(lambda: stoplog.stop_after_batch(noop)),
    ]
    noop.stop()
    (root / "empty").mkdir()
    empty = spark.readStream.text(str(root / "empty"))
    first = sink.run_available_now(source, root / "checkpoint-stopped")
    return {
        "stopped": [stopped.in_time, bool(stopped), stopped.rows],
        "refusals": [
            *refusals,
            _refusal(lambda: stoplog.open_parts(spark, root / "stopped", "typo").count()),
            _refusal(lambda: sink.write_stream(source).partitionBy("value")),
            _refusal(lambda: sink.run_available_now(source, root / "stopped" / "checkpoint")),
        ],
        "refused": _class(lambda: sink.run_available_now(source, root / "stopped" / "checkpoint")),
        "doctor": [str(stoplog.doctor(spark)), stoplog.doctor(spark).works],
        "finished": [first.metrics.epochs_committed, len(list((root / "stopped").glob("part-*")))],
        "empty": _empty(empty, root),
    }


def _empty(empty, root: Path) -> str:
    sink = (
        stoplog.FileSink.for_row_format(root / "none", "text")
        .with_option("bucketAssigner", "basePath")
        .build()
    )
    try:
        return repr(
            sink.run_available_now(empty, root / "checkpoint-empty", timeout=5).metrics.published_rows
        )
    except Exception as error:
        return repr(error)


def _class(call) -> str:
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return ""


def _refusal(call) -> str:
    try:
        call()
    except Exception as error:
        return str(stoplog.condition_of(error))
    return ""


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
