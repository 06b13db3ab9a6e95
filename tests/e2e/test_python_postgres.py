# SPDX-License-Identifier: Apache-2.0
"""The two-phase sink of the guide for PostgreSQL, with prepared transactions of a real server."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from stoplog.testing import check_two_phase

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from servers.databases import Database
    from support.place import Place

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "own-sinks"))

import postgres_sink
from postgres_sink import PostgresSink
from pyspark import cloudpickle

# The executors of Spark do not have the example.
cloudpickle.register_pickle_by_value(postgres_sink)


@pytest.mark.long
def test_the_sink_of_postgres_keeps_the_laws(database: Database) -> None:
    sink = made(database, "orders")
    rows = [pa.RecordBatch.from_pydict({"id": [1, 2], "value": ["a", None]})]
    check_two_phase(sink, rows, read=lambda: map(tuple, database.rows("SELECT id, value FROM orders")))
    assert prepared(database) == []


@pytest.mark.long
def test_a_stream_writes_each_row_once_over_restarts(
    spark: SparkSession, database: Database, place: Place
) -> None:
    sink = made(database, "streamed")
    for _ in range(2):
        place.feed(files=4)
        rows = spark.readStream.option("maxFilesPerTrigger", 2).text(str(place.input))
        query = sink.write_stream(rows, place.checkpoint).trigger(availableNow=True).start()
        query.awaitTermination()
        found = Counter(row[0] for row in database.rows("SELECT value FROM streamed"))
        assert found == Counter(place.rows)
    assert prepared(database) == []


def made(database: Database, table: str) -> PostgresSink:
    for name, columns in ((table, "id bigint, value text"), ("stoplog_outputs", "name text PRIMARY KEY")):
        database.execute(f"DROP TABLE IF EXISTS {name}")
        database.execute(f"CREATE TABLE {name} ({columns})")
    return PostgresSink(database.url.removeprefix("jdbc:"), table)


def prepared(database: Database) -> list[list[str]]:
    """The transactions that are left open."""
    return database.rows("SELECT gid FROM pg_prepared_xacts")
