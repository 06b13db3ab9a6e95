# SPDX-License-Identifier: Apache-2.0
"""What the source reads is each line once, whatever is killed, and however the files come and go."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import duckdb
import pytest

from stoplog import BulkFormat, FileSource, StreamFormat
from support import at_work
from support.finished import assert_each_once, assert_none_twice, files
from support.jobs import Job
from support.place import ROWS_PER_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from support.place import Place

KILL_ROUNDS = 20 if os.environ.get("STOPLOG_LONG") == "1" else 1  # it deletes; the runs behind it archive
SEED = 20_261_121
LIMITS = {"format": "text", "maxFilesPerTrigger": "3", "maxRowsPerTrigger": "130"}
PLENTY = {"maxFilesPerTrigger": "50", "maxRowsPerTrigger": "5000"}


@pytest.mark.spark_lines
def test_each_row_is_read_once_after_kill_9_with_late_and_deleted_files(place: Place) -> None:
    moments = random.Random(SEED)
    archive = place.root / "away"
    archiving = {"cleanSource": "archive", "sourceArchiveDir": str(archive)}
    cleaning: list[dict[str, str]] = [{"cleanSource": "delete"}, archiving, {}]
    for number in range(KILL_ROUNDS):
        arrive(place, moments, files=4)
        with at_work.at_work(job(place, LIMITS | cleaning[number % 3]), "source_job.py") as process:
            at_work.arrive(place, process, moments, lambda: arrive(place, moments, files=1))
        assert files(place.out) or place.unfinished(), "the epochs were empty"
        assert_none_twice(place.out, place.rows)
    # Most of what has arrived was for no life long enough. And again: a file is put away when Spark plans the
    # micro-batch behind its own.
    for limits in (LIMITS | PLENTY, LIMITS):
        arrive(place, moments, files=1)
        assert job(place, limits | archiving).run("source_job.py").code == 0
    assert_each_once(place.out, place.rows)
    assert_archived_whole(archive, place)
    counts = duckdb.sql(f"SELECT count(*), count(DISTINCT value) FROM '{place.out}/*.parquet'").fetchall()
    assert counts == [(len(place.rows), len(place.rows))]


def assert_archived_whole(archive: Path, place: Place) -> None:
    """What was put away is there once, and no longer where it was."""
    files = [file for file in archive.rglob("*") if file.is_file()]
    assert files, "nothing was archived"
    assert not {file.name for file in files} & {file.name for file in place.input.iterdir()}
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert len(lines) == len(set(lines)) == ROWS_PER_FILE * len(files)
    assert set(lines) <= set(place.rows)


@pytest.mark.spark_lines
def test_builders_read_batches_and_streams(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id;word\n1;ant\n2;bat\n")
    source = (
        FileSource.for_record_stream_format(StreamFormat.csv(header=True, sep=";"), tmp_path / "in")
        .with_max_files_per_trigger(1)
        .build()
    )
    rows = source.read(spark, "id INT, word STRING")
    assert [tuple(row) for row in rows.orderBy("id").collect()] == [(1, "ant"), (2, "bat")]
    stream = source.read_stream(spark, "id INT, word STRING").selectExpr("word AS value")
    writer = stream.writeStream.format("text").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start(str(tmp_path / "out"))
    query.awaitTermination()
    assert sorted(row.value for row in spark.read.text(str(tmp_path / "out")).collect()) == ["ant", "bat"]
    metrics = query.recentProgress[0]["sources"][0]["metrics"]
    assert metrics["outstandingSplits"] == "0"
    assert metrics["lastListedFiles"] == "1"


@pytest.mark.spark_lines
@pytest.mark.parametrize("form", ["json", "csv", "parquet", "orc", "avro"])
def test_the_source_reads_the_output_of_the_sink(spark: SparkSession, tmp_path: Path, form: str) -> None:
    rows = spark.range(1000).selectExpr("id", "concat('w', id) AS word", "id / 7 AS share")
    options = {"format": form, "path": str(tmp_path / "data"), "bucketBy": "concat('k', id % 3)"}
    rows.write.format("stoplog").options(**options).mode("append").save()
    builder = (
        FileSource.for_record_stream_format(form, tmp_path / "data")
        if form in {"json", "csv"}
        else FileSource.for_bulk_file_format(form, tmp_path / "data")
    )
    read = builder.build().read(spark, rows.schema)
    assert read.exceptAll(rows).isEmpty()
    assert read.count() == 1000


@pytest.mark.spark_lines
def test_several_paths_are_read_by_an_object_of_the_format(spark: SparkSession, tmp_path: Path) -> None:
    for name, first in (("eu", 0), ("us", 10), ("left out", 20)):
        spark.range(first, first + 10).write.parquet(str(tmp_path / name))
    source = FileSource.for_bulk_file_format(BulkFormat.parquet(), tmp_path / "eu", tmp_path / "us").build()
    assert sorted(row.id for row in source.read(spark).collect()) == list(range(20))


@pytest.mark.spark_lines
def test_length_delimited_records_are_read(spark: SparkSession, tmp_path: Path) -> None:
    words = [b"ant", b"", b"bat" * 100]
    (tmp_path / "a.bin").write_bytes(b"".join(len(word).to_bytes(4, "little") + word for word in words))
    form = StreamFormat.length_delimited("int32le", max_record_size=2000)
    source = FileSource.for_record_stream_format(form, tmp_path).build()
    assert sorted(bytes(row.value) for row in source.read(spark).collect()) == sorted(words)


@pytest.mark.spark_lines
def test_partition_columns_are_read_from_directories(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(100).selectExpr("id", "date_add(DATE'2026-11-20', int(id % 3)) AS day", "'w' AS word")
    data = str(tmp_path / "data")
    rows.write.format("stoplog").options(format="csv", path=data, partitionBy="day").mode("append").save()
    builder = FileSource.for_record_stream_format("csv", data).with_partition_columns("day")
    read = builder.with_file_enumerator("nonSplitting").build().read(spark, rows.schema)
    assert read.exceptAll(rows).isEmpty()
    assert read.where("day = DATE'2026-11-21'").count() == 33


def job(place: Place, source: dict[str, str], **more: object) -> Job:
    return Job.at(
        place,
        path=str(place.out),
        options={"format": "parquet", "bucketAssigner": "basePath", "maxRecordsPerPart": "170"},
        source=source,
        **more,
    )


def arrive(place: Place, moments: random.Random, files: int) -> None:
    """Files that are renamed in with times of any age: some older than all that was read."""
    for _ in range(files):
        place.feed(age_seconds=moments.choice((0, 60, 30 * 24 * 3600)))


@pytest.mark.long  # SourceInputsSuite asks the same on the line that the jar is compiled against
@pytest.mark.spark_lines
@pytest.mark.parametrize("form", ["json", "parquet"])
def test_a_stream_has_the_metadata_of_files(spark: SparkSession, tmp_path: Path, form: str) -> None:
    spark.range(3).coalesce(1).write.format(form).save(str(tmp_path / "in"))
    (name,) = (file.name for file in (tmp_path / "in").glob("part-*"))
    reader = spark.readStream.format("stoplog").option("format", form).schema("id BIGINT")
    stream = reader.load(str(tmp_path / "in")).where("_metadata.file_size > 0")
    rows = stream.selectExpr("concat_ws(' ', id, _metadata.file_name) AS value")
    writer = rows.writeStream.format("text").option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
    found = sorted(row.value for row in spark.read.text(str(tmp_path / "out")).collect())
    assert found == [f"{number} {name}" for number in range(3)]
