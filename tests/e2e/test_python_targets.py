# SPDX-License-Identifier: Apache-2.0
"""Write-ahead targets and checkpoint committers in Python: no row lost, and each once by its key."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from stoplog import WriteAheadSink, WriteAheadTarget
from stoplog.errors import condition_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from support.place import Place

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "own-sinks"))

import write_ahead_targets
from pyspark import cloudpickle
from write_ahead_targets import RestApi, SqliteNotes

# The executors of Spark have neither this module nor the example.
cloudpickle.register_pickle_by_value(write_ahead_targets)
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@contextmanager
def web_server(failures: int = 0) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Rows by the key of their request; the first requests fail."""
    received: dict[str, list[str]] = {}
    left = [failures]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            left[0] -= 1
            if left[0] < 0:
                received[self.headers["Idempotency-Key"]] = [row["value"] for row in json.loads(body)]
            self.send_response(503 if left[0] >= 0 else 204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/rows", received
        server.shutdown()


def test_rows_reach_a_rest_api_once_for_each_key_and_notes_are_in_sqlite(
    spark: SparkSession, place: Place, tmp_path: Path
) -> None:
    notes = str(tmp_path / "notes.db")
    with web_server() as (url, received):
        for _ in range(2):
            place.feed(files=3)
            run(
                spark,
                place,
                WriteAheadSink.to_target(RestApi(url)).with_committer(SqliteNotes(notes)).build(),
            )
        assert Counter(row for rows in received.values() for row in rows) == Counter(place.rows)
    with closing(sqlite3.connect(notes)) as connection:
        assert connection.execute("SELECT count(DISTINCT epoch) FROM sent").fetchone() == (1,)


class Unsent(WriteAheadTarget):
    target = "orders"

    def send_values(self, batch, epoch, time):
        assert time is not None
        return False


class Raising(WriteAheadTarget):
    target = "orders"

    def send_values(self, batch, epoch, time):
        raise OSError(f"no answer in epoch {epoch}")


@pytest.mark.parametrize(
    ("target", "condition", "said"),
    [
        (Unsent(), "STOPLOG_REQUEST_FAILED", "The 100 rows of chunk"),
        (Raising(), "STOPLOG_PYTHON_FAILED", "method send_values of Raising failed in epoch 0, partition"),
    ],
)
def test_rows_that_were_not_sent_are_sent_by_the_next_start(
    spark: SparkSession, place: Place, target: WriteAheadTarget, condition: str, said: str
) -> None:
    place.feed(files=2)
    with web_server() as (url, received):
        with pytest.raises(Exception, match=condition) as found:
            run(spark, place, WriteAheadSink.to_target(target).build())
        assert said in str(found.value)
        assert condition_of(found.value) == condition
        moved = str(type(target).__name__) + " in Python: orders"
        run(spark, place, WriteAheadSink.to_target(RestApi(url)).with_target_moved_from(moved).build())
        assert Counter(row for rows in received.values() for row in rows) == Counter(place.rows)


def run(spark: SparkSession, place: Place, sink: WriteAheadSink) -> None:
    rows = spark.readStream.option("maxFilesPerTrigger", 2).text(str(place.input))
    sink.write_stream(rows, place.checkpoint).trigger(availableNow=True).start().awaitTermination()
