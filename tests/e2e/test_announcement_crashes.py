# SPDX-License-Identifier: Apache-2.0
"""Each visible file is announced in order, whichever process dies, anywhere and at any time."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from servers.hook import hook
from support.announced import Announced, assert_complete, assert_in_order
from support.at_work import arrive, at_work
from support.finished import assert_each_once, assert_none_twice, files
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from servers.hook import Hook
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 2
IN_FILES = 260 if LONG else 20
"""Of a hundred rows each, in parts of five rows at most."""
BATCH_ROWS = 2_500 if LONG else 500
"""In parts of five rows; some jobs die before their record, and announce only the files of the job before."""
OUT_FILES, BATCH_FILES = (5_000, 5_000) if LONG else (400, 250)
SEED = 20_261_127
OPTIONS = {
    "format": "text",
    "bucketBy": "concat('k', right(value, 1))",
    "maxRecordsPerPart": "5",
    "bucketCheckInterval": "200ms",
}

# Round by round; without a step, the process is killed at a random moment.
STREAM_FATES = ("", "afterDelivery", "cursorWritten", "", "beforeDelivery", "allAnnounced")
BATCH_STEPS = ("afterDelivery", "allAnnounced", "afterRecord", "beforeDelivery", "cursorWritten")


@pytest.fixture
def mortal(place: Place, tmp_path: Path) -> Iterator[Hook]:
    """A webhook that dies again and again."""
    with hook(tmp_path / "hook", place.out) as running:
        yield running


def test_each_file_of_a_stream_is_announced_after_kill_9(place: Place, mortal: Hook) -> None:
    moments = random.Random(SEED)
    for number in range(KILL_ROUNDS):
        place.feed(files=max(4, IN_FILES // KILL_ROUNDS))
        step = STREAM_FATES[number % len(STREAM_FATES)]
        if step:
            assert stream(place, mortal, fault=f"{step}:1:halt").run().code == KILLED
        else:
            with at_work(stream(place, mortal)) as process:
                arrive(place, process, moments)
        assert_none_twice(place.out, place.rows)
        assert_in_order(received(mortal))
    place.feed(files=max(1, IN_FILES - place.files))
    assert stream(place, mortal).run().code == 0
    assert_each_once(place.out, place.rows)
    assert_all_announced(place, mortal, OUT_FILES)


@pytest.mark.long
def test_each_file_of_batch_jobs_is_announced_after_kill_9(place: Place, mortal: Hook) -> None:
    for number in range(KILL_ROUNDS):
        step = BATCH_STEPS[number % len(BATCH_STEPS)]
        assert batch(place, mortal, fault=f"{step}:1:halt").run("batch_job.py").code == KILLED
        assert_in_order(received(mortal))
        # A job that delivers the files of the job before may die in this delivery, before its own record.
        if number % 2 == 1:
            assert batch(place, mortal).run("batch_job.py").code == 0
    assert batch(place, mortal).run("batch_job.py").code == 0
    assert len({one.log for one in received(mortal)}) > KILL_ROUNDS // 2
    # The directory of a job that died before its record stays for a day.
    assert not list((place.out / "_stoplog").glob("batch-*/log/*.commit")), "a log was left"
    assert_all_announced(place, mortal, BATCH_FILES)


def assert_all_announced(place: Place, mortal: Hook, files_at_least: int) -> None:
    """None is missing, too early or out of order, and there were as many deaths as a test must have."""
    announcements = received(mortal)
    assert_complete(announcements, place.out)
    there = len(files(place.out))
    repeated = len(announcements) - len(set(announcements))
    print(f"{there} files, {mortal.deaths} deaths of the webhook, {repeated} announcements repeated")
    assert there >= files_at_least
    assert mortal.deaths >= KILL_ROUNDS


def received(mortal: Hook) -> list[Announced]:
    events = mortal.received()
    early = [event["early"] for event in events if event["early"]]
    assert not early, f"announced before they were visible: {early}"
    return [Announced.of(event) for event in events]


def stream(place: Place, mortal: Hook, **more: object) -> Job:
    # More than one epoch for what arrives in a round.
    return Job.at(place, path=str(place.out), options=OPTIONS | target(mortal), files=6, **more)


def batch(place: Place, mortal: Hook, **more: object) -> Job:
    of_numbers = {"rows": BATCH_ROWS, "select": ["cast(id as string) as value"]}
    return Job(path=str(place.out), options=OPTIONS | target(mortal), **of_numbers, **more)


def target(mortal: Hook) -> dict[str, str]:
    return {"announce.hook": "webhook", "announce.hook.url": mortal.url, "announceAtEnd": "5m"}
