# SPDX-License-Identifier: Apache-2.0
"""Overwrites of one day by each form of Spark, next to streams into other days, and with killed drivers."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import stoplog
from support.finished import files
from support.jobs import KILLED, Job
from support.rejections import assert_rejected

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from support.place import Place

DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")
DAY = DAYS[1]
STREAMED = "2026-02-01"
OLD = list(range(20))
NEW = list(range(1000, 1010))
FORMS = (
    "static_insert",
    "dynamic_insert",
    "replace_where_insert",
    "overwrite_partitions",
    "overwrite_condition",
    "insert_into",
    "dynamic_save",
    "replace_where_save",
    "delete",
)
STEPS = (
    "partOpened", "beforeSync", "afterSync", "cutTaken", "beforeRecord", "recordWritten", "afterRecord",
    "midReplace", "afterReplace", "replacementNoted", "midPublish", "partPublished", "afterPublish",
    "afterForget", "afterMark", "afterTrim", "midRemove",
)  # fmt: skip
OF_TASKS = ("partOpened", "beforeSync", "afterSync", "midPublish", "partPublished")
SAMPLES = {("static_insert", "midReplace"), ("delete", "afterReplace")}


def kills() -> list[object]:
    """`CrashMatrixSuite` dies at each step of an overwrite of partitions. A delete has no task."""
    pairs = [
        pair for pair in itertools.product(FORMS, STEPS) if not (pair[0] == "delete" and pair[1] in OF_TASKS)
    ]
    return [
        pytest.param(*pair, marks=[] if pair in SAMPLES else pytest.mark.long, id="-".join(pair))
        for pair in pairs
    ]


@pytest.mark.spark_lines
@pytest.mark.parametrize(
    "script", ["overwrite_job.py", pytest.param("overwrite_connect_job.py", marks=pytest.mark.long)]
)
def test_every_form_replaces_one_day(spark: SparkSession, tmp_path: Path, script: str) -> None:
    out = tmp_path / "out"
    three_days(spark, out)
    outcome = Job(str(out), mode=",".join(FORMS), rows=10).run(script)
    assert outcome.code == 0
    seen = [json.loads(line) for line in outcome.printed.splitlines() if line.startswith("{")]
    others = {day: OLD for day in DAYS if day != DAY}
    expected = [
        others if form == "delete" else {**others, DAY: [1000 * number + row for row in range(10)]}
        for number, form in enumerate(FORMS, start=1)
    ]
    assert seen == expected
    assert read(spark, out) == others


def test_other_readers_see_exactly_the_new_rows(spark: SparkSession, tmp_path: Path) -> None:
    import duckdb
    import pandas

    out = tmp_path / "out"
    three_days(spark, out)
    sink = stoplog.FileSink.for_bulk_format(str(out), "parquet").with_partition_by("day")
    again = day_of(spark, DAY, NEW)
    sink.with_replace_where(f"day = '{DAY}'").build().write(again, mode="overwrite")
    sink.with_partition_overwrite_mode("dynamic").build().write(again, mode="overwrite")
    expected = sorted(
        [*((day, row) for day in (DAYS[0], DAYS[2]) for row in OLD), *((DAY, row) for row in NEW)]
    )
    frame = pandas.read_parquet(out)
    assert sorted(zip(frame["day"].astype(str), frame["id"], strict=True)) == expected
    rows = (
        f"SELECT CAST(day AS VARCHAR), id FROM read_parquet('{out}/**/*.parquet', hive_partitioning = true)"
    )
    assert sorted(duckdb.sql(rows).fetchall()) == expected


@pytest.mark.parametrize(("form", "step"), kills())
def test_a_killed_overwrite_leaves_the_old_or_the_new_day(
    spark: SparkSession, tmp_path: Path, place: Place, form: str, step: str
) -> None:
    out = tmp_path / "out"
    three_days(spark, out)
    query = streaming(spark, place, out)
    try:
        killed = Job(str(out), mode=form, rows=len(NEW), fault=f"{step}:1:halt").run("overwrite_job.py")
        assert killed.code == KILLED
    finally:
        finish(query, place)
    assert_whole(spark, out, place, form)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_a_driver_killed_at_any_time_leaves_the_old_or_the_new_day(
    spark: SparkSession, tmp_path: Path, place: Place, form: str
) -> None:
    out = tmp_path / "out"
    three_days(spark, out)
    query = streaming(spark, place, out)
    try:
        for seconds in random.Random(form).choices(range(4, 14), k=3):
            with Job(str(out), mode=form, rows=len(NEW)).running("overwrite_job.py") as process:
                try:
                    process.wait(timeout=seconds)
                except subprocess.TimeoutExpired:
                    process.kill()
    finally:
        finish(query, place)
    assert_whole(spark, out, place, form)


@pytest.mark.parametrize("count", [8, pytest.param(50, marks=pytest.mark.long)])
def test_parallel_back_fills_of_one_day_each_all_succeed(
    spark: SparkSession, tmp_path: Path, count: int
) -> None:
    out = tmp_path / "out"
    days = [f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}" for number in range(count)]
    for day in days:
        write(day_of(spark, day, OLD), out)
    sink = stoplog.FileSink.for_bulk_format(str(out), "parquet").with_partition_by("day")

    def fill(number: int) -> None:
        rows = day_of(spark, days[number], [1000 + number])
        sink.with_replace_where(f"day = '{days[number]}'").build().write(rows, mode="overwrite")

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(fill, range(count)))
    assert read(spark, out) == {day: [1000 + number] for number, day in enumerate(days)}


def test_a_day_with_open_parts_of_a_stream_is_refused_until_they_are_finished(
    spark: SparkSession, tmp_path: Path, place: Place
) -> None:
    out = tmp_path / "out"
    three_days(spark, out)
    sink = stoplog.FileSink.for_bulk_format(str(out), "parquet").with_partition_by("day")
    place.feed(files=1)
    run = streaming(spark, place, out, day=DAY, finalize="never", trigger={"availableNow": True})
    run.awaitTermination()
    stoplog.await_finished(run, timeout=300)
    again = sink.with_replace_where(f"day = '{DAY}'").build()
    refused = "STOPLOG_PATH_NOT_WRITABLE"
    assert_rejected(lambda: again.write(day_of(spark, DAY, NEW), mode="overwrite"), refused, "finalize")
    assert_rejected(
        lambda: dynamic(sink).write(day_of(spark, DAY, NEW), mode="overwrite"), refused, "finalize"
    )
    dynamic(sink).write(day_of(spark, DAYS[0], NEW), mode="overwrite")
    rest = streaming(spark, place, out, day=DAY, finalize="always", trigger={"availableNow": True})
    rest.awaitTermination()
    stoplog.await_finished(rest, timeout=300)
    again.write(day_of(spark, DAY, NEW), mode="overwrite")
    assert read(spark, out) == {DAYS[0]: NEW, DAY: NEW, DAYS[2]: OLD}


def dynamic(sink: stoplog.FileSinkBuilder) -> stoplog.FileSink:
    return sink.with_partition_overwrite_mode("dynamic").build()


def streaming(
    spark: SparkSession,
    place: Place,
    out: Path,
    day: str = STREAMED,
    finalize: str = "always",
    trigger: dict[str, object] | None = None,
):
    """A query that writes the numbers of the input's rows into one day."""
    place.feed(files=1)
    rows = (
        spark.readStream.option("maxFilesPerTrigger", 1)
        .text(str(place.input))
        .selectExpr("CAST(replace(value, '-', '') AS BIGINT) AS id", f"DATE '{day}' AS day")
    )
    writer = rows.writeStream.format("stoplog").option("format", "parquet").option("partitionBy", "day")
    writer = writer.option("finalizeOnTermination", finalize).option(
        "checkpointLocation", str(place.checkpoint)
    )
    return writer.trigger(**(trigger or {"processingTime": "100 milliseconds"})).start(str(out))


