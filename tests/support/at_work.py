# SPDX-License-Identifier: Apache-2.0
"""A query at work in a process of its own: input arrives for it, and in the end it is killed."""

from __future__ import annotations

import random
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from support.epochs import committed, planned
from support.jobs import GIVE_UP_SECONDS, first_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.jobs import Job
    from support.place import Place

FILES_AHEAD = 4
"""More than a query takes in one epoch."""

_WITHOUT_END = {"processingTime": "0 seconds"}


class Crashing(Protocol):
    """A server that a test may kill and start again over the same data, under the same address."""

    def crash(self) -> None: ...

    def start(self) -> None: ...


@contextmanager
def at_work(job: Job, script: str = "stream_job.py") -> Iterator[subprocess.Popen[str]]:
    """From when its query runs, whatever the job's trigger without an end, to `kill -9`."""
    with replace(job, trigger=_WITHOUT_END).running(script) as process:
        assert first_line(process) == "started"
        yield process


def arrive(
    place: Place,
    process: subprocess.Popen[str],
    moments: random.Random,
    feed: Callable[[], None] | None = None,
) -> None:
    """Files arrive while the query runs, until it has committed some epochs more, and maybe is in the next.

    They come ten a second, but on a slow machine no faster than a query reads them.

    Args:
        moments: decides how many epochs, and whether to return at the last commit or once the next one
            is planned.
        feed: lets a file arrive; one of a hundred rows, if left out.
    """
    before = committed(place)
    enough = before + moments.randint(1, 3)
    is_in_the_next = moments.random() < 0.5
    fed = 0
    for _ in _tenths(process):
        if committed(place) >= enough and (not is_in_the_next or planned(place) > enough):
            return
        if fed < FILES_AHEAD * (committed(place) - before + 1):
            (feed or place.feed)()
            fed += 1
    raise AssertionError(
        f"the query has committed {committed(place)} of {enough} epochs in {GIVE_UP_SECONDS} s"
    )


def kill_rounds(
    server: Crashing, place: Place, job: Job, script: str, rounds: int, seed: int
) -> Iterator[None]:
    """Kills the query after some epochs, again and again; after each time the caller looks at what there is.

    The server dies in every second round, and comes back while the query is at work, which then commits more.
    """
    moments = random.Random(seed)
    for number in range(rounds):
        place.feed(files=4)
        with at_work(job, script) as process:
            arrive(place, process, moments)
            if number % 2 == 0:
                server.crash()
                place.feed(files=2)
                server.start()
                arrive(place, process, moments)
        yield


def _tenths(process: subprocess.Popen[str]) -> Iterator[None]:
    """One tenth of a second after another, each of which the query must outlive."""
    for _ in range(GIVE_UP_SECONDS * 10):
        yield
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError("the query ended by itself")
