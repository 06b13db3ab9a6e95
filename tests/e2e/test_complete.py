# SPDX-License-Identifier: Apache-2.0
"""Markers of complete buckets, and manifests, as those who wait for them see them: plain files."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F
from pyspark.sql.utils import IllegalArgumentException

import stoplog
from support.finished import files, lines
from support.tree import files_below
from support.wait import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from support.place import Place

HOURLY = {
    "format": "json",
    "bucketColumn": "at",
    "bucketFormat": "yyyy-MM-dd--HH",
    "bucketComplete": "watermark",
    "manifest": "json",
    "bucketCheckInterval": "100ms",
}


class Hours:
    """Rows that carry their time, ten minutes apart, read with a watermark of ten minutes."""

    def __init__(self, spark: SparkSession, place: Place) -> None:
        self.spark = spark
        self.place = place
        self.sent = 0

    def send(self, *times: str) -> None:
        text = "".join(json.dumps({"at": f"2026-01-01 {time}:00"}) + "\n" for time in times)
        hidden = self.place.input / f".{self.sent}"
        hidden.write_text(text)
        hidden.rename(self.place.input / f"{self.sent}.json")
        self.sent += 1

    def rows(self) -> DataFrame:
        stream = self.spark.readStream.schema("at timestamp").json(str(self.place.input))
        return stream.withWatermark("at", "10 minutes")

    def start(self, rows: DataFrame, **more: str) -> StreamingQuery:
        writer = rows.writeStream.format("stoplog").options(**{**HOURLY, **more})
        return writer.option("checkpointLocation", str(self.place.checkpoint)).start(str(self.place.out))


@pytest.fixture
def utc(spark: SparkSession) -> Iterator[SparkSession]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", before)


@pytest.mark.spark_lines
def test_a_bucket_is_marked_after_the_watermark_has_passed(utc: SparkSession, place: Place) -> None:
    hours = Hours(utc, place)
    query = hours.start(hours.rows())
    try:
        for times in (["00:05", "00:45"], ["01:05"], ["01:20"]):
            hours.send(*times)
            query.processAllAvailable()
        # The watermark is at 01:10 now, and no batch has been run with it.
        assert markers(place.out) == []
        hours.send("01:21")
        query.processAllAvailable()
        until("the first hour's marker", lambda: markers(place.out) == ["2026-01-01--00/_SUCCESS"])
        marker = read(place.out / "2026-01-01--00" / "_SUCCESS")
        assert marker["version"] == 1
        assert marker["by"] == "watermark"
        assert marker["bucketEnd"] == "2026-01-01T01:00:00Z"
        assert_counts_all(place.out / "2026-01-01--00", marker)
        incomplete = stoplog.incomplete_buckets(utc, place.out).collect()
        assert [row.bucket for row in incomplete] == ["2026-01-01--01"]
    finally:
        query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time


@pytest.mark.spark_lines
def test_late_rows_make_a_new_version_and_are_counted(utc: SparkSession, place: Place) -> None:
    hours = Hours(utc, place)
    query = hours.start(hours.rows(), inactivityInterval="200ms")
    try:
        for times in (["00:05", "00:45"], ["02:00"], ["02:01"]):
            hours.send(*times)
            query.processAllAvailable()
        first = place.out / "2026-01-01--00" / "_SUCCESS"
        until("the first marker", first.exists)
        before = first.read_bytes()
        hours.send("00:50", "02:02")
        query.processAllAvailable()
        second = place.out / "2026-01-01--00" / "_SUCCESS.2"
        until("the second marker", second.exists)
        assert first.read_bytes() == before
        assert read(second)["added"]["rows"] == 1
        assert_counts_all(second.parent, read(second))
        until("the metrics of a later epoch", lambda: late(query, hours) >= 1)
    finally:
        query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time


@pytest.mark.spark_lines
@pytest.mark.long
def test_no_bucket_is_marked_before_the_last_window_is_written(utc: SparkSession, place: Place) -> None:
    hours = Hours(utc, place)
    windows = (
        hours.rows()
        .groupBy(F.window("at", "30 minutes"))
        .count()
        .select(F.window_time("window").alias("at"), "count")
    )
    query = hours.start(windows, rollingPolicy="onCheckpoint")
    try:
        noon = datetime(2026, 1, 1)
        for step in range(9):
            hours.send((noon + timedelta(minutes=30 * step)).strftime("%H:%M"))
            query.processAllAvailable()
        until("three hours' markers", lambda: len(markers(place.out)) == 3)
    finally:
        query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time
    for marker in markers(place.out):
        assert read(place.out / marker)["rows"] == 2
        assert read(place.out / marker)["version"] == 1


@pytest.mark.spark_lines
def test_manifests_list_each_file_once_with_rows_bytes_and_times(utc: SparkSession, place: Place) -> None:
    hours = Hours(utc, place)
    query = hours.start(hours.rows(), maxRecordsPerPart="2", finalizeOnTermination="always")
    try:
        hours.send("00:05", "00:45", "00:25", "00:30")
        hours.send("01:00", "01:59")
        query.processAllAvailable()
    finally:
        query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time
    listed = {file["path"]: file for manifest in manifests(place) for file in manifest["files"]}
    assert len(listed) == sum(len(manifest["files"]) for manifest in manifests(place))
    assert set(listed) == {str(file.relative_to(place.out)) for file in files(place.out)}
    for path, file in listed.items():
        rows = [json.loads(line)["at"] for line in (place.out / path).read_text().splitlines()]
        assert file["rows"] == len(rows)
        assert file["bytes"] == (place.out / path).stat().st_size
        assert datetime.fromisoformat(file["min"]) == min(map(datetime.fromisoformat, rows))
        assert datetime.fromisoformat(file["max"]) == max(map(datetime.fromisoformat, rows))


@pytest.mark.spark_lines
def test_a_batch_write_marks_buckets_at_the_end(utc: SparkSession, place: Place) -> None:
    def write(mode: str) -> None:
        rows = utc.range(10).select(F.lit("2026-01-01 00:00:00").cast("timestamp").alias("at"), "id")
        rows.write.format("stoplog").options(**HOURLY).mode(mode).save(str(place.out))

    write("append")
    assert markers(place.out) == ["2026-01-01--00/_SUCCESS"]
    write("append")
    assert markers(place.out) == ["2026-01-01--00/_SUCCESS", "2026-01-01--00/_SUCCESS.2"]
    assert_counts_all(place.out / "2026-01-01--00", read(place.out / "2026-01-01--00" / "_SUCCESS.2"))
    write("overwrite")
    assert markers(place.out) == ["2026-01-01--00/_SUCCESS"]
    assert_counts_all(place.out / "2026-01-01--00", read(place.out / "2026-01-01--00" / "_SUCCESS"))
    assert len(manifests(place)) == 3


@pytest.mark.spark_lines
def test_days_of_a_date_column_are_marked_by_the_clock(utc: SparkSession, place: Place) -> None:
    hours = Hours(utc, place)
    rows = hours.rows().withColumn("day", F.to_date("at"))
    options = {"format": "parquet", "partitionBy": "day", "bucketComplete": "processingTime"}
    writer = rows.writeStream.format("stoplog").options(**options, bucketCheckInterval="100ms")
    query = writer.option("checkpointLocation", str(place.checkpoint)).start(str(place.out))
    try:
        hours.send("00:05", "00:45")
        query.processAllAvailable()
        until("the day's marker", lambda: markers(place.out) == ["day=2026-01-01/_SUCCESS"])
    finally:
        query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time
    assert utc.read.parquet(str(place.out)).count() == 2


def test_a_bucket_without_an_end_is_rejected_at_the_start(utc: SparkSession, place: Place) -> None:
    hours = Hours(utc, place)
    writer = hours.rows().writeStream.format("stoplog").option("format", "json")
    with pytest.raises(IllegalArgumentException, match="bucketColumn"):
        writer.option("bucketComplete", "watermark").option(
            "checkpointLocation", str(place.checkpoint)
        ).start(str(place.out))


def late(query: StreamingQuery, hours: Hours) -> int:
    hours.send("02:03")
    query.processAllAvailable()
    return int(query.lastProgress["sink"]["metrics"]["lateBuckets"])


def markers(path: Path) -> list[str]:
    found = (file for file in files_below(path) if file.name.startswith("_SUCCESS"))
    return [str(file.relative_to(path)) for file in found]


def manifests(place: Place) -> list[dict[str, Any]]:
    return [read(file) for file in sorted((place.own / "manifests").glob("*.manifest"))]


def read(file: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(file.read_text())
    return loaded


def assert_counts_all(bucket: Path, marker: dict[str, Any]) -> None:
    found = files(bucket)
    assert marker["files"] == len(found)
    assert marker["rows"] == len(lines(bucket))
    assert marker["bytes"] == sum(file.stat().st_size for file in found)
