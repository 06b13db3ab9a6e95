# SPDX-License-Identifier: Apache-2.0
"""Upserts into a real Cassandra while the query's process and the server are killed: effectively once."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING

import pytest

from servers import cassandra
from support.jobs import KILLED, Job, kill
from support.wait import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from servers import Cassandra
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
FAULTS = ["midWrite:1050:halt"]
MORE_FAULTS = [
    "afterClaim:2:halt",
    "beforeClaim:1:halt",
    "beforeSync:1:halt",
    "afterSync:2:halt",
    "midWrite:17:halt",
]
KILLS = 20 if LONG else 0
KEYS = 400
SEED = 20_261_122
COLUMNS = ["CAST(substr(value, 7) AS INT) AS id", "CAST(substr(value, 1, 5) AS INT) AS file"]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cassandra]:
    with cassandra(tmp_path_factory.mktemp("cassandra")) as node:
        node.cql(
            "CREATE KEYSPACE e2e WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
        )
        yield node


@pytest.mark.spark_lines
def test_each_key_has_what_came_last_however_often_query_and_server_are_killed(
    node: Cassandra, place: Place
) -> None:
    """The files say something new of the same keys again and again."""
    node.cql("CREATE TABLE e2e.kills (id int PRIMARY KEY, file int)")
    for fault in FAULTS + (MORE_FAULTS if LONG else []):
        feed(place, 4)
        assert job(node, place, "kills", fault).run("cassandra_job.py").code == KILLED

    moments = random.Random(SEED)
    for _ in range(KILLS):
        feed(place, 6)
        process = job(node, place, "kills").start("cassandra_job.py")
        until_epoch(place, committed(place) + moments.randint(0, 4))
        kill(process)

    # The server is gone for a while in the middle of an epoch: requests are sent again until it is back.
    feed(place, 6)
    process = job(node, place, "kills").start("cassandra_job.py")
    until_epoch(place, committed(place) + 2)
    node.restart()
    printed, _ = process.communicate(timeout=240)
    assert process.returncode == 0
    assert found(printed) == [[key, place.files - 1] for key in range(KEYS)]


def feed(place: Place, files: int) -> None:
    """Each a second younger than the one before: Spark takes the oldest first, equals in any order."""
    for _ in range(files):
        place.feed(rows=KEYS, age_seconds=1_000 - place.files)


def job(node: Cassandra, place: Place, table: str, fault: str = "") -> Job:
    options = {"contactPoints": node.address, "keyspace": "e2e", "table": table, "retryTimeout": "2m"}
    return Job(
        path="",
        input=str(place.input),
        checkpoint=str(place.checkpoint),
        options=options,
        select=COLUMNS,
        conf=node.conf,
        fault=fault,
    )


def found(printed: str) -> list[list[int]]:
    rows = next(line for line in printed.splitlines() if line.startswith("ended "))
    return json.loads(rows.removeprefix("ended "))


def committed(place: Place) -> int:
    """How many epochs Spark knows to be over."""
    return len(numbered(place.checkpoint / "commits"))


def until_epoch(place: Place, epoch: int) -> None:
    """Until an epoch has been planned, and maybe more."""
    until("an epoch", lambda: len(numbered(place.checkpoint / "offsets")) > epoch, seconds=120)


def numbered(folder: Path) -> list[Path]:
    return [file for file in folder.glob("*") if file.name.isdigit()] if folder.exists() else []
