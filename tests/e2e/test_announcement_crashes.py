# SPDX-License-Identifier: Apache-2.0
"""Each visible file is announced in order, whichever process dies, anywhere and at any time."""

from __future__ import annotations

import json
import os
import random
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from support.at_work import arrive, at_work
from support.finished import assert_each_once, assert_none_twice, files
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 3
FILES = 250 if LONG else 20
"""Of a hundred rows each, in parts of five rows at most."""
SEED = 20_261_127
OPTIONS = {
    "format": "text",
    "bucketBy": "concat('k', cast(right(value, 1) as int) % 3)",
    "maxRecordsPerPart": "5",
    "bucketCheckInterval": "200ms",
}

# Round by round; without a step, the process is killed at a random moment.
STREAM_FATES = ("", "afterDelivery", "cursorWritten", "", "beforeDelivery", "allAnnounced")
BATCH_STEPS = ("afterDelivery", "allAnnounced", "afterRecord", "beforeDelivery", "cursorWritten")


class Receiver:
    """Keeps events, and sometimes responds with an error, before or after the event is kept."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.received: list[dict[str, Any]] = []
        self.early: list[str] = []
        self.moods = random.Random(SEED)
        self.url = ""

    def answer(self, announcement: dict[str, Any]) -> int:
        self.early += [
            file["path"] for file in announcement["files"] if not (self.out / file["path"]).is_file()
        ]
        mood = self.moods.random()
        if mood < 0.1:
            return 503
        self.received.append(announcement)
        return 500 if mood < 0.2 else 204

    def assert_in_order(self) -> None:
        """Repetitions aside, the announcements of each log have come in the order of the log, none early."""
        assert not self.early, "announced before it was visible"
        newest: dict[tuple[str, str], tuple[int, int]] = {}
        for one in self.once:
            log, place = (one["log"], one["identity"]), (one["sequence"], one["number"])
            assert place > newest.get(log, (-1, -1)), f"{one['id']} came late"
            newest[log] = place

    def assert_complete(self) -> None:
        """Each visible file is in one announcement, and no other file is in any."""
        self.assert_in_order()
        announced = sorted(file["path"] for one in self.once for file in one["files"])
        assert announced == sorted(str(file.relative_to(self.out)) for file in files(self.out))

    @property
    def once(self) -> list[dict[str, Any]]:
        """The announcements without repetitions."""
        return list({one["id"]: one for one in reversed(self.received)}.values())[::-1]


@contextmanager
def receiver(out: Path) -> Iterator[Receiver]:
    """A webhook on this machine, which outlives all jobs."""
    kept = Receiver(out)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(kept.answer(body["data"]))
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kept.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()


def test_each_file_of_a_stream_is_announced_after_kill_9(place: Place) -> None:
    moments = random.Random(SEED)
    with receiver(place.out) as hook:
        for number in range(KILL_ROUNDS):
            place.feed(files=4)
            step = STREAM_FATES[number % len(STREAM_FATES)]
            if step:
                assert stream(place, hook, fault=f"{step}:1:halt", files=50).run().code == KILLED
            else:
                with at_work(stream(place, hook)) as process:
                    arrive(place, process, moments)
            assert_none_twice(place.out, place.rows)
            hook.assert_in_order()
        place.feed(files=max(1, FILES - place.files))
        assert stream(place, hook, files=50).run().code == 0
        assert_each_once(place.out, place.rows)
        hook.assert_complete()
    assert len(files(place.out)) >= FILES * 20


def test_each_file_of_batch_jobs_is_announced_after_kill_9(place: Place) -> None:
    with receiver(place.out) as hook:
        for number in range(KILL_ROUNDS):
            step = BATCH_STEPS[number % len(BATCH_STEPS)]
            assert batch(place, hook, fault=f"{step}:1:halt").run("batch_job.py").code == KILLED
            hook.assert_in_order()
        assert batch(place, hook).run("batch_job.py").code == 0
        hook.assert_complete()
        assert len({one["log"] for one in hook.once}) > 1
    # The directory of a job that died before its record stays for a day.
    assert not list((place.out / "_stoplog").glob("batch-*/log/*.commit")), "a log was left"


def stream(place: Place, hook: Receiver, **more: Any) -> Job:
    return Job.at(place, path=str(place.out), options=OPTIONS | target(hook), **more)


def batch(place: Place, hook: Receiver, **more: Any) -> Job:
    of_numbers = {"rows": 100, "select": ["cast(id as string) as value"]}
    return Job(path=str(place.out), options=OPTIONS | target(hook), **of_numbers, **more)


def target(hook: Receiver) -> dict[str, str]:
    return {"announce.hook": "webhook", "announce.hook.url": hook.url, "announceAtEnd": "5m"}
