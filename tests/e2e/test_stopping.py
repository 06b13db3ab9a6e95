# SPDX-License-Identifier: Apache-2.0
"""A query whose process is asked to end stops between two micro-batches, with all of its rows to be read."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from support.epochs import committed
from support.finished import assert_each_once
from support.jobs import Job, first_line
from support.wait import until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from support.place import Place


def to_python(process: subprocess.Popen[str], _jvm: int, _place: Place) -> None:
    process.send_signal(signal.SIGTERM)


def to_the_jvm(_process: subprocess.Popen[str], jvm: int, _place: Place) -> None:
    os.kill(jvm, signal.SIGTERM)


def to_both(process: subprocess.Popen[str], _jvm: int, _place: Place) -> None:
    os.killpg(process.pid, signal.SIGTERM)


def by_marker(_process: subprocess.Popen[str], _jvm: int, place: Place) -> None:
    marker(place).touch()


@pytest.mark.parametrize(
    "tell",
    [
        to_python,
        pytest.param(to_the_jvm, marks=pytest.mark.long),
        pytest.param(to_both, marks=pytest.mark.long),
        pytest.param(by_marker, marks=pytest.mark.long),
    ],
    ids=lambda each: each.__name__,
)
def test_a_requested_stop_publishes_the_read_rows(
    place: Place, tell: Callable[[subprocess.Popen[str], int, Place], None]
) -> None:
    place.feed(files=8)
    job = Job.at(
        place,
        path=str(place.out),
        options={"format": "text"},
        source={"marker": str(marker(place))},
    )
    with job.running("stopping_job.py") as process:
        jvm = int(first_line(process))
        until("all to be read", lambda: committed(place) >= 4)
        tell(process, jvm, place)
        printed, _ = process.communicate(timeout=300)
    if tell in (to_python, by_marker):
        assert (process.returncode, printed) == (0, "ended\n")
    assert_each_once(place.out, place.rows)
    assert not place.unfinished()
    assert not marker(place).exists()


def marker(place: Place) -> Path:
    return place.root / "stop"
