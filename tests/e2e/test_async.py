# SPDX-License-Identifier: Apache-2.0
"""`async_map` in Spark: batch and streaming, every type, and what its result can be written to."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import functions as F
from pyspark.sql.types import Row

import stoplog
from support.finished import files, lines
from support.jobs import Job
from support.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from support.place import Place

# Workers cannot import a test's module, so its functions travel whole.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

VALUES = {
    "a_boolean": "true",
    "a_byte": "cast(-7 as tinyint)",
    "a_short": "cast(300 as smallint)",
    "an_int": "70000",
    "a_long": "9007199254740993",
    "a_float": "cast(1.5 as float)",
    "a_double": "0.1d",
    "a_decimal": "cast('12345678901234567890.123456789' as decimal(38, 9))",
    "a_string": "'é漢😀'",
    "a_binary": "X'00ff'",
    "a_date": "date'1582-10-15'",
    "a_timestamp": "timestamp'2026-03-29 01:30:00.123456 UTC'",
    "an_old_timestamp": "timestamp'1905-06-01 12:00:00 UTC'",
    "a_local_timestamp": "timestamp_ntz'2026-03-29 02:30:00.000001'",
    "an_array": "array(1, null, 3)",
    "an_array_of_timestamps": "array(timestamp'2026-01-01 00:00:00 UTC', null)",
    "a_map": "map('a', 1, 'b', null)",
    "a_struct": "named_struct('x', 1, 'y', named_struct('z', array(X'01')))",
    "an_interval": "interval '1 02:03:04.5' day to second",
    "a_variant": "parse_json('{\"a\": [1, null]}')",
}


async def same(row: Row) -> Row:
    return row


async def odd_ones_fail(row: Row) -> dict[str, Any]:
    await asyncio.sleep(0)
    if int(row.value[-1]) % 2:
        raise OSError(f"no {row.value}")
    return {"value": row.value, "length": len(row.value)}


def each_once(df: DataFrame) -> DataFrame:
    schema = "value string, length int"
    return stoplog.async_map(df, odd_ones_fail, schema, capacity=8, order="unordered", on_bad_row="reject")


@pytest.fixture(params=["UTC", "America/New_York"])
def session_zone(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", request.param)
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


@pytest.mark.spark_lines
@pytest.mark.usefixtures("session_zone")
def test_values_of_every_type_pass_through_a_function_unchanged(spark: SparkSession) -> None:
    df = typed(spark)
    result = stoplog.async_map(df, same, df.schema)
    assert shown(result) == shown(df)
    assert result.schema == df.schema


@pytest.mark.usefixtures("session_zone")
def test_a_function_receives_the_values_of_collect(spark: SparkSession) -> None:
    df = typed(spark).drop("a_variant")  # variants have no equality
    rows = {repr(row) for row in df.collect()}

    async def seen(row: Row) -> tuple[str]:
        return (repr(row),)

    assert {row.seen for row in stoplog.async_map(df, seen, "seen string").collect()} == rows


@pytest.mark.spark_lines
def test_a_rejected_row_has_every_type_of_value(spark: SparkSession) -> None:
    async def fails(row: Row) -> None:
        raise ConnectionError("refused")

    df = typed(spark)
    good, rejected = stoplog.async_split(stoplog.async_map(df, fails, "x int", on_bad_row="reject"))
    assert good.count() == 0
    assert shown(rejected.select("row.*")) == shown(df)
    [reason] = rejected.select("reason", "type", "message", "attempts").distinct().collect()
    assert tuple(reason) == ("error", "ConnectionError", "refused", 1)


def test_a_type_without_arrow_support_is_rejected_in_the_plan(spark: SparkSession) -> None:
    df = spark.sql("select make_interval(1, 2) as an_interval")
    with pytest.raises(Exception, match="CalendarIntervalType"):
        stoplog.async_map(df, same, df.schema)


@pytest.mark.spark_lines
def test_a_stream_writes_good_and_rejected_rows_to_a_single_sink(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    by_error = {"format": "json", "bucketBy": "if(_rejected is null, 'good', 'rejected')"}
    Stream(spark, place, by_error, each_once).run()
    good = [json.loads(line) for line in lines(place.out / "good")]
    rejected = [json.loads(line) for line in lines(place.out / "rejected")]
    even = {row for row in place.rows if int(row[-1]) % 2 == 0}
    assert Counter(row["value"] for row in good) == Counter(even)
    assert Counter(row["_rejected"]["row"]["value"] for row in rejected) == Counter(set(place.rows) - even)
    assert all("_rejected" not in row and row["length"] == 11 for row in good)


def test_a_stream_writes_to_two_sinks_by_foreach_batch(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    calls = place.root / "calls"
    calls.mkdir()

    async def counted(row: Row) -> dict[str, Any]:
        with (calls / str(os.getpid())).open("a") as log:
            log.write(f"{row.value}\n")
        return await odd_ones_fail(row)

    def write(batch: DataFrame, batch_id: int) -> None:
        good, rejected = stoplog.async_split(batch.persist())
        good.write.mode("append").json(str(place.out / "good"))
        rejected.select("row.value").write.mode("append").json(str(place.out / "rejected"))
        batch.unpersist()

    rows = spark.readStream.option("maxFilesPerTrigger", 1).text(str(place.input))
    result = stoplog.async_map(rows, counted, "value string, length int", on_bad_row="reject")
    query = result.writeStream.foreachBatch(write).option("checkpointLocation", str(place.checkpoint))
    query.trigger(availableNow=True).start().awaitTermination()
    written = [json.loads(line)["value"] for line in lines_of_spark(place.out)]
    assert Counter(written) == Counter(place.rows)
    assert Counter(line for log in calls.iterdir() for line in log.read_text().splitlines()) == Counter(
        place.rows
    )


def test_a_failed_call_ends_the_query_with_the_reason(spark: SparkSession, place: Place) -> None:
    place.feed()
    failing = Stream(
        spark, place, change=lambda df: stoplog.async_map(df, odd_ones_fail, "value string, length int")
    )
    query = failing.start({"availableNow": True}, format="json")
    with pytest.raises(Exception, match="async_map failed with OSError: no 00000-00001") as raised:
        query.awaitTermination()
    assert stoplog.condition_of(raised.value) == "STOPLOG_ASYNC_CALL_FAILED"
    assert files(place.out) == []


def test_a_rate_limited_query_calls_in_a_limited_number_of_tasks(spark: SparkSession) -> None:
    async def when(row: Row) -> tuple[float]:
        return (time.monotonic(),)

    df = spark.range(0, 40, numPartitions=8)
    begun = time.monotonic()
    limited = stoplog.async_map(df, when, "at double", max_calls_per_second=50, max_tasks=2)
    times = sorted(row.at for row in limited.collect())
    assert limited.rdd.getNumPartitions() == 2
    # A lower bound of time is no matter of the machine's speed: never are there more calls than allowed.
    for first in range(len(times)):
        for last in range(first, len(times)):
            assert last - first + 1 <= 50 * (times[last] - times[first] + 0.05) + 2 + 1e-6
    assert times[-1] - begun >= 0.3


def test_an_event_time_column_is_declared_after_the_calls(spark: SparkSession, place: Place) -> None:
    place.feed()
    timed = spark.readStream.text(str(place.input)).selectExpr("value", "timestamp'2026-01-01' as at")

    def counts(df: DataFrame) -> DataFrame:
        return df.groupBy(F.window("at", "1 minute")).count()

    def start(df: DataFrame) -> Any:
        return df.writeStream.format("noop").option("checkpointLocation", str(place.checkpoint)).start()

    before = stoplog.async_map(timed.withWatermark("at", "1 minute"), same, timed.schema)
    with pytest.raises(Exception, match=r"(?i)watermark"):
        start(counts(before))
    after = stoplog.async_map(timed, same, timed.schema).withWatermark("at", "1 minute")
    query = start(counts(after))
    query.processAllAvailable()
    assert query.lastProgress["eventTime"]["watermark"] == "2025-12-31T23:59:00.000Z"
    query.stop()


@pytest.mark.spark_lines
@pytest.mark.long
def test_async_map_works_over_spark_connect(tmp_path: Path) -> None:
    outcome = Job(str(tmp_path), rows=4).run("async_connect_job.py")
    assert outcome.code == 0
    seen = json.loads(outcome.printed.splitlines()[-1])
    assert seen == {"good": ["n0", "n2"], "rejected": ["no 1", "no 3"]}


def typed(spark: SparkSession) -> DataFrame:
    """A row with a value of each type, and one of nulls."""
    columns = ", ".join(f"{value} as {name}" for name, value in VALUES.items())
    nulls = ", ".join(f"if(id = 0, {name}, null) as {name}" for name in VALUES)
    return spark.sql(f"select {nulls} from (select id, {columns} from range(2))")


def shown(df: DataFrame) -> list[str]:
    """By Spark's own casts, for variants and floats are not compared by Python."""
    return sorted(str(row[0]) for row in df.select(F.to_json(F.struct("*"))).collect())


def lines_of_spark(path: Path) -> list[str]:
    return [line for file in path.rglob("*.json") for line in file.read_text().splitlines()]
