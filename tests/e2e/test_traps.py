# SPDX-License-Identifier: Apache-2.0
"""Calls of a first day: each is refused by name, or does what its caller means, and ruins no directory."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pandas
import pytest

import stoplog

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id BIGINT, day STRING"


def rows(spark: SparkSession, place: Path, schema: str = SCHEMA) -> DataFrame:
    """A stream of three rows."""
    (place / "in").mkdir(exist_ok=True)
    lines = ['{"id":1,"day":"a"}', '{"id":2,"day":"b"}', '{"id":3,"day":"a"}']
    (place / "in" / "rows.json").write_text("".join(f"{line}\n" for line in lines))
    return spark.readStream.schema(schema).json(str(place / "in"))


def builder(place: Path) -> stoplog.FileSinkBuilder:
    return stoplog.FileSink.for_bulk_format(place / "out", "parquet").with_partition_by("day")


def count(spark: SparkSession, place: Path) -> int:
    return spark.read.parquet(str(place / "out")).count()


def test_a_visible_checkpoint_under_the_path_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    sink = builder(tmp_path).build()
    for inside in ("out/checkpoint", "out/_stoplog/checkpoint"):
        with pytest.raises(stoplog.StartRefused, match="STOPLOG_CHECKPOINT_IN_SINK"):
            sink.run_available_now(rows(spark, tmp_path), tmp_path / inside)
    assert not (tmp_path / "out").exists()
    sink.run_available_now(rows(spark, tmp_path), tmp_path / "out" / "_checkpoint")
    assert count(spark, tmp_path) == len(pandas.read_parquet(tmp_path / "out")) == 3


def test_a_deleted_checkpoint_doubles_no_row(spark: SparkSession, tmp_path: Path) -> None:
    builder(tmp_path).build().run_available_now(rows(spark, tmp_path), tmp_path / "checkpoint")
    shutil.rmtree(tmp_path / "checkpoint")
    for sink in (builder(tmp_path).build(), builder(tmp_path).with_on_foreign_query("adopt").build()):
        with pytest.raises(Exception, match="STOPLOG_"):
            sink.run_available_now(rows(spark, tmp_path), tmp_path / "checkpoint")
    assert count(spark, tmp_path) == 3


def test_a_query_of_another_sink_is_never_finished(spark: SparkSession, tmp_path: Path) -> None:
    query = rows(spark, tmp_path).writeStream.format("noop").start()
    try:
        for call in (stoplog.await_finished, stoplog.stop_after_batch):
            with pytest.raises(stoplog.NotAStoplogQuery):
                call(query, timeout=5)
        assert query.isActive
    finally:
        query.stop()


def test_a_stopped_query_reports_its_invisible_rows(spark: SparkSession, tmp_path: Path) -> None:
    query = builder(tmp_path).build().write_stream(rows(spark, tmp_path), tmp_path / "checkpoint").start()
    query.processAllAvailable()
    query.stop()
    finished = stoplog.await_finished(query, timeout=300)
    assert not finished
    assert (finished.in_time, finished.rows) == (True, 3)
    assert finished.open_parts == stoplog.open_parts(spark, tmp_path / "out").count() > 0
    assert not list((tmp_path / "out").glob("day=*/*"))


def test_a_stop_after_the_batch_leaves_parts_open_unless_they_are_finalized(
    spark: SparkSession, tmp_path: Path
) -> None:
    sink = builder(tmp_path).build()
    query = sink.write_stream(rows(spark, tmp_path), tmp_path / "checkpoint").start()
    query.processAllAvailable()
    stopped = stoplog.stop_after_batch(query, timeout=300)
    assert (stopped.in_time, bool(stopped), stopped.rows) == (True, False, 3)
    query = sink.write_stream(rows(spark, tmp_path), tmp_path / "checkpoint").start()
    query.processAllAvailable()
    assert stoplog.stop_after_batch(query, timeout=300, finalize=True)
    assert count(spark, tmp_path) == 3


def test_partition_by_of_sparks_writer_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    writer = builder(tmp_path).build().write_stream(rows(spark, tmp_path), tmp_path / "checkpoint")
    with pytest.raises(stoplog.InvalidOptions, match="with_partition_by"):
        writer.partitionBy("id")


def test_a_changed_type_is_refused_with_both_types(spark: SparkSession, tmp_path: Path) -> None:
    sink: Any = builder(tmp_path).build()
    sink.run_available_now(rows(spark, tmp_path), tmp_path / "checkpoint")
    with pytest.raises(stoplog.StartRefused, match=r"^\[STOPLOG_SCHEMA_CHANGED.*id STRING \(was BIGINT\)"):
        sink.run_available_now(rows(spark, tmp_path, "id STRING, day STRING"), tmp_path / "checkpoint")
    assert count(spark, tmp_path) == 3


def test_a_run_without_rows_returns_no_batch(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    empty = spark.readStream.schema(SCHEMA).json(str(tmp_path / "in"))
    done = builder(tmp_path).build().run_available_now(empty, tmp_path / "checkpoint")
    assert (done.input_rows, done.metrics) == (0, stoplog.SinkMetrics())
    done = builder(tmp_path).build().run_available_now(rows(spark, tmp_path), tmp_path / "checkpoint")
    assert (done.input_rows, done.metrics.published_rows) == (3, 3)


def test_a_view_of_an_unknown_sink_names_those_that_exist(spark: SparkSession, tmp_path: Path) -> None:
    for sink_id in ("one", "two"):
        sink = builder(tmp_path).with_sink_id(sink_id).with_finalize_on_termination("never").build()
        query = (
            sink.write_stream(rows(spark, tmp_path), tmp_path / sink_id).trigger(availableNow=True).start()
        )
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=300).in_time
    assert stoplog.open_parts(spark, tmp_path / "out", sink_id="one").count() > 0
    for view in (stoplog.open_parts, stoplog.parts, stoplog.epochs, stoplog.incomplete_buckets):
        for sink_id in ("main", "typo"):
            with pytest.raises(Exception, match=r"STOPLOG_SINK_UNKNOWN.*one, two"):
                view(spark, tmp_path / "out", sink_id=sink_id).count()
