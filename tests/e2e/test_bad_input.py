# SPDX-License-Identifier: Apache-2.0
"""What is wrong is refused by a name, with a sentence that says what to do."""

from __future__ import annotations

import json
import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import stoplog
from support.finished import assert_each_once, assert_none_twice, files
from support.place import ROWS_PER_FILE
from support.rejections import assert_rejected
from support.streams import TEXT, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from support.place import Place

pytestmark = pytest.mark.spark_lines

INVALID = "STOPLOG_INVALID_OPTIONS"
NO_CLASS = ("STOPLOG_USER_CODE", "rollingPolicy", "org.example.Daily", "Check the class name")


def test_a_missing_path_is_rejected(spark: SparkSession, place: Place) -> None:
    writer = Stream(spark, place).writer()
    assert_rejected(writer.start, "STOPLOG_PATH_MISSING", "Set the option path to a directory")


def test_a_path_below_a_file_is_rejected(spark: SparkSession, place: Place) -> None:
    place.feed(files=1)
    (place.root / "file").write_text("")
    query = Stream(spark, place).writer()
    assert_rejected(
        lambda: query.start(str(place.root / "file" / "out")).awaitTermination(),
        "STOPLOG_PATH_NOT_WRITABLE",
        "set another path",
    )


def test_a_path_on_an_unsupported_store_is_rejected(spark: SparkSession, place: Place) -> None:
    query = Stream(spark, place).writer()
    assert_rejected(lambda: query.start("gs://bucket/out"), "STOPLOG_JAR_MISSING", "Set spark.jars.packages")


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"maxPartSiz": "1m"}, ["maxPartSiz", "maxPartSize"]),
        ({"maxPartSize": "many"}, ["maxPartSize", "many", "128m"]),
        ({"rolloverInterval": "soon"}, ["rolloverInterval", "soon"]),
        ({"format": "parket"}, ["format", "parket", "json"]),
        ({"compression": "zip"}, ["compression", "zip", "gzip"]),
        ({"maxOpenParts": "0"}, ["maxOpenParts"]),
        ({"sinkId": "../other"}, ["sinkId"]),
    ],
)
def test_an_invalid_option_is_rejected(
    spark: SparkSession, place: Place, options: dict[str, str], advice: list[str]
) -> None:
    assert_rejected(Stream(spark, place, TEXT | options).start, INVALID, "Correct all of them", *advice)
    assert not place.out.exists()


def test_all_invalid_options_are_reported_at_once(spark: SparkSession, place: Place) -> None:
    wrong = {"maxPartSize": "many", "format": "parket", "sinkIdd": "a"}
    found = assert_rejected(Stream(spark, place, wrong).start, INVALID, "(3)")
    assert all(word in found.message for word in ("many", "parket", "sinkId"))


def test_text_of_several_columns_is_rejected(spark: SparkSession, place: Place) -> None:
    def two_columns(rows: DataFrame) -> DataFrame:
        return rows.selectExpr("value", "1 as n")

    stream = Stream(spark, place, change=two_columns)
    assert_rejected(stream.start, "STOPLOG_ROW_COLUMNS", "to one column with to_json")


def test_a_null_in_text_is_rejected(spark: SparkSession, place: Place) -> None:
    def with_null(rows: DataFrame) -> DataFrame:
        return rows.selectExpr("nullif(value, '00000-00050') as value")

    place.feed(files=1)
    assert_rejected(Stream(spark, place, change=with_null).run, "STOPLOG_NULL_VALUE", "set nullValue")
    assert files(place.out) == []
    Stream(spark, place, change=with_null).run(nullValue="nothing")
    assert_each_once(place.out, ["nothing", *(row for row in place.rows if row != "00000-00050")])


def test_bad_rows_are_written_to_the_quarantine(spark: SparkSession, place: Place) -> None:
    def with_null(rows: DataFrame) -> DataFrame:
        return rows.selectExpr("nullif(value, '00000-00050') as value")

    place.feed(files=1)
    query = Stream(spark, place, change=with_null).run(onBadRow="reject")
    assert_each_once(place.out, [row for row in place.rows if row != "00000-00050"])
    [rejected] = (place.out / "_rejected").rglob("part-*.rejected")
    [line] = rejected.read_text().splitlines()
    assert json.loads(line) | {"reason": ""} == {
        "reason": "",
        "bucket": "",
        "batch": 0,
        "row": {"value": None},
    }
    assert "STOPLOG_NULL_VALUE" in json.loads(line)["reason"]
    assert [each.metrics.rejected_rows for each in stoplog.progress(query)] == [1]


@pytest.mark.parametrize("bucket", ["..", "a/../../b", "/absolute", "a//b", "_hidden", ".hidden"])
def test_a_bucket_outside_of_the_directory_is_rejected(
    spark: SparkSession, place: Place, bucket: str
) -> None:
    place.feed(files=1)
    stream = Stream(spark, place, {"format": "text", "bucketBy": f"'{bucket}'"})
    assert_rejected(stream.run, "STOPLOG_BUCKET_ID", bucket, "relative paths")
    made = {file.relative_to(place.root.parent).parts[:2] for file in files(place.root.parent)}
    assert made == {("query", "in"), ("query", "checkpoint")}


