# SPDX-License-Identifier: Apache-2.0
"""Rows sent out of a log to PostgreSQL, each once, and to Cassandra, effectively once, whoever is killed."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from servers.jars import jars
from support.at_work import kill_rounds
from support.jobs import KILLED, Job
from support.newest import COLUMNS, SELECT, assert_newest_stays

if TYPE_CHECKING:
    from servers import Cassandra
    from servers.databases import Database
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20
SEED = 20_261_122
STEPS = ("afterRecord", "beforeSend", "afterSend", "afterNote", "partPublished", "afterMark")
JDBC_STEPS = (*STEPS, "jdbcInCommit")
# Longer than a server takes to come back.
PATIENT = {"jdbc.retryTimeout": "2m", "jdbc.batchsize": "30"}


@pytest.mark.long
@pytest.mark.spark_lines
@pytest.mark.parametrize("step", JDBC_STEPS if LONG else ("jdbcInCommit",))
def test_a_database_has_each_row_once_after_a_halt_at_a_step(
    database: Database, place: Place, step: str
) -> None:
    make_table(database)
    place.feed(files=6)
    assert jdbc_job(database, place, fault=f"{step}:2:halt").run("wal_table_job.py").code == KILLED
    assert not in_database(database) - Counter(place.rows)
    place.feed(files=2)
    assert jdbc_job(database, place).run("wal_table_job.py").code == 0
    assert in_database(database) == Counter(place.rows)
    assert_notes_of_one_epoch(database)


@pytest.mark.long
def test_a_database_has_each_row_once_after_kill_9_of_query_and_server(
    database: Database, place: Place
) -> None:
    make_table(database)
    query = jdbc_job(database, place)
    for _ in kill_rounds(database, place, query, "wal_table_job.py", KILL_ROUNDS, SEED):
        assert in_database(database), "the epochs were empty"
        assert not in_database(database) - Counter(place.rows)
    place.feed()
    # Most of what has arrived was for no life long enough.
    assert jdbc_job(database, place, files=50).run("wal_table_job.py").code == 0
    assert in_database(database) == Counter(place.rows)
    assert_notes_of_one_epoch(database)


@pytest.mark.long
@pytest.mark.spark_lines
def test_cassandra_has_the_latest_rows_after_kills_of_query_and_server(node: Cassandra, place: Place) -> None:
    node.cql(f"CREATE TABLE e2e.sent ({COLUMNS})")
    where = {"contactPoints": node.address, "keyspace": "e2e", "table": "sent", "retryTimeout": "10m"}
    job = Job.at(
        place,
        options={"sender": "cassandra"} | {f"cassandra.{key}": value for key, value in where.items()},
        select=SELECT,
        conf={"spark.jars": jars("cassandra", "wal")},
        files=1,
    )
    faults = [f"{step}:2:halt" for step in (STEPS if LONG else ("afterSend",))]
    assert_newest_stays(node, place, job, "wal_table_job.py", faults, kills=20 if LONG else 0)


def make_table(database: Database) -> None:
    """Without a key, so that a row that comes twice is seen."""
    database.execute("DROP TABLE IF EXISTS stoplog_chunks")
    database.execute("DROP TABLE IF EXISTS sent_rows")
    database.execute("CREATE TABLE sent_rows (id BIGINT NOT NULL, value TEXT)")


def jdbc_job(database: Database, place: Place, **more: object) -> Job:
    return Job.at(
        place,
        options={"sender": "jdbc", "jdbc.url": database.url, "jdbc.dbtable": "sent_rows"} | PATIENT,
        select=["cast(replace(value, '-', '') AS bigint) AS id", "value"],
        conf={"spark.jars": f"{database.conf['spark.jars']},{jars('wal')}"},
        **more,
    )


def in_database(database: Database) -> Counter[str]:
    return Counter(row[0] for row in database.rows("SELECT value FROM sent_rows"))


def assert_notes_of_one_epoch(database: Database) -> None:
    epochs = database.rows("SELECT count(DISTINCT epoch) FROM stoplog_chunks WHERE epoch >= 0")
    assert int(epochs[0][0]) <= 1
