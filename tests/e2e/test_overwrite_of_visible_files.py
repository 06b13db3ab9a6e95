# SPDX-License-Identifier: Apache-2.0
"""Overwrites next to streams: an overwrite replaces visible files, and no open part and no log."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import stoplog
from support.wait import until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession

ROWS = [str(number) for number in range(10)]


def test_an_overwrite_keeps_parts_opened_by_a_stream_during_the_job(
    spark: SparkSession, tmp_path: Path
) -> None:
    out, gate = tmp_path / "out", str(tmp_path / "gate")
    out.mkdir()
    os.mkfifo(gate)
    opener = os.open(gate, os.O_RDWR)

    def waiting(rows: Iterable[tuple[str]]) -> Iterable[object]:
        with Path(gate).open() as opened:
            opened.readline()
        return rows

    late = spark.sparkContext.parallelize([("new",)], 1).mapPartitions(waiting).toDF("value string")
    failures: list[Exception] = []

    def job() -> None:
        try:
            overwrite(late, out)
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=job)
    thread.start()
    until("the directory of the job", lambda: list(out.glob("_stoplog/batch-*")) != [])
    stream(spark, tmp_path, out, "a", ROWS, inProgress="bucket", bucketAssigner="dateTime")
    assert kept(out) == ROWS
    os.write(opener, b"go\n")
    thread.join()
    os.close(opener)
    assert failures == []
    assert kept(out) == [*ROWS, "new"]
    stream(spark, tmp_path, out, "b", ["next"], inProgress="bucket", bucketAssigner="dateTime")
    assert kept(out) == sorted([*ROWS, "new", "next"])


def test_an_overwrite_above_the_path_of_a_stream_is_rejected(spark: SparkSession, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    stream(spark, tmp_path, lake / "events", "a", ROWS, bucketAssigner="basePath")
    log = sorted(path.name for path in lake.glob("events/_stoplog/main/log/*"))
    with pytest.raises(Exception, match="events has _stoplog") as error:
        overwrite(spark.createDataFrame([("new",)], "value string"), lake)
    assert stoplog.condition_of(error.value) == "STOPLOG_FOREIGN_TABLE"
    assert sorted(path.name for path in lake.glob("events/_stoplog/main/log/*")) == log
    stream(spark, tmp_path, lake / "events", "b", ["next"], bucketAssigner="basePath")
    assert kept(lake) == sorted([*ROWS, "next"])


def overwrite(rows: DataFrame, out: Path) -> None:
    rows.write.format("stoplog").option("format", "text").mode("overwrite").save(str(out))


def stream(spark: SparkSession, root: Path, out: Path, name: str, values: list[str], **options: str) -> None:
    """Commits the values, and leaves their part open."""
    source = root / "in"
    source.mkdir(exist_ok=True)
    draft = root / f".{name}"
    draft.write_text("".join(json.dumps({"value": value}) + "\n" for value in values))
    draft.rename(source / f"{name}.json")
    query = (
        spark.readStream.schema("value string")
        .json(str(source))
        .writeStream.format("stoplog")
        .options(format="text", finalizeOnTermination="never", **options)
        .option("checkpointLocation", str(root / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(out))
    )
    query.awaitTermination()
    assert stoplog.await_finished(query, timeout=300).in_time


def kept(out: Path) -> list[str]:
    """The rows in all files below the path, hidden or not, but for those of logs."""
    files = [path for path in out.rglob("*") if path.is_file() and ".txt" in path.name]
    return sorted(line for path in files for line in path.read_text().splitlines())
