# SPDX-License-Identifier: Apache-2.0
"""Compares micro-batches without targets of announcements with micro-batches of three webhooks, up and down.

.venv/bin/python bench/announcements.py
.venv/bin/python bench/announcements.py waiting  # time and memory while 1,000 records wait
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import threading
import time
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROUNDS = 5
BATCHES = 60
WARM_BATCHES = 10  # of each query, not measured
ROWS = 1_000
KINDS = ("none", "up", "down", "none again")
WAITING_RECORDS = 1_000
WAITING_ROUNDS = 2
NOWHERE = "http://127.0.0.1:9/files"


class Receiver:
    """A webhook on this machine, which notes when each announcement arrived."""

    def __init__(self) -> None:
        self.arrived: list[tuple[float, float]] = []  # seconds of arrival, and of the decision
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                decided = datetime.fromisoformat(event["time"].replace("Z", "+00:00"))
                receiver.arrived.append((time.time(), decided.timestamp()))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/files"


def run(spark: SparkSession, root: Path, kind: str, url: str) -> float:
    """Returns the median milliseconds of a micro-batch."""
    source = root / "in"
    source.mkdir(parents=True)
    rows = "".join(f"row {number:08}\n" for number in range(ROWS))
    for number in range(WARM_BATCHES + BATCHES):
        (source / f"{number:04}.txt").write_text(rows)
    sink = stoplog.FileSink.for_row_format(root / "out", "text").with_rolling_policy(
        stoplog.OnCheckpointRollingPolicy()
    )
    address = {"up": url, "down": NOWHERE}.get(kind)
    for number in range(3 if address else 0):
        sink = sink.with_announcement(stoplog.Announcement.webhook(address), f"hook{number}")
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(str(source))
    # A query with a target that is down waits for the target at its end, which is not measured.
    query = sink.build().write_stream(lines, root / "checkpoint").trigger(processingTime="0 seconds").start()
    while not query.lastProgress or query.lastProgress["batchId"] < WARM_BATCHES + BATCHES - 1:
        time.sleep(0.05)
    taken = [
        each["durationMs"]["triggerExecution"]
        for each in query.recentProgress
        if each["batchId"] >= WARM_BATCHES and each["numInputRows"]
    ]
    query.stop()
    return float(statistics.median(taken))


def waiting(spark: SparkSession, root: Path, *, is_down: bool) -> tuple[float, float]:
    """Returns the median milliseconds of a micro-batch and the MB of the heap after 1,000 micro-batches.

    Each micro-batch writes a record. With a target that is down, all of these records wait.
    """
    sink = stoplog.FileSink.for_row_format(root / "out", "text").with_rolling_policy(
        stoplog.OnCheckpointRollingPolicy()
    )
    if is_down:
        sink = sink.with_announcement(stoplog.Announcement.webhook(NOWHERE), "hook")
        sink = sink.with_option("announceAtEnd", "1s")
    lines = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS).load()
    rows = lines.selectExpr("concat('row ', value) AS value")
    query = sink.build().write_stream(rows, root / "checkpoint").trigger(processingTime="0 seconds").start()
    first = _until_batch(query, WAITING_RECORDS)["batchId"] + WARM_BATCHES
    # What the query itself has made since its last collection is no part of the difference.
    jvm: Any = spark._jvm
    heap = jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
    used = []
    for _ in range(5):
        heap.gc()
        used.append(heap.getHeapMemoryUsage().getUsed() / 1e6)
    last = _until_batch(query, first + BATCHES)
    if is_down:
        lag = last["sink"]["metrics"]["announcementLagRecords"]
        assert int(lag) >= min(WAITING_RECORDS, first), f"only {lag} records wait"
    taken = [
        each["durationMs"]["triggerExecution"]
        for each in query.recentProgress
        if first <= each["batchId"] < first + BATCHES
    ]
    query.stop()
    stoplog.await_finished(query)
    return float(statistics.median(taken)), min(used)


def _until_batch(query: Any, number: int) -> Any:
    """Returns the progress of this micro-batch or of a later one."""
    while not (progress := query.lastProgress) or progress["batchId"] < number:
        if query.exception():
            raise query.exception()
        time.sleep(0.05)
    return progress


def compare_waiting(spark: SparkSession) -> None:
    """Prints the figures with and without waiting records."""
    for number in range(WAITING_ROUNDS + 1):
        for is_down in (False, True):
            with tempfile.TemporaryDirectory() as root:
                millis, used = waiting(spark, Path(root), is_down=is_down)
            if number > 0:  # the first round warms up
                records = WAITING_RECORDS if is_down else 0
                print(
                    f"{records:5} waiting: {millis:6.1f} ms for each micro-batch, {used:6.1f} MB", flush=True
                )


def main() -> None:
    """Prints the figures."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.streaming.numRecentProgressUpdates", "1000")
    spark = stoplog.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    if "waiting" in sys.argv:
        compare_waiting(spark)
    else:
        compare_targets(spark)
    spark.stop()


def compare_targets(spark: SparkSession) -> None:
    """Prints the figures with and without three webhooks."""
    receiver = Receiver()
    millis: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(ROUNDS + 1):
        for kind in KINDS if number % 2 else KINDS[::-1]:
            with tempfile.TemporaryDirectory() as root:
                found = run(spark, Path(root), kind, receiver.url)
            if number > 0:  # the first round warms up
                millis[kind].append(found)
    for kind, all_rounds in millis.items():
        spread = f"{min(all_rounds):.0f} to {max(all_rounds):.0f}"
        print(f"{kind:10} median {statistics.median(all_rounds):6.1f} ms ({spread}) for each micro-batch")
    waits = sorted(1000 * (arrived - decided) for arrived, decided in receiver.arrived)
    if waits:
        later = waits[int(len(waits) * 0.99)]
        print(f"{len(waits)} announcements: median {statistics.median(waits):.0f} ms, 99 % {later:.0f} ms")


if __name__ == "__main__":
    main()
