# SPDX-License-Identifier: Apache-2.0
"""A target with a position has each announcement once, whichever of two drivers dies, or the target."""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pytest

from support.announced import Announced, assert_complete, assert_in_order
from support.at_work import arrive, at_work
from support.epochs import committed
from support.finished import assert_each_once, assert_none_twice, files
from support.jobs import KILLED, Job
from support.wait import until

if TYPE_CHECKING:
    import subprocess

    from servers import KafkaBroker
    from servers.databases import Database
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 2
IN_FILES = 250 if LONG else 20
"""Of a hundred rows each, in parts of five rows at most."""
BATCH_ROWS = 1_250 if LONG else 100
SEED = 20_261_128
OPTIONS = {
    "format": "text",
    "bucketBy": "concat('k', right(value, 1))",
    "maxRecordsPerPart": "5",
    "bucketCheckInterval": "200ms",
    "announceAtEnd": "5m",
}
BATCH_STEPS = ("afterDelivery", "allAnnounced", "beforeDelivery", "cursorWritten")


class Target(Protocol):
    """A target that a test may kill; it keeps its announcements."""

    options: dict[str, str]
    conf: dict[str, str]

    def received(self) -> list[Announced]:
        """In the order of their arrival, each as often as it took effect."""

    def crash(self) -> None: ...

    def start(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Table:
    """A table with the key that the target requires: a row that comes twice would be refused."""

    database: Database
    name: str

    def __post_init__(self) -> None:
        columns = {"log_identity": "TEXT", "log_name": "TEXT", "sink_path": "TEXT", "sink_id": "TEXT"}
        columns |= {"change_kind": "TEXT", "bucket": "TEXT", "file_path": "TEXT", "decided_at": "TEXT"}
        columns |= {"min_time": "TEXT", "max_time": "TEXT", "record_sequence": "BIGINT"}
        columns |= {"announcement_number": "BIGINT", "file_number": "BIGINT", "file_rows": "BIGINT"}
        columns |= {"file_bytes": "BIGINT", "bucket_version": "BIGINT", "epoch": "BIGINT"}
        of_announcements = ", ".join(f"{name} {of}" for name, of in columns.items())
        key = "log_identity, record_sequence, announcement_number, file_number"
        self.database.execute(
            f"CREATE TABLE {self.name} (arrived BIGSERIAL, {of_announcements}, PRIMARY KEY ({key}))"
        )

    @property
    def options(self) -> dict[str, str]:
        own = {"url": self.database.url, "dbtable": self.name}
        return {"announce.to": "jdbc"} | {f"announce.to.{key}": value for key, value in own.items()}

    @property
    def conf(self) -> dict[str, str]:
        return self.database.conf

    def received(self) -> list[Announced]:
        place = "record_sequence, announcement_number, file_number"
        rows = self.database.rows(
            f"SELECT log_name, log_identity, {place}, file_path FROM {self.name} ORDER BY arrived"
        )
        return [
            Announced((name, identity), tuple(map(int, numbers)), (path,))
            for name, identity, *numbers, path in rows
        ]

    def crash(self) -> None:
        self.database.crash()

    def start(self) -> None:
        self.database.start()


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of one partition, which keeps the order."""

    broker: KafkaBroker
    name: str

    def __post_init__(self) -> None:
        self.broker.create(self.name, partitions=1)

    @property
    def options(self) -> dict[str, str]:
        own = {"kafka.bootstrap.servers": self.broker.servers, "topic": self.name}
        return {"announce.to": "kafka"} | {f"announce.to.{key}": value for key, value in own.items()}

    @property
    def conf(self) -> dict[str, str]:
        return self.broker.conf

    def received(self) -> list[Announced]:
        return [Announced.of(json.loads(value)) for value in self.broker.committed(self.name)]

    def crash(self) -> None:
        self.broker.kill()

    def start(self) -> None:
        self.broker.start()


@pytest.fixture(params=["jdbc", pytest.param("kafka", marks=pytest.mark.long)])
def target(request: pytest.FixtureRequest) -> Target:
    work = "streams" if "streams" in request.function.__name__ else "batches"
    name = f"announced_{work}"
    if request.param == "jdbc":
        return Table(request.getfixturevalue("database"), name)
    return Topic(request.getfixturevalue("broker"), name)


@pytest.mark.long
def test_each_file_of_two_streams_is_announced_once_after_kill_9(place: Place, target: Target) -> None:
    moments = random.Random(SEED)
    for number in range(KILL_ROUNDS):
        place.feed(files=max(4, IN_FILES // KILL_ROUNDS - 6))
        with at_work(stream(place, target)) as old:
            arrive(place, old, moments)
            if number % 2 == 0:
                new_beside_asleep(place, target, old, moments)
            else:
                new_beside_awake(place, target, old, is_crashing=number % 4 == 1)
        assert_none_twice(place.out, place.rows)
        assert_each_at_most_once(target, place)
    place.feed(files=max(1, IN_FILES - place.files))
    assert stream(place, target).run().code == 0
    assert_each_once(place.out, place.rows)
    assert_all_announced(target, place, files_at_least=IN_FILES * 20)


@pytest.mark.long
def test_each_file_of_two_batch_jobs_is_announced_once_after_kill_9(place: Place, target: Target) -> None:
    for number in range(KILL_ROUNDS):
        step = BATCH_STEPS[number % len(BATCH_STEPS)]
        with batch(place, target, fault=f"{step}:1:halt").running("batch_job.py") as doomed:
            # This job runs next to the doomed job, or after its death.
            assert batch(place, target).run("batch_job.py").code == 0
            assert doomed.wait() == KILLED
        assert_each_at_most_once(target, place)
    assert batch(place, target).run("batch_job.py").code == 0
    # A doomed job may die in the deliveries of the other job, before its own record.
    jobs = KILL_ROUNDS + 1
    assert_all_announced(target, place, files_at_least=jobs * BATCH_ROWS // 5)


def new_beside_asleep(
    place: Place, target: Target, old: subprocess.Popen[str], moments: random.Random
) -> None:
    """The old driver sleeps, maybe in the middle of a call, and wakes up while the new one is at work."""
    os.killpg(old.pid, signal.SIGSTOP)
    with at_work(stream(place, target)) as new:
        arrive(place, new, moments)
        os.killpg(old.pid, signal.SIGCONT)
        arrive(place, new, moments)
        until("the end of the old driver", lambda: old.poll() is not None)


def new_beside_awake(place: Place, target: Target, old: subprocess.Popen[str], *, is_crashing: bool) -> None:
    """Both drivers deliver until one is rejected, maybe while the server dies."""
    fed_at = -1

    def is_one_rejected() -> bool:
        nonlocal fed_at
        if committed(place) > fed_at:
            place.feed()
            fed_at = committed(place)
        return old.poll() is not None or new.poll() is not None

    with at_work(stream(place, target)) as new:
        if is_crashing:
            target.crash()
            place.feed(files=2)
            target.start()
        until("the end of a driver", is_one_rejected)


def assert_each_at_most_once(target: Target, place: Place) -> None:
    """In order, and none before its file was visible."""
    found = target.received()
    assert_in_order(found)
    twice = [one for one, times in Counter(found).items() if times > 1]
    assert not twice
    absent = [path for one in found for path in one.paths if not (place.out / path).is_file()]
    assert not absent


def assert_all_announced(target: Target, place: Place, *, files_at_least: int) -> None:
    assert_each_at_most_once(target, place)
    found = target.received()
    assert_complete(found, place.out)
    print(f"{len(files(place.out))} files, {len(found)} announced by {type(target).__name__}")
    assert len(files(place.out)) >= files_at_least


def stream(place: Place, target: Target, **more: object) -> Job:
    options = OPTIONS | target.options
    return Job.at(place, path=str(place.out), options=options, conf=target.conf, files=6, **more)


def batch(place: Place, target: Target, **more: object) -> Job:
    of_numbers = {"rows": BATCH_ROWS, "select": ["cast(id as string) as value"], "conf": target.conf}
    return Job(path=str(place.out), options=OPTIONS | target.options, **of_numbers, **more)
