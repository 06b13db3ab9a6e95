# SPDX-License-Identifier: Apache-2.0
"""The finished files of a sink in an Iceberg table, read by pyiceberg and polars."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING

import polars
import pytest

import stoplog
from servers.jars import jars
from stoplog.testing import Step
from support.at_work import arrive, at_work
from support.finished import files
from support.jobs import KILLED, Job
from support.lake import NAME, Lake
from support.wait import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place

KILL_ROUNDS = 20 if os.environ.get("STOPLOG_LONG") == "1" else 1
SEED = 20_261_127

HALVES = ["value", "CAST(right(value, 1) AS INT) % 2 AS half"]

# The steps around the moment at which a file becomes visible and is announced, and their occurrence.
STEPS = {
    Step.AFTER_PUBLISH: 2,
    Step.AFTER_RECORD: 2,
    Step.MID_PUBLISH: 2,
    Step.BEFORE_RELEASE: 1,
    Step.AFTER_TRIM: 2,
    Step.AFTER_CLAIM: 1,
}


@pytest.mark.long
def test_a_stream_of_many_epochs_adds_few_files_in_few_snapshots(
    spark: SparkSession, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(place)
    target = stoplog.Announcement.iceberg(NAME, lake.catalog, create="ifMissing", partition="half:int")
    sink = (
        stoplog.FileSink.for_bulk_format(place.out, "parquet")
        .with_partition_by("half")
        .with_announcement(target, "lake")
        .with_announcement_limits(at_end="5m")
        .build()
    )
    rows = spark.readStream.option("maxFilesPerTrigger", 1).text(str(place.input)).selectExpr(*HALVES)
    for run in (1, 2):
        place.feed(files=8)
        sink.run_available_now(rows, place.checkpoint)
        until("a commit of the table", lambda run=run: lake.version() > 0 and len(lake.snapshots()) == run)
    lake.assert_each_once(place.rows)
    assert len(lake.files()) == 4, "one file for each run and partition, in 16 epochs"

    # Readers skip files by partition and by the statistics of columns.
    half, newer = "half = 1", "value >= '00008-00000'"
    table = lake.table()
    assert [len(list(table.scan(row_filter=each).plan_files())) for each in (half, newer)] == [2, 2]
    assert table.scan(row_filter=half).to_arrow().num_rows == len(place.rows) // 2
    assert table.scan(row_filter=newer).to_arrow().num_rows == len(place.rows) // 2
    # The same rows from the reader of polars, which finds the files by pyiceberg.
    monkeypatch.setenv("POLARS_ICEBERG_PLANNER", "pyiceberg")
    found = polars.scan_iceberg(table, reader_override="native").collect()
    assert sorted(found["value"]) == sorted(place.rows)
    assert all(int(text[-1]) % 2 == of for text, of in found.select("value", "half").iter_rows())
    # Before the second commit, no reader sees a file of the second run.
    first = table.metadata.snapshots[0].snapshot_id
    assert table.scan(snapshot_id=first).to_arrow().num_rows == len(place.rows) // 2


@pytest.mark.long
def test_an_overwrite_and_a_compaction_are_one_commit_each(spark: SparkSession, place: Place) -> None:
    lake = Lake(place)
    options = lake.options(derivedKeys="dt, hour")

    def write(mode: str, first: int) -> None:
        rows = spark.range(first, first + 10, numPartitions=1).selectExpr("CAST(id AS STRING) AS value")
        writer = rows.write.format("stoplog").mode(mode).options(format="parquet", **options)
        writer.save(str(place.out))

    for first in (10, 20, 30):
        write("append", first)
    assert len(lake.snapshots()) == len(lake.files()) == 3
    lake.assert_each_once(str(n) for n in range(10, 40))

    assert len(stoplog.compact(spark, place.out, **options).run()) == 1
    assert len(lake.files()) == 1
    lake.assert_each_once(str(n) for n in range(10, 40))
    write("overwrite", 50)
    lake.assert_each_once(str(n) for n in range(50, 60))
    operations = [each.summary.operation.value for each in lake.snapshots()]
    assert operations == ["append", "append", "append", "overwrite", "overwrite"]

    # A check compares the table with the log and the files.
    assert lake.check().findings == ()
    files(place.out)[0].unlink()
    assert [one.kind.value for one in lake.check().findings][:1] == ["table-file-gone"]


def test_each_row_is_in_the_table_once_after_kill_9(place: Place) -> None:
    """At a step, or at random moments, every second time right after a commit of the table."""
    lake = Lake(place)
    options = {"format": "parquet", "partitionBy": "half", "maxRecordsPerPart": "100"}
    job = Job.at(
        place,
        path=str(place.out),
        options=options | lake.options(partition="half:int"),
        select=HALVES,
        conf={"spark.jars": jars("iceberg")},
    )
    moments = random.Random(SEED)
    steps = cycle(STEPS.items())
    for number in range(KILL_ROUNDS):
        place.feed(files=6)
        if number % 2 == 0:
            step, occurrence = next(steps)
            assert replace(job, fault=f"{step.value}:{occurrence}:halt").run().code == KILLED
        else:
            with at_work(job) as process:
                arrive(place, process, moments)
                if number % 4 == 1:
                    version = lake.version()
                    place.feed(files=6)
                    until("a commit of the table", lambda version=version: lake.version() > version)
        lake.assert_none_twice(place.rows)
    place.feed()
    assert replace(job, files=50).run().code == 0
    lake.assert_each_once(place.rows)
