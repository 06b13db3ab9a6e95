# SPDX-License-Identifier: Apache-2.0
"""Tasks that fail, queries that are stopped, drivers that compete, checkpoints that do not fit."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import col, udf

from support.finished import assert_each_once, assert_none_twice, files
from support.jobs import KILLED, Job
from support.rejections import assert_rejected
from support.streams import TEXT, Stream
from support.wait import until

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from support.place import Place

STOP_ROUNDS = 40 if os.environ.get("STOPLOG_LONG") == "1" else 6
SEED = 20_260_302


@pytest.mark.spark_lines
def test_retried_tasks_repeat_no_rows(spark: SparkSession, place: Place) -> None:
    """Each task's first two attempts fail after most of their rows were written."""

    @udf("string")
    def fails_twice(value: str) -> str:
        from pyspark import TaskContext

        context = TaskContext.get()
        if context.attemptNumber() < 2 and value.endswith("90"):
            raise RuntimeError("an attempt that fails on purpose")
        return value

    def change(rows: DataFrame) -> DataFrame:
        return rows.select(fails_twice(col("value")).alias("value"))

    # Workers hand rows over in batches: small ones, so that the failure comes after some were written.
    small_batches = "spark.sql.execution.arrow.maxRecordsPerBatch"
    spark.conf.set(small_batches, "10")
    try:
        place.feed(files=6)
        Stream(spark, place, change=change).run(maxRecordsPerPart="150")
    finally:
        spark.conf.unset(small_batches)
    assert_each_once(place.out, place.rows)


@pytest.mark.spark_lines
@pytest.mark.long
def test_each_row_is_written_once_after_stops_at_random_moments(spark: SparkSession, place: Place) -> None:
    moments = random.Random(SEED)
    stream = Stream(spark, place, TEXT | {"maxRecordsPerPart": "130"})
    for _ in range(STOP_ROUNDS):
        place.feed(files=6)
        enough = newest_record(place) + moments.randint(1, 4)
        query = stream.start()
        until("some records", lambda enough=enough: newest_record(place) >= enough)
        query.stop()
        assert_none_twice(place.out, place.rows)
    stream.run()
    assert_each_once(place.out, place.rows)


@pytest.mark.long
@pytest.mark.spark_lines
def test_the_first_of_two_drivers_on_a_checkpoint_is_fenced(
    spark: SparkSession, place: Place, tmp_path: Path
) -> None:
    """The first is held in the tasks of an epoch, the second takes over, and the first finds that out."""
    working, gate = str(tmp_path / "working"), str(tmp_path / "gate")
    os.mkfifo(gate)

    @udf("string")
    def held(value: str) -> str:
        from contextlib import suppress
        from pathlib import Path

        Path(working).touch()
        with suppress(FileNotFoundError):
            Path(gate).open().close()  # waits for somebody who opens it to write
        return value

    place.feed(files=4)
    Stream(spark, place).run(finalizeOnTermination="never")
    place.feed(files=2)
    first = Stream(spark, place, change=lambda rows: rows.select(held(col("value")).alias("value"))).start()
    until("the first driver's tasks", Path(working).exists)
    second = Job.at(place, path=str(place.out), options=TEXT)
    assert second.run().code == 0
    assert_each_once(place.out, place.rows)
    opened = Path(gate).rename(tmp_path / "opened")  # later rows find no gate
    os.close(os.open(opened, os.O_RDWR))  # and those that wait go on, if there are any
    assert_rejected(first.awaitTermination, "STOPLOG_FENCED", "a separate sink id")
    assert_each_once(place.out, place.rows)


def test_a_start_without_new_data_publishes_decided_parts(spark: SparkSession, place: Place) -> None:
    """The process died after the record that ended its run: Spark has nothing to repeat."""
    place.feed(files=2)
    crashing = Job.at(place, path=str(place.out), options=TEXT, fault="afterRelease:1:halt")
    assert crashing.run().code == KILLED
    assert files(place.out) == []
    Stream(spark, place).run(finalizeOnTermination="never")
    assert_each_once(place.out, place.rows)


def test_deleting_a_commit_of_the_checkpoint_repeats_nothing(spark: SparkSession, place: Place) -> None:
    place.feed(files=6)
    Stream(spark, place).run(maxRecordsPerPart="150", finalizeOnTermination="never")
    forget(place, 2)
    place.feed(files=2)
    Stream(spark, place).run(maxRecordsPerPart="150")
    assert_each_once(place.out, place.rows)


