# SPDX-License-Identifier: Apache-2.0
"""Batch writes: all of a job becomes visible at once, or none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import stoplog
from support.finished import assert_each_once, files, lines
from support.jobs import KILLED, Job
from support.rejections import assert_rejected

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark_lines

TEXT = {"format": "text", "bucketAssigner": "basePath"}
OLD = [str(number) for number in range(100)]
NEW = [f"n{number}" for number in range(50)]
OVERWRITE_STEPS = ("beforeRecord", "afterRecord", "midReplace", "afterReplace", "midPublish")
SAMPLE = "midReplace"


def marks(step: str) -> list[pytest.MarkDecorator]:
    """`CrashMatrixSuite` dies at each step of an overwrite."""
    return [] if step == SAMPLE else [pytest.mark.long]


def test_append_keeps_earlier_rows(spark: SparkSession, tmp_path: Path) -> None:
    write(numbers(spark, 100), tmp_path / "out", "append")
    write(numbers(spark, 50, "n"), tmp_path / "out", "append")
    assert_each_once(tmp_path / "out", OLD + NEW)
    assert no_job_left(tmp_path / "out")


def test_overwrite_replaces_all(spark: SparkSession, tmp_path: Path) -> None:
    write(numbers(spark, 100), tmp_path / "out", "append")
    (tmp_path / "out" / "bucket").mkdir()
    (tmp_path / "out" / "bucket" / "stranger.txt").write_text("of an earlier layout\n")
    write(numbers(spark, 50, "n"), tmp_path / "out", "overwrite")
    assert_each_once(tmp_path / "out", NEW)
    assert no_job_left(tmp_path / "out")


def test_overwrite_creates_an_absent_directory(spark: SparkSession, tmp_path: Path) -> None:
    write(numbers(spark, 50, "n"), tmp_path / "out", "overwrite")
    assert_each_once(tmp_path / "out", NEW)


def test_a_failed_overwrite_keeps_earlier_rows(spark: SparkSession, tmp_path: Path) -> None:
    write(numbers(spark, 100), tmp_path / "out", "append")
    with_null = numbers(spark, 50).selectExpr("nullif(value, '49') as value")
    assert_rejected(
        lambda: write(with_null, tmp_path / "out", "overwrite"), "STOPLOG_NULL_VALUE", "set nullValue"
    )
    assert_each_once(tmp_path / "out", OLD)


def test_partition_by_of_the_writer_names_the_directories(spark: SparkSession, tmp_path: Path) -> None:
    rows = numbers(spark, 100).selectExpr("value", "cast(value as int) % 3 as third")
    rows.write.format("stoplog").option("format", "text").partitionBy("third").mode("append").save(
        str(tmp_path / "out")
    )
    for third in range(3):
        expected = [value for value in OLD if int(value) % 3 == third]
        assert_each_once(tmp_path / "out" / f"third={third}", expected)


def test_the_default_save_mode_is_rejected_with_the_supported_modes(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = numbers(spark, 10).write.format("stoplog").options(**TEXT)
    with pytest.raises(Exception, match=r"(?i)append|overwrite"):
        rows.save(str(tmp_path / "out"))
    assert not files(tmp_path / "out")


def test_the_python_sink_appends_by_default(spark: SparkSession, tmp_path: Path) -> None:
    sink = stoplog.FileSink.for_row_format(str(tmp_path / "out"), "text").with_option(
        "bucketAssigner", "basePath"
    )
    for rows in (numbers(spark, 100), numbers(spark, 50, "n")):
        sink.build().write(rows)
    assert_each_once(tmp_path / "out", OLD + NEW)


def test_a_batch_keeps_the_open_parts_of_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Hidden files of a stream are neither shown nor replaced by a job on the same directory."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.txt").write_text("streamed\n")

    def stream(finalize: str) -> None:
        rows = spark.readStream.text(str(tmp_path / "in")).writeStream.format("stoplog").options(**TEXT)
        query = (
            rows.option("finalizeOnTermination", finalize)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=300).in_time

    stream("never")
    write(numbers(spark, 50, "n"), tmp_path / "out", "overwrite")
    assert_each_once(tmp_path / "out", NEW)
    stream("always")
    assert_each_once(tmp_path / "out", [*NEW, "streamed"])


@pytest.mark.parametrize("step", [pytest.param(step, marks=marks(step)) for step in OVERWRITE_STEPS])
def test_a_crashed_overwrite_is_completed_or_without_effect(
    spark: SparkSession, tmp_path: Path, step: str
) -> None:
    """Before its record nothing has changed; after it the next job carries on where it stopped."""
    out = tmp_path / "out"
    write(numbers(spark, 100), out, "append")
    crashing = Job(
        str(out),
        options=TEXT,
        mode="overwrite",
        rows=50,
        select=["concat('n', id) as value"],
        fault=f"{step}:1:halt",
    )
    assert crashing.run("batch_job.py").code == KILLED
    if step == "beforeRecord":
        assert_each_once(out, OLD)
    write(numbers(spark, 1, "x"), out, "append")
    assert_each_once(out, ["x0", *(OLD if step == "beforeRecord" else NEW)])


def write(rows: DataFrame, path: Path, mode: str) -> None:
    rows.write.format("stoplog").options(**TEXT).mode(mode).save(str(path))


def numbers(spark: SparkSession, count: int, prefix: str = "") -> DataFrame:
    return spark.range(count).selectExpr(f"concat('{prefix}', id) as value")


def no_job_left(path: Path) -> bool:
    """A job's own directory goes with it, and readers see no empty directory either."""
    return not list((path / "_stoplog").glob("batch-*")) and len(lines(path)) > 0