def finish(query, place: Place) -> None:
    place.feed(files=2)
    query.processAllAvailable()
    query.stop()
    stoplog.await_finished(query, timeout=300)


def assert_whole(spark: SparkSession, out: Path, place: Place, form: str) -> None:
    """The next job carries out what the dead one has decided."""
    write(day_of(spark, "2026-03-01", [7]), out)
    found = read(spark, out)
    streamed = sorted(int(row.replace("-", "")) for row in place.rows)
    expected = {DAYS[0]: OLD, DAYS[2]: OLD, "2026-03-01": [7], STREAMED: streamed}
    new = {} if form == "delete" else {DAY: NEW}
    assert found in ({**expected, DAY: OLD}, {**expected, **new})
    assert all("part-" in file.name for file in files(out))


def three_days(spark: SparkSession, out: Path) -> None:
    for day in DAYS:
        write(day_of(spark, day, OLD), out)


def write(rows: DataFrame, out: Path) -> None:
    writer = rows.write.format("stoplog").option("format", "parquet").option("partitionBy", "day")
    writer.mode("append").save(str(out))


def day_of(spark: SparkSession, day: str, ids: list[int]) -> DataFrame:
    return spark.createDataFrame([(row,) for row in ids], "id BIGINT").selectExpr(
        "id", f"DATE '{day}' AS day"
    )


def read(spark: SparkSession, out: Path) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in spark.read.parquet(str(out)).selectExpr("id", "CAST(day AS STRING) AS day").collect():
        found.setdefault(row.day, []).append(row.id)
    return {day: sorted(ids) for day, ids in found.items()}
