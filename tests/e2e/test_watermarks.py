# SPDX-License-Identifier: Apache-2.0
"""What docs/beyond-files/watermarks.md says of silent sources: Spark's part of it, and stoplog's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import stoplog
from support.wait import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from support.place import Place


def of_spark_alone(test: Callable[..., None]) -> Callable[..., None]:
    """Nothing of stoplog runs: each Spark line has to be looked at, but not each commit."""
    return pytest.mark.long(pytest.mark.spark_lines(test))


class Source:
    """A directory of rows that carry their time."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.folder = folder
        self._spark = spark
        self._sent = 0
        folder.mkdir(parents=True)

    def send(self, time: str, *, beat: bool = False) -> None:
        """A row in a file of its own."""
        hidden = self.folder / f".{self._sent}"
        hidden.write_text(json.dumps({"at": f"2026-01-01 {time}:00", "beat": beat}) + "\n")
        hidden.rename(self.folder / f"{self._sent}.json")
        self._sent += 1

    def rows(self, delay: str = "10 minutes") -> DataFrame:
        read = self._spark.readStream.schema("at timestamp").json(str(self.folder))
        return read.withWatermark("at", delay)


@pytest.fixture
def utc(spark: SparkSession) -> Iterator[SparkSession]:
    names = ("spark.sql.session.timeZone", MULTIPLE, NO_DATA)
    before = {name: spark.conf.get(name) for name in names}
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield spark
    for name, value in before.items():
        spark.conf.set(name, str(value))


MULTIPLE = "spark.sql.streaming.multipleWatermarkPolicy"
NO_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"


def plain(df: DataFrame, place: Place) -> StreamingQuery:
    """A query without state."""
    return df.writeStream.format("noop").option("checkpointLocation", str(place.checkpoint)).start()


def counts(df: DataFrame, place: Place) -> StreamingQuery:
    """A query that keeps a count for each hour until the watermark has passed it."""
    hours = df.groupBy(F.window("at", "1 hour")).count()
    writer = hours.writeStream.format("memory").queryName("hours").outputMode("append")
    return writer.option("checkpointLocation", str(place.checkpoint)).start()


def watermark(query: StreamingQuery) -> str:
    """The one that the last batch was run with."""
    assert query.lastProgress is not None
    return query.lastProgress["eventTime"]["watermark"][11:16]


@of_spark_alone
def test_the_watermark_follows_earlier_rows_and_stops_without_rows(utc: SparkSession, place: Place) -> None:
    source = Source(utc, place.root / "a")
    query = plain(source.rows(), place)
    try:
        source.send("01:00")
        query.processAllAvailable()
        assert watermark(query) == "00:00"  # of 1970: the batch that sees a row cannot know of it before
        batch = query.lastProgress["batchId"]
        query.processAllAvailable()
        assert query.lastProgress["batchId"] == batch  # and no batch comes without a row
        source.send("01:01")
        query.processAllAvailable()
        assert watermark(query) == "00:50"
    finally:
        query.stop()


@of_spark_alone
@pytest.mark.parametrize(("no_data", "seen"), [("true", ["00:00"]), ("false", [])])
def test_stateful_queries_run_an_extra_batch_unless_disabled(
    utc: SparkSession, place: Place, no_data: str, seen: list[str]
) -> None:
    utc.conf.set(NO_DATA, no_data)
    source = Source(utc, place.root / "a")
    query = counts(source.rows(), place)
    try:
        source.send("00:30")
        query.processAllAvailable()
        source.send("02:00")
        query.processAllAvailable()
        closed = utc.table("hours").selectExpr("date_format(window.start, 'HH:mm')").collect()
        assert [row[0] for row in closed] == seen
    finally:
        query.stop()


@of_spark_alone
def test_the_last_window_waits_for_a_later_row(utc: SparkSession, place: Place) -> None:
    source = Source(utc, place.root / "a")
    query = counts(source.rows(), place)
    try:
        source.send("00:30")
        query.processAllAvailable()
        query.processAllAvailable()
        assert utc.table("hours").count() == 0
    finally:
        query.stop()


@of_spark_alone
@pytest.mark.parametrize(("policy", "seen"), [("min", "00:20"), ("max", "04:50")])
def test_a_silent_source_delays_the_watermark_or_loses_late_rows(
    utc: SparkSession, place: Place, policy: str, seen: str
) -> None:
    utc.conf.set(MULTIPLE, policy)
    silent, busy = Source(utc, place.root / "a"), Source(utc, place.root / "b")
    query = plain(silent.rows().union(busy.rows()), place)
    try:
        silent.send("00:30")
        busy.send("04:00")
        query.processAllAvailable()
        for time in ("05:00", "05:00"):
            busy.send(time)
            query.processAllAvailable()
        assert watermark(query) == seen
    finally:
        query.stop()


