# SPDX-License-Identifier: Apache-2.0
"""A query at work in a process of its own: input arrives for it, and in the end it is killed."""

from __future__ import annotations

import random
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from support.jobs import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from servers.databases import Database
    from support.jobs import Job
    from support.place import Place

_WITHOUT_END = {"processingTime": "0 seconds"}


@contextmanager
def at_work(job: Job, script: str = "stream_job.py") -> Iterator[subprocess.Popen[str]]:
    """From when its query runs, whatever the job's trigger without an end, to `kill -9`."""
    with replace(job, trigger=_WITHOUT_END).running(script) as process:
        assert first_line(process) == "started"
        yield process


def tenths(process: subprocess.Popen[str], count: int) -> Iterator[None]:
    """One tenth of a second after another, each of which the query must outlive."""
    for _ in range(count):
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            yield
        else:
            raise AssertionError("the query ended by itself")


def arrive(place: Place, process: subprocess.Popen[str], seconds: float) -> None:
    """A file every tenth of a second, while the query runs."""
    for _ in tenths(process, int(seconds * 10)):
        place.feed()


def kill_rounds(
    database: Database, place: Place, job: Job, script: str, rounds: int, seed: int
) -> Iterator[None]:
    """Kills the query at some moment, again and again; after each time the caller looks at what there is.

    The server dies in every second round, and comes back while the query is at work.
    """
    moments = random.Random(seed)
    for number in range(rounds):
        place.feed(files=4)
        with at_work(job, script) as process:
            arrive(place, process, moments.uniform(1, 4))
            if number % 2 == 0:
                database.crash()
                place.feed(files=2)
                database.start()
                arrive(place, process, moments.uniform(0, 3))
        yield
