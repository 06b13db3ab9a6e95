# SPDX-License-Identifier: Apache-2.0
"""Compares micro-batches without targets of announcements with micro-batches of three webhooks, up and down.

.venv/bin/python bench/announcements.py
"""

from __future__ import annotations

import json
import statistics
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
    address = {"up": url, "down": "http://127.0.0.1:9/files"}.get(kind)
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


def main() -> None:
    """Prints the figures."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.streaming.numRecentProgressUpdates", "1000")
    spark = stoplog.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
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
    spark.stop()


if __name__ == "__main__":
    main()
