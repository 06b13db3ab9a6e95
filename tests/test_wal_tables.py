# SPDX-License-Identifier: Apache-2.0
"""Rows sent out of a log to PostgreSQL, each once, and to Cassandra, effectively once, whoever is killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from servers import cassandra
from servers.databases import Database, postgres
from servers.jars import jars
from support.jobs import KILLED, Job, kill
from support.wait import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from servers import Cassandra
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 1
SEED = 20_261_122
KEEP_RUNNING = {"processingTime": "0 seconds"}
STEPS = ("afterRecord", "beforeSend", "afterSend", "afterNote", "partPublished", "afterMark")
JDBC_STEPS = (*STEPS, "jdbcInCommit")
# Longer than a server takes to come back.
PATIENT = {"jdbc.maxTries": "60", "jdbc.retryWait": "200ms", "jdbc.batchsize": "30"}
KEYS = 400


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cassandra]:
    with cassandra(tmp_path_factory.mktemp("cassandra")) as node:
        node.cql(
            "CREATE KEYSPACE wal WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
        )
        yield node


@pytest.mark.spark_lines
@pytest.mark.parametrize("step", JDBC_STEPS if LONG else ("afterSend", "jdbcInCommit"))
def test_a_database_has_each_row_once_after_a_halt_at(database: Database, place: Place, step: str) -> None:
    make_table(database)
    place.feed(files=6)
    assert jdbc_job(database, place, fault=f"{step}:2:halt").run("wal_table_job.py").code == KILLED
    assert not in_database(database) - Counter(place.rows)
    place.feed(files=2)
    assert jdbc_job(database, place).run("wal_table_job.py").code == 0
    assert in_database(database) == Counter(place.rows)
    assert_notes_of_one_epoch(database)


def test_a_database_has_each_row_once_after_kill_9_of_the_query_and_of_the_server(
    database: Database, place: Place
) -> None:
    """The server dies in every second round, and comes back while the query is at work."""
    make_table(database)
    moments = random.Random(SEED)
    for number in range(KILL_ROUNDS):
        place.feed(files=4)
        process = jdbc_job(database, place, trigger=KEEP_RUNNING).start("wal_table_job.py")
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        try:
            arrive(place, process, moments.uniform(1, 4))
            if number % 2 == 0:
                database.crash()
                place.feed(files=2)
                database.start()
                arrive(place, process, moments.uniform(0, 3))
        finally:
            kill(process)
        assert not in_database(database) - Counter(place.rows)
    place.feed()
    assert jdbc_job(database, place).run("wal_table_job.py").code == 0
    assert in_database(database) == Counter(place.rows)
    assert_notes_of_one_epoch(database)


@pytest.mark.spark_lines
def test_cassandra_has_what_came_last_however_often_query_and_server_are_killed(
    node: Cassandra, place: Place
) -> None:
    """The files say something new of the same keys again and again."""
    node.cql("CREATE TABLE wal.kills (id int PRIMARY KEY, file int)")
    for step in STEPS if LONG else ("afterSend",):
        refeed(place, 4)
        assert cassandra_job(node, place, fault=f"{step}:2:halt").run("wal_table_job.py").code == KILLED
    moments = random.Random(SEED)
    for _ in range(KILL_ROUNDS if LONG else 0):
        refeed(place, 6)
        process = cassandra_job(node, place).start("wal_table_job.py")
        until_epoch(place, committed(place) + moments.randint(0, 4))
        kill(process)
    # The server is gone for a while in the middle of an epoch: requests are sent again until it is back.
    refeed(place, 6)
    process = cassandra_job(node, place).start("wal_table_job.py")
    until_epoch(place, committed(place) + 2)
    node.restart()
    printed, _ = process.communicate(timeout=240)
    assert process.returncode == 0
    rows = next(line for line in printed.splitlines() if line.startswith("found "))
    assert json.loads(rows.removeprefix("found ")) == [[key, place.files - 1] for key in range(KEYS)]


def make_table(database: Database) -> None:
    """Without a key, so that a row that comes twice is seen."""
    database.execute("DROP TABLE IF EXISTS stoplog_chunks")
    database.execute("DROP TABLE IF EXISTS sent_rows")
    database.execute("CREATE TABLE sent_rows (id BIGINT NOT NULL, value TEXT)")


def jdbc_job(database: Database, place: Place, **more: object) -> Job:
    return Job(
        path="",
        input=str(place.input),
        checkpoint=str(place.checkpoint),
        options={"sender": "jdbc", "jdbc.url": database.url, "jdbc.dbtable": "sent_rows"} | PATIENT,
        select=["cast(replace(value, '-', '') AS bigint) AS id", "value"],
        conf={"spark.jars": f"{database.conf['spark.jars']},{jars('wal')}"},
        rows=2,
        **more,
    )


def cassandra_job(node: Cassandra, place: Place, **more: object) -> Job:
    where = {"contactPoints": node.address, "keyspace": "wal", "table": "kills", "retryTimeout": "2m"}
    return Job(
        path="",
        input=str(place.input),
        checkpoint=str(place.checkpoint),
        options={"sender": "cassandra"} | {f"cassandra.{key}": value for key, value in where.items()},
        select=["CAST(substr(value, 7) AS INT) AS id", "CAST(substr(value, 1, 5) AS INT) AS file"],
        conf={"spark.jars": jars("cassandra", "wal")},
        rows=1,
        **more,
    )


def in_database(database: Database) -> Counter[str]:
    return Counter(row[0] for row in database.rows("SELECT value FROM sent_rows"))


def assert_notes_of_one_epoch(database: Database) -> None:
    epochs = database.rows("SELECT count(DISTINCT epoch) FROM stoplog_chunks WHERE epoch >= 0")
    assert int(epochs[0][0]) <= 1


def refeed(place: Place, files: int) -> None:
    """Each a second younger than the one before: Spark takes the oldest first, equals in any order."""
    for _ in range(files):
        place.feed(rows=KEYS, age_seconds=1_000 - place.files)


def arrive(place: Place, process: subprocess.Popen[str], seconds: float) -> None:
    """A file every tenth of a second, while the query runs."""
    for _ in range(int(seconds * 10)):
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            place.feed()
        else:
            raise AssertionError("the query ended by itself")


def committed(place: Place) -> int:
    """How many epochs Spark knows to be over."""
    return len(numbered(place.checkpoint / "commits"))


def until_epoch(place: Place, epoch: int) -> None:
    """Until an epoch has been planned, and maybe more."""
    until("an epoch", lambda: len(numbered(place.checkpoint / "offsets")) > epoch, seconds=120)


def numbered(folder: Path) -> list[Path]:
    return [file for file in folder.glob("*") if file.name.isdigit()] if folder.exists() else []
