# SPDX-License-Identifier: Apache-2.0
"""The directory of a sink as a Delta table, read by delta-rs and polars."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from importlib.metadata import version
from itertools import cycle
from typing import TYPE_CHECKING

import polars
import pytest

import stoplog
from servers.jars import jars
from stoplog.inspection import FindingKind
from stoplog.testing import Step
from support.at_work import arrive, at_work
from support.delta import Delta
from support.finished import files
from support.jobs import KILLED, Job
from support.tree import files_below
from support.wait import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place

KILL_ROUNDS = 20 if os.environ.get("STOPLOG_LONG") == "1" else 1
SEED = 20_261_128

pytestmark = pytest.mark.skipif(
    version("pyspark").startswith("4.0."), reason="Delta Kernel needs the Parquet of Spark 4.1"
)

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


def test_a_stream_of_many_epochs_adds_few_files_in_few_versions(spark: SparkSession, place: Place) -> None:
    delta = Delta(place)
    target = stoplog.Announcement.delta(create="ifMissing", partition="half:integer")
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
        until("a version of the table", lambda run=run: delta.version() == run - 1)
    delta.assert_each_once(place.rows)
    assert len(delta.table().file_uris()) == 4, "one file for each run and partition, in 16 epochs"

    # Readers skip files by partition and by the statistics of columns.
    table = delta.table()
    for condition in ("half = 1", "value >= '00008-00000'"):
        assert len(table.file_uris(file_pruning_predicate=condition)) == 2
    counts = table.get_add_actions(flatten=True)["num_records"]
    assert sum(counts.to_pylist()) == len(place.rows)
    # The same rows from the reader of polars, which skips files by itself.
    found = polars.scan_delta(str(place.out)).filter(polars.col("value") >= "00008-00000").collect()
    assert sorted(found["value"]) == sorted(row for row in place.rows if row >= "00008-00000")
    assert all(int(text[-1]) % 2 == of for text, of in found.select("value", "half").iter_rows())
    # Before the second commit, no reader sees a file of the second run.
    assert sorted(delta.rows(version=0)) == sorted(place.rows)[: len(place.rows) // 2]


@pytest.mark.long
def test_an_overwrite_and_a_compaction_are_one_commit_each(spark: SparkSession, place: Place) -> None:
    delta = Delta(place)
    options = delta.options(derivedKeys="dt, hour")

    def write(mode: str, first: int) -> None:
        rows = spark.range(first, first + 10, numPartitions=1).selectExpr("CAST(id AS STRING) AS value")
        writer = rows.write.format("stoplog").mode(mode).options(format="parquet", **options)
        writer.save(str(place.out))

    for first in (10, 20, 30):
        write("append", first)
    assert delta.version() == 2
    delta.assert_each_once(str(n) for n in range(10, 40))

    assert len(stoplog.compact(spark, place.out, **options).run()) == 1
    assert (delta.version(), len(delta.table().file_uris())) == (3, 1)
    delta.assert_each_once(str(n) for n in range(10, 40))
    write("overwrite", 50)
    assert delta.version() == 4
    delta.assert_each_once(str(n) for n in range(50, 60))

    # A check compares the table with the log, and names the commit of another writer.
    write("append", 60)
    assert delta.check().findings == ()
    delta.table().optimize.compact()
    found = {one.kind: one.message for one in delta.check().findings}
    assert set(found) == {FindingKind.TABLE_FILES_REWRITTEN, FindingKind.TABLE_FILES_FOREIGN}
    assert "version 6 (OPTIMIZE)" in found[FindingKind.TABLE_FILES_REWRITTEN]


@pytest.mark.long
def test_vacuum_removes_no_open_part_and_no_log(place: Place) -> None:
    """A vacuum without retention removes every file that the table does not know, and hidden files too."""
    delta = Delta(place)
    options = {"format": "parquet", "partitionBy": "half"} | delta.options(partition="half:integer")
    job = Job.at(
        place,
        path=str(place.out),
        options=options,
        select=HALVES,
        conf={"spark.jars": jars("delta")},
    )
    place.feed(files=2)
    assert job.run().code == 0
    place.feed(files=6)
    assert replace(job, fault=f"{Step.AFTER_RECORD.value}:2:halt").run().code == KILLED
    own = set(files_below(place.out / "_stoplog"))
    visible = set(files(place.out))
    for dry_run in (True, False):
        removed = delta.table().vacuum(0, dry_run=dry_run, enforce_retention_duration=False, full=True)
        assert [path for path in removed if path.startswith("_")] == []
    assert set(files_below(place.out / "_stoplog")) == own
    assert set(files(place.out)) == visible
    assert job.run().code == 0
    delta.assert_each_once(place.rows)


def test_each_row_is_in_the_table_once_after_kill_9(place: Place) -> None:
    """At a step, or at random moments, every second time right after a commit of the table."""
    delta = Delta(place)
    options = {"format": "parquet", "partitionBy": "half", "maxRecordsPerPart": "100"}
    job = Job.at(
        place,
        path=str(place.out),
        options=options | delta.options(partition="half:integer"),
        select=HALVES,
        conf={"spark.jars": jars("delta")},
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
                    newest = delta.version()
                    place.feed(files=6)
                    until("a version of the table", lambda newest=newest: delta.version() > newest)
        delta.assert_none_twice(place.rows)
    place.feed()
    assert replace(job, files=50).run().code == 0
    delta.assert_each_once(place.rows)