@pytest.mark.spark_lines
def test_a_new_checkpoint_on_an_old_directory_is_rejected(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place).run()
    shutil.rmtree(place.checkpoint)
    assert_rejected(
        Stream(spark, place).run,
        "STOPLOG_FOREIGN_QUERY",
        f"at least {len(place.rows)} rows",
        "use stoplog rewind ",
        "use stoplog fork ",
        "use stoplog reset ",
        "onForeignQuery to adopt",
    )
    assert_rejected(
        lambda: Stream(spark, place).run(onForeignQuery="adopt"),
        "STOPLOG_FOREIGN_QUERY",
        f"at least {len(place.rows)} rows",
    )
    assert_each_once(place.out, place.rows)


def test_adopt_and_repeat_is_valid_for_a_single_start(spark: SparkSession, place: Place) -> None:
    def again() -> None:
        Stream(spark, place).run(onForeignQuery="adoptAndRepeat")

    place.feed(files=2)
    Stream(spark, place).run()
    shutil.rmtree(place.checkpoint)
    again()
    assert_each_once(place.out, place.rows * 2)
    first = list(place.rows)
    place.feed(files=1)
    again()
    shutil.rmtree(place.checkpoint)
    assert_rejected(again, "STOPLOG_FOREIGN_QUERY")
    assert_each_once(place.out, [*first, *place.rows])


def test_a_log_can_be_adopted(spark: SparkSession, place: Place) -> None:
    """The new query starts at its batch 0, with open parts of the old one to go on with."""
    place.feed(files=2)
    Stream(spark, place).run(finalizeOnTermination="never")
    shutil.rmtree(place.checkpoint)
    shutil.rmtree(place.input)
    place.input.mkdir()
    place.feed(files=4)
    Stream(spark, place).run(onForeignQuery="adoptAndRepeat")
    assert_each_once(place.out, place.rows)


def test_two_queries_share_a_directory_by_two_sink_ids(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place).run()
    shutil.rmtree(place.checkpoint)
    Stream(spark, place).run(sinkId="second")
    assert_each_once(place.out, place.rows * 2)


@pytest.mark.spark_lines
def test_an_older_checkpoint_is_rejected(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place).run()
    old = place.root / "old"
    shutil.copytree(place.checkpoint, old)
    place.feed(files=6)
    Stream(spark, place).run()
    shutil.rmtree(place.checkpoint)
    old.rename(place.checkpoint)
    assert_rejected(Stream(spark, place).run, "STOPLOG_EPOCH_AHEAD", "Restore the newer checkpoint")
    assert_each_once(place.out, place.rows)


@pytest.mark.spark_lines
def test_a_checkpoint_that_lacks_the_last_batch_is_rejected(spark: SparkSession, place: Place) -> None:
    """Spark plans the last batch anew, with rows that have come since: to pass over it would lose them."""
    place.feed(files=1)
    Stream(spark, place).run()
    old = place.root / "old"
    shutil.copytree(place.checkpoint, old)
    place.feed(files=1)
    Stream(spark, place).run()
    shutil.rmtree(place.checkpoint)
    old.rename(place.checkpoint)
    committed = list(place.rows)
    place.feed(files=1)
    assert_rejected(Stream(spark, place).run, "STOPLOG_EPOCH_AHEAD", "replanned", "--epoch 0")
    # as a driver does that was alive meanwhile, and knows nothing of it
    shutil.copy(place.checkpoint / "commits" / "0", place.checkpoint / "commits" / "1")
    place.feed(files=1)
    assert_rejected(Stream(spark, place).run, "STOPLOG_EPOCH_REPLANNED", "--epoch 0", "commits/1")
    assert_each_once(place.out, committed)


@pytest.mark.spark_lines
def test_a_lost_log_is_rejected_and_can_be_restarted(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    Stream(spark, place).run()
    shutil.rmtree(place.own)
    place.feed(files=2)
    assert_rejected(Stream(spark, place).run, "STOPLOG_EPOCH_GAP", "onForeignQuery to adopt")
    assert len(files(place.out)) == 2
    Stream(spark, place).run(onForeignQuery="adopt")
    assert_each_once(place.out, place.rows)


def test_a_changed_time_zone_is_rejected(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place, {"format": "text", "timeZone": "Asia/Tokyo"}).run()
    place.feed(files=2)
    assert_rejected(
        Stream(spark, place, {"format": "text", "timeZone": "UTC"}).run,
        "STOPLOG_SETTINGS_CHANGED",
        "bucketTimeZone (or timeZone) = Asia/Tokyo",
        "set another sinkId",
    )


def newest_record(place: Place) -> int:
    """Its number, or -1. Not how many there are: old ones are dropped."""
    records = place.records()
    return int(records[-1].stem) if records else -1


def forget(place: Place, batch: int) -> None:
    """As if the process had died before Spark wrote down that this batch was committed."""
    (place.checkpoint / "commits" / str(batch)).unlink()
    (place.checkpoint / "commits" / f".{batch}.crc").unlink(missing_ok=True)