def test_complete_mode_is_rejected(spark: SparkSession, place: Place) -> None:
    counted = Stream(spark, place, change=lambda rows: rows.groupBy("value").count())
    writer = counted.writer(format="json").outputMode("complete")
    place.feed(files=1)
    assert_rejected(
        lambda: writer.start(str(place.out)).awaitTermination(),
        "STOPLOG_UNSUPPORTED",
        "Use outputMode append",
    )


def test_the_continuous_trigger_is_rejected(spark: SparkSession, place: Place) -> None:
    rows = spark.readStream.format("rate").load().selectExpr("cast(value as string) value")
    writer = rows.writeStream.format("stoplog").options(**TEXT)
    writer = writer.option("checkpointLocation", str(place.checkpoint)).trigger(continuous="1 second")
    assert_rejected(
        lambda: writer.start(str(place.out)).awaitTermination(),
        "STOPLOG_UNSUPPORTED",
        "availableNow",
    )


def test_asynchronous_progress_is_rejected(spark: SparkSession, place: Place) -> None:
    stream = Stream(spark, place)
    assert_rejected(
        lambda: stream.start(asyncProgressTrackingEnabled="true"),
        "STOPLOG_UNSUPPORTED",
        "a query without the option",
    )


def test_a_torn_record_is_rejected_until_restored(spark: SparkSession, place: Place) -> None:
    record = newest_record_of_a_run(spark, place)
    whole = record.read_bytes()
    record.write_bytes(whole[: len(whole) // 2])
    assert_rejected(Stream(spark, place).run, "STOPLOG_RECORD_TORN", record.name, "Restore the record")
    record.write_bytes(whole)
    Stream(spark, place).run()
    assert_each_once(place.out, place.rows)


def test_a_record_of_a_newer_version_is_rejected(spark: SparkSession, place: Place) -> None:
    record = newest_record_of_a_run(spark, place)
    fields = json.loads(record.read_text())
    assert fields["version"] == 1
    record.write_text(record.read_text().replace('"version":1', '"version":99'))
    assert_rejected(Stream(spark, place).run, "STOPLOG_RECORD_TOO_NEW", record.name, "Upgrade stoplog")


def test_a_taken_name_of_a_finished_file_is_rejected_until_moved(spark: SparkSession, place: Place) -> None:
    """The other file stays as it is, and the part is published once it has been moved away."""
    place.feed(files=1)
    Stream(spark, place).run(finalizeOnTermination="never")
    (unfinished,) = place.unfinished()
    other = place.out / unfinished.name.lstrip(".").partition(".inprogress")[0]
    other.write_text("of somebody else\n")
    place.feed(files=1)
    stream = Stream(spark, place, TEXT | {"maxRecordsPerPart": "100"})
    assert_rejected(stream.run, "STOPLOG_NAME_TAKEN", str(other), "Move the other file away")
    assert other.read_text() == "of somebody else\n"
    other.unlink()
    stream.run()
    assert_each_once(place.out, place.rows)


def test_a_deleted_open_part_is_rejected_unless_skipped(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place).run(finalizeOnTermination="never")
    for file in place.unfinished():
        file.unlink()
    place.feed(files=2)
    assert_rejected(Stream(spark, place).run, "STOPLOG_PART_SHORT", "Restore the file", "onLostPart to skip")
    Stream(spark, place).run(onLostPart="skip")
    assert_each_once(place.out, place.rows[2 * ROWS_PER_FILE :])


def test_a_missing_class_is_rejected(spark: SparkSession, place: Place) -> None:
    assert_rejected(Stream(spark, place, TEXT | {"rollingPolicy": "org.example.Daily"}).start, *NO_CLASS)


def test_a_full_disk_in_the_middle_of_an_epoch(spark: SparkSession, place: Place) -> None:
    """No file may grow beyond a limit: to the sink it looks as a full disk does. With room, it goes on."""
    place.feed(files=2)
    stream = Stream(spark, place)
    stream.run(finalizeOnTermination="never")
    place.feed(files=2, rows=100_000)
    with no_file_larger_than(spark, 512 << 10):
        assert_rejected(stream.run, "STOPLOG_STORE_WRITE", "free space", "restart the query")
    assert_none_twice(place.out, place.rows)
    stream.run()
    assert_each_once(place.out, place.rows)


def newest_record_of_a_run(spark: SparkSession, place: Place) -> Path:
    place.feed(files=2)
    Stream(spark, place).run(finalizeOnTermination="never")
    place.feed(files=2)
    return place.records()[-1]


@contextmanager
def no_file_larger_than(spark: SparkSession, size: int) -> Iterator[None]:
    """For the JVM of the session, which gets an error where it would write on."""
    pid = spark.sparkContext._gateway.proc.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