@of_spark_alone
def test_a_source_without_rows_keeps_the_watermark_at_1970(utc: SparkSession, place: Place) -> None:
    never, busy = Source(utc, place.root / "a"), Source(utc, place.root / "b")
    query = plain(never.rows().union(busy.rows()), place)
    try:
        for time in ("05:00", "05:00"):
            busy.send(time)
            query.processAllAvailable()
        assert query.lastProgress is not None
        assert query.lastProgress["eventTime"]["watermark"].startswith("1970-01-01")
    finally:
        query.stop()


@of_spark_alone
def test_partitions_of_a_source_share_the_watermark_of_the_latest_row(
    utc: SparkSession, place: Place
) -> None:
    source = Source(utc, place.root / "a")
    source.send("00:30")  # a file, and so a partition, of its own
    source.send("05:00")
    query = plain(source.rows(), place)
    try:
        query.processAllAvailable()
        source.send("05:00")
        query.processAllAvailable()
        assert watermark(query) == "04:50"
    finally:
        query.stop()


@of_spark_alone
def test_a_watermark_after_a_union_follows_the_latest_row(utc: SparkSession, place: Place) -> None:
    silent, busy = Source(utc, place.root / "a"), Source(utc, place.root / "b")
    read = [utc.readStream.schema("at timestamp").json(str(s.folder)) for s in (silent, busy)]
    query = plain(read[0].union(read[1]).withWatermark("at", "10 minutes"), place)
    try:
        silent.send("00:30")
        for time in ("05:00", "05:00"):
            busy.send(time)
            query.processAllAvailable()
        assert watermark(query) == "04:50"
    finally:
        query.stop()


@of_spark_alone
def test_a_query_keeps_the_policy_of_the_first_start(utc: SparkSession, place: Place) -> None:
    silent, busy = Source(utc, place.root / "a"), Source(utc, place.root / "b")
    silent.send("00:30")
    for policy, time in (("min", "04:00"), ("max", "05:00")):
        utc.conf.set(MULTIPLE, policy)
        query = plain(silent.rows().union(busy.rows()), place)
        try:
            for _ in range(2):
                busy.send(time)
                query.processAllAvailable()
            assert watermark(query) == "00:20"
        finally:
            query.stop()


@of_spark_alone
def test_the_policy_max_drops_rows_of_a_slow_source(utc: SparkSession, place: Place) -> None:
    utc.conf.set(MULTIPLE, "max")
    behind, busy = Source(utc, place.root / "a"), Source(utc, place.root / "b")
    query = counts(behind.rows().union(busy.rows()), place)
    try:
        busy.send("05:00")
        query.processAllAvailable()
        behind.send("00:30")
        query.processAllAvailable()
        dropped = [p["stateOperators"][0]["numRowsDroppedByWatermark"] for p in query.recentProgress]
        assert sum(dropped) == 1
    finally:
        query.stop()


@of_spark_alone
@pytest.mark.parametrize(("kept", "seen"), [("not beat", "00:20"), ("not beat or at is null", "04:50")])
def test_a_filter_of_heartbeats_has_to_name_the_event_time(
    utc: SparkSession, place: Place, kept: str, seen: str
) -> None:
    source = Source(utc, place.root / "a")
    read = utc.readStream.schema("at timestamp, beat boolean").json(str(source.folder))
    query = plain(read.withWatermark("at", "10 minutes").where(kept), place)
    try:
        for time, beat in (("00:30", False), ("05:00", True), ("05:00", True), ("00:31", False)):
            source.send(time, beat=beat)
            query.processAllAvailable()
        assert watermark(query) == seen
    finally:
        query.stop()


def test_an_inactive_part_is_published_by_the_clock(utc: SparkSession, place: Place) -> None:
    source = Source(utc, place.root / "a")
    options = {"format": "json", "bucketAssigner": "basePath"}
    clock = {"inactivityInterval": "200ms", "bucketCheckInterval": "50ms"}
    writer = source.rows().writeStream.format("stoplog").options(**options, **clock)
    query = writer.option("checkpointLocation", str(place.checkpoint)).start(str(place.out))
    try:
        source.send("00:30")
        query.processAllAvailable()
        batch = query.lastProgress
        until("the part", lambda: stoplog.parts(utc, place.out).count() == 1)
        assert query.lastProgress["batchId"] == batch["batchId"]  # it took no batch
    finally:
        query.stop()


def test_an_idle_bucket_is_complete_without_a_watermark(utc: SparkSession, place: Place) -> None:
    source = Source(utc, place.root / "a")
    options = {"format": "json", "bucketColumn": "at", "bucketFormat": "yyyy-MM-dd--HH"}
    idle = {"bucketComplete": "idle 200ms", "bucketCheckInterval": "50ms"}
    writer = source.rows().writeStream.format("stoplog").options(**options, **idle)
    query = writer.option("checkpointLocation", str(place.checkpoint)).start(str(place.out))
    try:
        source.send("00:30")
        query.processAllAvailable()
        until("the marker", (place.out / "2026-01-01--00" / "_SUCCESS").exists)
    finally:
        query.stop()
