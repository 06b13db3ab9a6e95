# SPDX-License-Identifier: Apache-2.0
"""Rows posted to a web server: none lost, whoever is killed, and each once by the keys of the requests."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from servers.jars import jars
from servers.receiver import receiver
from stoplog import InvalidOptions, WriteAheadSink
from support.at_work import kill_rounds
from support.event_log import event_log, events
from support.hosts import cluster
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 1
SEED = 20_261_122
STEPS = (
    "afterSync",
    "beforeRecord",
    "afterRecord",
    "beforeSend",
    "afterSend",
    "afterNote",
    "partPublished",
    "afterMark",
)
SAMPLE = ("afterSend",)


class Received:
    """What a server was posted: the rows of each key, and how often each key came."""

    def __init__(self) -> None:
        self.rows: dict[str, list[str]] = {}
        self.times: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, key: str, body: str) -> None:
        rows = [json.loads(line)["value"] for line in body.splitlines()]
        with self._lock:
            assert self.rows.setdefault(key, rows) == rows, f"{key} came with other rows"
            self.times[key] += 1

    def each_once(self) -> Counter[str]:
        """As a server sees it that knows its keys again."""
        return Counter(row for rows in self.rows.values() for row in rows)


@contextmanager
def web_server(first_retry_after_seconds: int = 0) -> Iterator[tuple[str, Received]]:
    """A server that may put off the first request of all, once."""
    received = Received()
    put_off = threading.Semaphore(1 if first_retry_after_seconds else 0)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # whoever sent it was killed meanwhile
                self.close_connection = True
                return
            if put_off.acquire(blocking=False):
                self.send_response(503)
                self.send_header("Retry-After", str(first_retry_after_seconds))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            received.take(self.headers["Idempotency-Key"], body.decode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *ignored: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/rows", received
    finally:
        server.shutdown()


@pytest.mark.long
@pytest.mark.spark_lines
@pytest.mark.parametrize("step", STEPS if LONG else SAMPLE)
def test_each_row_is_sent_once_after_a_halt_at_a_step(place: Place, step: str) -> None:
    place.feed(files=6)
    with web_server() as (url, received):
        crashing = job(place, url, fault=f"{step}:2:halt").run("wal_job.py")
        assert crashing.code == KILLED, f"{step} was not reached"
        assert job(place, url).run("wal_job.py").code == 0
        assert received.each_once() == Counter(place.rows)
        again = {key for key, times in received.times.items() if times > 1}
        # Only who dies between the last row and the note sends anything again.
        assert bool(again) == (step == "afterSend")


@pytest.mark.long
def test_each_row_is_sent_once_after_kill_9_of_query_and_server(place: Place, tmp_path: Path) -> None:
    """With the default of five repetitions, the pauses of a request outlive the restart of the server."""
    patient = {"httpRetries": "5"}
    with receiver(tmp_path / "server") as server:
        query = job(place, server.url, options=patient)
        for _ in kill_rounds(server, place, query, "wal_job.py", KILL_ROUNDS, SEED):
            assert server.rows_by_key(), "the epochs were empty"
            assert not server.each_once() - Counter(place.rows)
        server.crash()
        server.start()
        # Most rows arrived when no query lived long enough to read them.
        assert job(place, server.url, options=patient, files=50).run("wal_job.py").code == 0
        assert server.each_once() == Counter(place.rows)


@pytest.mark.long
@pytest.mark.spark_lines
def test_a_chunk_is_sent_once_with_speculative_tasks(place: Place, tmp_path: Path) -> None:
    """The sending task waits for the server, and Spark starts a second attempt of the task."""
    place.feed(files=2)
    conf = {
        "spark.executor.memory": "640m",
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.task.duration.threshold": "1s",
    }
    conf |= event_log(tmp_path / "events")
    with web_server(first_retry_after_seconds=15) as (url, received), cluster(tmp_path / "cluster") as master:
        assert job(place, url, conf=conf, master=master).run("wal_job.py").code == 0
        started = events(tmp_path / "events", "SparkListenerTaskStart")
        assert any(event["Task Info"]["Speculative"] for event in started), "no second attempt was started"
        assert received.each_once() == Counter(place.rows)
        assert set(received.times.values()) == {1}


@pytest.mark.spark_lines
@pytest.mark.usefixtures("spark")
def test_the_jar_checks_the_options_of_the_builder() -> None:
    sink = WriteAheadSink.to_http("http://localhost/x")
    assert sink.build().options() == {"sender": "http", "url": "http://localhost/x"}
    with pytest.raises(InvalidOptions, match="is not an http or https URL"):
        WriteAheadSink.to_http("ftp://localhost/x").build()


def job(place: Place, url: str, conf: dict[str, str] | None = None, **more: object) -> Job:
    return Job.at(place, path=url, conf={"spark.jars": jars("wal")} | (conf or {}), **more)
