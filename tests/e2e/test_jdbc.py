# SPDX-License-Identifier: Apache-2.0
"""Rows in a real PostgreSQL: each once, whoever is killed."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from support.at_work import kill_rounds
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from servers.databases import Database
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 1
SEED = 20_261_122
# Longer than a server takes to come back.
PATIENT = {"retryTimeout": "2m", "batchsize": "30"}
MODES = {"transactional": PATIENT, "upsert": PATIENT | {"keyColumns": "id"}}
STEPS = (
    "jdbcAfterClaim",
    "jdbcBatchSent",
    "jdbcTaskDone",
    "jdbcBeforeCommit",
    "jdbcInCommit",
    "jdbcAfterCommit",
)


@pytest.mark.parametrize("mode", ["transactional", pytest.param("upsert", marks=pytest.mark.long)])
def test_each_row_is_written_once_after_kill_9_of_query_and_server(
    database: Database, place: Place, mode: str
) -> None:
    make_table(database, mode)
    query = job(database, place, mode)
    for _ in kill_rounds(database, place, query, "jdbc_job.py", KILL_ROUNDS, SEED):
        assert found(database, mode), "the epochs were empty"
        assert_none_twice(database, place, mode)
    database.crash()
    database.start()
    place.feed()
    # Most of what has arrived was for no life long enough.
    assert job(database, place, mode, files=50).run("jdbc_job.py").code == 0
    assert_each_once(database, place, mode)


@pytest.mark.long
@pytest.mark.spark_lines
@pytest.mark.parametrize("step", STEPS if LONG else ("jdbcInCommit",))
def test_each_row_is_written_once_after_a_halt_at_a_step(database: Database, place: Place, step: str) -> None:
    make_table(database, "transactional")
    place.feed(files=6)
    occurrence = 1 if step == "jdbcAfterClaim" else 2
    crashing = job(database, place, "transactional", fault=f"{step}:{occurrence}:halt")
    assert crashing.run("jdbc_job.py").code == KILLED, f"{step} was not reached"
    assert_none_twice(database, place, "transactional")
    place.feed(files=2)
    assert job(database, place, "transactional").run("jdbc_job.py").code == 0
    assert_each_once(database, place, "transactional")


def make_table(database: Database, mode: str) -> None:
    """Without a key for inserts, so that a row that comes twice is seen."""
    key = " PRIMARY KEY" if mode == "upsert" else ""
    database.execute("DROP TABLE IF EXISTS stoplog_epochs")
    database.execute(f"DROP TABLE IF EXISTS {mode}_rows")
    database.execute(f"CREATE TABLE {mode}_rows (id BIGINT NOT NULL{key}, value TEXT)")


def job(database: Database, place: Place, mode: str, **more: object) -> Job:
    return Job.at(
        place,
        path=database.url,
        options={"dbtable": f"{mode}_rows"} | MODES[mode],
        conf=database.conf,
        **more,
    )


def assert_none_twice(database: Database, place: Place, mode: str) -> None:
    surplus = found(database, mode) - Counter(place.rows)
    assert not surplus, f"{surplus.total()} too many {sorted(surplus)[:5]}"


def assert_each_once(database: Database, place: Place, mode: str) -> None:
    assert_none_twice(database, place, mode)
    missing = Counter(place.rows) - found(database, mode)
    assert not missing, f"{missing.total()} missing {sorted(missing)[:5]}"


def found(database: Database, mode: str) -> Counter[str]:
    return Counter(row[0] for row in database.rows(f"SELECT value FROM {mode}_rows"))
