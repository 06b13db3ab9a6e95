# SPDX-License-Identifier: Apache-2.0
"""Upserts into a real Cassandra while the query's process and the server are killed: effectively once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.jobs import Job
from support.newest import COLUMNS, SELECT, assert_newest_stays

if TYPE_CHECKING:
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


@pytest.mark.long
@pytest.mark.spark_lines
def test_each_key_has_the_latest_row_after_kills_of_query_and_server(node: Cassandra, place: Place) -> None:
    node.cql(f"CREATE TABLE e2e.kills ({COLUMNS})")
    options = {"contactPoints": node.address, "keyspace": "e2e", "table": "kills", "retryTimeout": "10m"}
    job = Job.at(
        place,
        options=options,
        select=SELECT,
        conf=node.conf,
        files=1,
    )
    faults = FAULTS + (MORE_FAULTS if LONG else [])
    assert_newest_stays(node, place, job, "cassandra_job.py", faults, kills=20 if LONG else 0)
