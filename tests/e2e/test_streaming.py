# SPDX-License-Identifier: Apache-2.0
"""Streams that nothing disturbs: what becomes visible, when, and what can be watched of it."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from typing import TYPE_CHECKING

import pyarrow.csv
import pytest

import stoplog
from support.finished import assert_each_once, content, files, lines
from support.streams import TEXT, Stream
from support.wait import until

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from support.place import Place

SIX_EPOCHS = 12
QUICK_CLOCK = {"bucketCheckInterval": "50ms", "inactivityInterval": "100ms"}


@pytest.mark.spark_lines
def test_the_policy_and_not_the_trigger_decides_the_size_of_files(spark: SparkSession, place: Place) -> None:
    place.feed(files=SIX_EPOCHS)
    Stream(spark, place).run(maxRecordsPerPart="300")
    assert_each_once(place.out, place.rows)
    assert [len(content(file).splitlines()) for file in files(place.out)] == [300] * 4


@pytest.mark.spark_lines
def test_open_parts_are_resumed_after_a_restart(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    Stream(spark, place).run(finalizeOnTermination="never")
    assert files(place.out) == []
    place.feed(files=4)
    Stream(spark, place).run()
    assert_each_once(place.out, place.rows)
    assert len(files(place.out)) == 2


@pytest.mark.spark_lines
def test_the_end_of_a_query_without_new_data_publishes_open_parts(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place).run(finalizeOnTermination="never")
    Stream(spark, place).run()
    assert_each_once(place.out, place.rows)


@pytest.mark.spark_lines
def test_a_stopped_continuous_query_keeps_parts_open(spark: SparkSession, place: Place) -> None:
    """With data in its first run, and without any in its second."""
    place.feed(files=2)
    for _ in range(2):
        query = Stream(spark, place).start()
        query.processAllAvailable()
        query.stop()
        assert stoplog.await_finished(query, timeout=300).in_time
        assert files(place.out) == []
    Stream(spark, place).run(finalizeOnTermination="always")
    assert_each_once(place.out, place.rows)


@pytest.mark.spark_lines
def test_an_idle_query_publishes_by_the_clock(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    query = Stream(spark, place).start(**QUICK_CLOCK)
    try:
        until("all rows to be visible", lambda: len(lines(place.out)) == len(place.rows))
        # A part may be published while its own batch has not yet reported its end.
        until("a first report of progress", lambda: len(query.recentProgress) > 0)
        assert_each_once(place.out, place.rows)
        reasons = {row.roll_reason for row in view(spark, place, "parts").collect()}
        assert reasons == {"inactivity"}
        place.feed(files=2)
        until("the next rows to be visible", lambda: len(lines(place.out)) == len(place.rows))
    finally:
        query.stop()
    assert_each_once(place.out, place.rows)


@pytest.mark.spark_lines
def test_progress_counts_open_and_published_rows(spark: SparkSession, place: Place) -> None:
    place.feed(files=5)
    query = Stream(spark, place).start(maxRecordsPerPart="200")
    try:
        query.processAllAvailable()
        until("the last epoch's progress", lambda: metric(query, "epochsCommitted") == 3)
        assert metric(query, "publishedRows") + open_records(spark, place) == len(place.rows)
        assert metric(query, "publishedParts") == len(files(place.out))
        assert metric(query, "publishedBytes") == sum(file.stat().st_size for file in files(place.out))
        assert metric(query, "rolledByRecords") == metric(query, "publishedParts")
        assert metric(query, "openParts") == view(spark, place, "open").count() > 0
        assert metric(query, "oldestOpenPartMillis") > 0
        assert metric(query, "pendingParts") == 0
    finally:
        query.stop()


@pytest.mark.spark_lines
def test_the_views_show_parts_epochs_and_open_parts(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    Stream(spark, place).run(maxRecordsPerPart="150", finalizeOnTermination="never")
    parts = view(spark, place, "parts").collect()
    published = {row.name: row for row in parts if row.state == "published"}
    assert set(published) == {file.name for file in files(place.out)}
    for file in files(place.out):
        assert published[file.name].bytes == file.stat().st_size
        assert published[file.name].records == len(content(file).splitlines()) == 150
        assert published[file.name].roll_reason == "records"
    epochs = view(spark, place, "epochs").collect()
    assert [row.kind for row in epochs] == ["claim", "epoch", "epoch", "release"]
    assert [row.epoch for row in epochs] == [None, 0, 1, None]
    assert open_records(spark, place) == len(place.rows) - 150 * len(published)
    unfinished = [row.unfinished_path for row in view(spark, place, "open").collect()]
    assert sorted(place.out / path for path in unfinished) == sorted(place.unfinished())


def test_an_empty_input_leaves_no_file(spark: SparkSession, place: Place) -> None:
    Stream(spark, place).run()
    assert files(place.out) == []


def test_update_mode_appends(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    writer = Stream(spark, place).writer().outputMode("update").trigger(availableNow=True)
    query = writer.start(str(place.out))
    query.awaitTermination()
    assert stoplog.await_finished(query, timeout=300).in_time
    assert_each_once(place.out, place.rows)


def test_finished_files_belong_to_their_readers(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    Stream(spark, place).run()
    for file in files(place.out):
        file.unlink()
    before = len(place.rows)
    place.feed(files=2)
    Stream(spark, place).run()
    assert_each_once(place.out, place.rows[before:])


def test_a_directory_can_be_moved_with_the_log(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place).run(finalizeOnTermination="never")
    moved = place.root / "moved"
    place.out.rename(moved)
    place.feed(files=2)
    writer = Stream(spark, place).writer().trigger(availableNow=True)
    query = writer.start(str(moved))
    query.awaitTermination()
    assert stoplog.await_finished(query, timeout=300).in_time
    assert_each_once(moved, place.rows)


def test_in_progress_files_in_buckets_stay_hidden(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    options = {
        "inProgress": "bucket",
        "bucketingSink.inProgressPrefix": "_",
        "bucketingSink.inProgressSuffix": ".growing",
    }
    Stream(spark, place, TEXT | options).run(maxRecordsPerPart="150", finalizeOnTermination="never")
    growing = [file for file in place.out.iterdir() if ".growing" in file.name]
    assert len(growing) == 2
    Stream(spark, place, TEXT | options).run()
    assert_each_once(place.out, place.rows)
    assert not [file for file in place.out.iterdir() if ".growing" in file.name]


def test_hive_style_partitions_are_escaped_as_spark_does(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    stream = Stream(
        spark,
        place,
        {"format": "csv", "partitionBy": "kind,day"},
        lambda rows: rows.selectExpr("value", "concat('a/b=', right(value, 1)) as kind", "'x y' as day"),
    )
    stream.run()
    assert {file.parent.parent.name for file in files(place.out)} == {f"kind=a%2Fb%3D{n}" for n in range(10)}
    assert {file.parent.name for file in files(place.out)} == {"day=x y"}
    assert sorted(lines(place.out)) == sorted(place.rows)


def test_csv_has_the_header_once_per_part_for_arrow(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    Stream(spark, place, {"format": "csv", "bucketAssigner": "basePath", "header": "true"}).run()
    found = [value for file in files(place.out) for value in arrow_column(file)]
    assert sorted(found) == sorted(place.rows)


def test_an_event_time_column_selects_the_buckets(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    stream = Stream(
        spark,
        place,
        {"format": "json", "bucketColumn": "at", "bucketFormat": "yyyy-MM-dd/HH"},
        lambda rows: rows.selectExpr("value", "timestamp_seconds(3600 * cast(right(value, 1) as int)) as at"),
    )
    stream.run()
    assert {file.parent.relative_to(place.out).as_posix() for file in files(place.out)} == {
        f"1970-01-01/{hour:02d}" for hour in range(10)
    }
    assert_each_once(place.out, place.rows)


@pytest.mark.spark_lines
@pytest.mark.parametrize(
    "compression",
    [
        "gzip",
        "zstd",
        *(pytest.param(codec, marks=pytest.mark.long) for codec in ("none", "bzip2", "lz4", "snappy")),
    ],
)
def test_a_part_compressed_over_several_epochs_is_a_valid_file(
    spark: SparkSession, place: Place, compression: str
) -> None:
    """Each epoch ends a member, and two runs write into the same parts."""
    place.feed(files=6)
    Stream(spark, place).run(compression=compression, finalizeOnTermination="never")
    place.feed(files=2)
    Stream(spark, place).run(compression=compression)
    assert len(files(place.out)) == 2
    if compression == "zstd" and spark.version.startswith("4.0."):
        assert_each_once(place.out, place.rows)  # this Spark cannot read such files itself
    else:
        assert sorted(row.value for row in spark.read.text(str(place.out)).collect()) == sorted(place.rows)
    if compression in COMMAND_LINE:
        assert_each_once(place.out, place.rows)
        assert sorted(by_command(place.out, compression)) == sorted(place.rows)


def test_a_gzip_member_ends_with_each_epoch(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    query = Stream(spark, place).start(compression="gzip")
    try:
        query.processAllAvailable()
        unfinished = [gzip.decompress(file.read_bytes()).decode() for file in place.unfinished()]
        assert sorted("".join(unfinished).splitlines()) == sorted(place.rows)
    finally:
        query.stop()


COMMAND_LINE = ("gzip", "bzip2", "zstd")


def by_command(path: Path, compression: str) -> list[str]:
    """What the ordinary tool makes of the files; without the tool, what Python makes of them."""
    tool = shutil.which(compression)
    if tool is None:
        return lines(path)
    texts = [subprocess.check_output([tool, "-dc", str(file)], text=True) for file in files(path)]
    return "".join(texts).splitlines()


def arrow_column(file: Path) -> list[str]:
    return pyarrow.csv.read_csv(file).column("value").to_pylist()


def view(spark: SparkSession, place: Place, name: str) -> DataFrame:
    return spark.read.format("stoplog").option("view", name).load(str(place.out))


def open_records(spark: SparkSession, place: Place) -> int:
    return sum(row.records for row in view(spark, place, "open").collect())


def metric(query: StreamingQuery, name: str) -> int:
    progress = query.lastProgress
    return int(progress["sink"]["metrics"][name]) if progress else -1
