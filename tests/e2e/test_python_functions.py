# SPDX-License-Identifier: Apache-2.0
"""Buckets, encoders and readers of files as functions in Python: every format, streams and batches."""

from __future__ import annotations

import io
import json
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import stoplog
from stoplog import BucketAssigner, BulkFormat, Encoder, FileSink, FileSource, StreamFormat
from support.finished import assert_each_once, files, lines
from support.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from support.place import Place

PAGE = Path(__file__).resolve().parents[2] / "docs" / "beyond-files" / "python-functions.md"
ROWS = 500


def by_rest(batch: pa.RecordBatch) -> list[str]:
    return [f"rest={number % 3}" for number in batch.column("id").to_pylist()]


def numbers(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 2).selectExpr("id", "concat('row ', id) as word")


def expected() -> set[tuple[int, str]]:
    return {(number, f"row {number}") for number in range(ROWS)}


@pytest.mark.parametrize("name", ["json", "csv", "parquet", "orc", "avro"])
def test_a_bucket_function_names_the_directories_of_every_format(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    row_format = name in {"json", "csv"}
    start = FileSink.for_row_format if row_format else FileSink.for_bulk_format
    sink = start(tmp_path, name).with_bucket_assigner(BucketAssigner.from_function(by_rest, ["id"])).build()
    sink.write(numbers(spark))
    reader = spark.read.format(name).schema("id bigint, word string, rest int")
    read = reader.load(str(tmp_path)).collect()
    assert {(row.id, row.word) for row in read} == expected()
    assert len(read) == ROWS
    assert all(row.rest == row.id % 3 for row in read)
    if name == "parquet":
        assert pq.ParquetFile(files(tmp_path)[0]).schema_arrow.names == ["id", "word"]
    if name == "json":
        assert json.loads(lines(tmp_path)[0]).keys() == {"id", "word"}


def test_a_stream_goes_on_in_the_open_parts_of_its_buckets(spark: SparkSession, place: Place) -> None:
    place.feed(files=6)
    initial = BucketAssigner.from_function(
        lambda rows: [word[-1] for word in rows.column("value").to_pylist()]
    )
    sink = FileSink.for_row_format(place.out, "text").with_bucket_assigner(initial).build()
    rows = spark.readStream.option("maxFilesPerTrigger", 2).text(str(place.input))
    progress = sink.run_available_now(rows, place.checkpoint)
    assert_each_once(place.out, place.rows)
    written = files(place.out)
    # One part of a bucket for each task, over all three micro-batches.
    assert progress.batch_id == 2
    assert {file.parent.name for file in written} == {row[-1] for row in place.rows}
    assert all(line.endswith(file.parent.name) for file in written for line in file.read_text().split())


@pytest.mark.parametrize(
    ("function", "condition", "message"),
    [
        (lambda batch: ["a"], "STOPLOG_PYTHON_FAILED", "returned 1 name for a batch of "),
        (lambda batch: None, "STOPLOG_PYTHON_FAILED", "returned None for a batch"),
        (lambda batch: batch["no such"], "STOPLOG_PYTHON_FAILED", ": KeyError"),
        (lambda batch: ["_hidden"] * batch.num_rows, "STOPLOG_BUCKET_ID", "_hidden"),
        (lambda batch: ["../out"] * batch.num_rows, "STOPLOG_BUCKET_ID", "'..'"),
    ],
)
def test_wrong_buckets_end_the_job_by_name(
    spark: SparkSession, tmp_path: Path, function: Any, condition: str, message: str
) -> None:
    sink = FileSink.for_row_format(tmp_path, "json").with_bucket_assigner(
        BucketAssigner.from_function(function)
    )
    with pytest.raises(Exception) as caught:  # noqa: PT011 Spark's own class
        sink.build().write(numbers(spark))
    assert stoplog.condition_of(caught.value) == condition
    assert message in str(caught.value)
    assert files(tmp_path) == []


def test_unsuitable_columns_are_refused_before_the_job(spark: SparkSession, tmp_path: Path) -> None:
    base = FileSink.for_row_format(tmp_path, "json")
    missing = base.with_bucket_assigner(BucketAssigner.from_function(by_rest, ["no"])).build()
    with pytest.raises(stoplog.InvalidOptions, match="needs the column no, and the columns are id, word"):
        missing.write(numbers(spark))
    by_number = base.with_bucket_assigner(BucketAssigner.from_function(by_rest)).build()
    with pytest.raises(stoplog.InvalidOptions, match="have a column _python_bucket"):
        by_number.write(numbers(spark).withColumnRenamed("word", "_python_bucket"))
    with pytest.raises(Exception, match="call write_stream\\(df\\) or write\\(df\\) of the sink"):
        numbers(spark).write.format("stoplog").options(**by_number.options()).mode("append").save()


def test_rows_of_a_bucket_come_to_one_task(spark: SparkSession, tmp_path: Path) -> None:
    assigner = BucketAssigner.from_function(by_rest, ["id"])
    sink = (
        FileSink.for_row_format(tmp_path, "json").with_bucket_assigner(assigner).with_distribution("byBucket")
    )
    sink.build().write(numbers(spark))
    assert len(files(tmp_path)) == 3


# Encoders: the three examples of the guide.


def fixed_width(batch: pa.RecordBatch) -> list[bytes]:
    columns = (batch.column("id").to_pylist(), batch.column("word").to_pylist())
    return [b"%010d%-20s" % (number, word.encode()) for number, word in zip(*columns, strict=True)]


def delimited(batch: pa.RecordBatch) -> bytes:
    """Messages of two fields, each after its length, as protobuf's `writeDelimitedTo` writes messages."""

    def varint(number: int) -> bytes:
        low = bytes([number & 127 | (128 if number > 127 else 0)])
        return low + varint(number >> 7) if number > 127 else low

    columns = (batch.column("id").to_pylist(), batch.column("word").to_pylist())
    messages = (
        b"\x08" + varint(number) + b"\x12" + varint(len(word.encode())) + word.encode()
        for number, word in zip(*columns, strict=True)
    )
    return b"".join(varint(len(message)) + message for message in messages)


def arrow_stream(batch: pa.RecordBatch) -> pa.Buffer:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, batch.schema) as stream:
        stream.write_batch(batch)
    return out.getvalue()


def test_fixed_width_records(spark: SparkSession, tmp_path: Path) -> None:
    encoder = Encoder.from_function(fixed_width, suffix=".dat")
    sink = (
        FileSink.for_row_format(tmp_path, encoder)
        .with_bucket_by("concat('even=', string(id % 2 = 0))")
        .build()
    )
    sink.write(numbers(spark))
    found = []
    for file in files(tmp_path):
        assert file.suffix == ".dat"
        data = file.read_bytes()
        assert len(data) % 30 == 0
        for at in range(0, len(data), 30):
            number = int(data[at : at + 10])
            assert file.parent.name == f"even={str(number % 2 == 0).lower()}"
            found.append((number, data[at + 10 : at + 30].decode().rstrip()))
    assert sorted(found) == sorted(expected())


def test_length_delimited_protobuf_compressed(spark: SparkSession, tmp_path: Path) -> None:
    builder = FileSink.for_row_format(tmp_path, Encoder.from_function(delimited, suffix=".pb"))
    sink = (
        builder.with_bucket_assigner(BucketAssigner.from_function(by_rest)).with_compression("gzip").build()
    )
    sink.write(numbers(spark))
    assert all(file.name.endswith(".pb.gz") for file in files(tmp_path))
    read = FileSource.for_record_stream_format("lengthDelimited", tmp_path).build().read(spark)
    messages = [bytes(row.value) for row in read.collect()]
    assert len(messages) == ROWS
    assert {word_of(message) for message in messages} == {word for _, word in expected()}


def word_of(message: bytes) -> str:
    """Returns the second field of a message of `delimited`, after the varint of the first field."""
    end = next(at for at in range(1, len(message)) if message[at] < 128)
    return message[end + 3 :].decode()


def test_arrow_streams_by_partition(spark: SparkSession, tmp_path: Path) -> None:
    encoder = Encoder.from_function(arrow_stream, suffix=".arrows")
    sink = FileSink.for_row_format(tmp_path, encoder).with_partition_by("rest").build()
    sink.write(numbers(spark).selectExpr("*", "cast(id % 3 as int) as rest"))
    found = []
    for file in files(tmp_path):
        data = io.BytesIO(file.read_bytes())
        while data.tell() < len(data.getvalue()):
            table = pa.ipc.open_stream(data).read_all()
            assert table.column_names == ["id", "word"]
            found += [(row["id"], row["word"], file.parent.name) for row in table.to_pylist()]
    assert sorted(found) == sorted((number, word, f"rest={number % 3}") for number, word in expected())


def test_parts_of_an_encoder_function_go_on_over_epochs_and_roll_by_rows(
    spark: SparkSession, place: Place
) -> None:
    place.feed(files=6)
    encoder = Encoder.from_function(
        lambda rows: [f"{word}\n".encode() for word in rows.column(0).to_pylist()]
    )
    sink = (
        FileSink.for_row_format(place.out, encoder)
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .with_rolling_policy(stoplog.DefaultRollingPolicy(max_records=50))
        .build()
    )
    rows = spark.readStream.option("maxFilesPerTrigger", 2).text(str(place.input))
    sink.run_available_now(rows, place.checkpoint)
    assert sorted(lines(place.out)) == sorted(place.rows)
    assert max(len(file.read_bytes().splitlines()) for file in files(place.out)) == 50


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda batch: [b""], "returned 1 value for a batch of "),
        (lambda batch: None, "returned None for a batch in a batch query, partition "),
    ],
)
def test_wrong_bytes_end_the_job_by_name(
    spark: SparkSession, tmp_path: Path, function: Any, message: str
) -> None:
    sink = FileSink.for_row_format(tmp_path, Encoder.from_function(function)).build()
    with pytest.raises(Exception) as caught:  # noqa: PT011 Spark's own class
        sink.write(numbers(spark))
    assert stoplog.condition_of(caught.value) == "STOPLOG_PYTHON_FAILED"
    assert message in str(caught.value)


def test_buckets_of_a_jvm_class_are_refused_with_an_encoder_function(
    spark: SparkSession, tmp_path: Path
) -> None:
    class_name = "stoplog.bucket.BasePathBucketAssigner"
    builder = FileSink.for_row_format(tmp_path, Encoder.from_function(fixed_width))
    sink = builder.with_bucket_assigner(BucketAssigner.custom(class_name)).build()
    with pytest.raises(stoplog.InvalidOptions, match=r"Use BucketAssigner\.from_function, with_partition_by"):
        sink.write(numbers(spark))


# Readers of files: records of twelve bytes.

RECORD = "<qi"
SIZE = struct.calcsize(RECORD)


def records(file: Any, part: Any) -> Iterator[pa.Table]:
    """Records that start in the part: files may be cut at any byte."""
    skipped = -part.start % SIZE
    file.read(skipped)
    at = part.start + skipped
    while at < part.end:
        count = min(100, -(-(part.end - at) // SIZE))
        found = list(struct.iter_unpack(RECORD, file.read(count * SIZE)))
        yield pa.table({"n": [n for n, _ in found], "twice": pa.array([m for _, m in found], pa.int32())})
        at += count * SIZE


def stored(directory: Path, sizes: list[int]) -> list[int]:
    written = []
    for name, size in enumerate(sizes):
        day = directory / f"day=2026-01-0{name % 2 + 1}"
        day.mkdir(parents=True, exist_ok=True)
        some = range(len(written), len(written) + size)
        (day / f"{name}.bin").write_bytes(b"".join(struct.pack(RECORD, n, 2 * n) for n in some))
        written += some
    return written


def binary(**more: Any) -> StreamFormat:
    return StreamFormat.from_reader(records, "n bigint, twice int", **more)


@pytest.mark.parametrize("access", ["forward", "random"])
def test_files_are_read_by_a_function_with_the_columns_of_directories(
    spark: SparkSession, tmp_path: Path, access: Any
) -> None:
    written = stored(tmp_path, [1, 5000, 0, 2500])
    read = FileSource.for_record_stream_format(binary(access=access), tmp_path).build().read(spark)
    assert read.columns == ["n", "twice", "day"]
    rows = read.collect()
    assert sorted(row.n for row in rows) == written
    assert all(row.twice == 2 * row.n for row in rows)
    assert {str(row.day) for row in rows if row.n == 0} == {"2026-01-01"}


@pytest.mark.parametrize("size", ["20k", "100b"])
def test_a_stream_reads_pieces_of_files_once(spark: SparkSession, place: Place, size: str) -> None:
    rows = 5000 if size == "20k" else 60
    written = stored(place.input, [rows, 7, rows])
    split = binary(max_record_size="1k")
    source = FileSource.for_record_stream_format(split, place.input).with_max_bytes_per_trigger(size).build()
    sink = FileSink.for_row_format(place.out, "json").build()
    progress = sink.run_available_now(source.read_stream(spark), place.checkpoint)
    assert progress.batch_id >= 4
    assert sorted(json.loads(line)["n"] for line in lines(place.out)) == written


def test_a_file_that_is_not_cut_is_read_whole_within_a_limit_of_bytes(
    spark: SparkSession, place: Place
) -> None:
    written = stored(place.input, [5000, 5000])
    builder = FileSource.for_record_stream_format(binary(), place.input)
    sink = FileSink.for_row_format(place.out, "json").build()
    rows = builder.with_max_bytes_per_trigger("10k").build().read_stream(spark)
    assert sink.run_available_now(rows, place.checkpoint).batch_id == 1
    assert sorted(json.loads(line)["n"] for line in lines(place.out)) == written


def test_an_exception_of_a_reader_has_the_condition_and_the_traceback(
    spark: SparkSession, tmp_path: Path
) -> None:
    def wrong(file: Any, part: Any) -> Iterator[pa.Table]:
        yield pa.table({"n": [1]})
        raise EOFException(part.path)

    class EOFException(Exception):
        pass

    stored(tmp_path, [3])
    source = FileSource.for_record_stream_format(
        StreamFormat.from_reader(wrong, "n bigint"), tmp_path
    ).build()
    with pytest.raises(Exception) as caught:  # noqa: PT011 Spark's own class
        source.read(spark).collect()
    assert stoplog.condition_of(caught.value) == "STOPLOG_PYTHON_FAILED"
    assert "in wrong" in str(caught.value)
    with pytest.raises(ValueError, match="leave the schema out"):
        source.read(spark, "n bigint")


@pytest.mark.spark_lines
def test_functions_run_from_a_connect_client(place: Place) -> None:
    place.feed(files=4)
    outcome = Job.at(place, path=str(place.out)).run("functions_connect_job.py")
    assert outcome.code == 0, outcome.printed
    seen = json.loads(outcome.printed.splitlines()[-1])
    assert seen == {
        "read": len(place.rows),
        "buckets": len({row[-1] for row in place.rows}),
        "suffix": [".up"],
    }


def test_a_bulk_format_takes_a_bucket_function_with_a_stream(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    assigner = BucketAssigner.from_function(
        lambda rows: [f"end={word[-1]}" for word in rows.column(0).to_pylist()]
    )
    sink = FileSink.for_bulk_format(place.out, BulkFormat.parquet()).with_bucket_assigner(assigner).build()
    rows = spark.readStream.option("maxFilesPerTrigger", 2).text(str(place.input))
    sink.run_available_now(rows, place.checkpoint)
    read = spark.read.parquet(str(place.out)).collect()
    assert sorted(row.value for row in read) == sorted(place.rows)
    assert all(str(row.end) == row.value[-1] for row in read)


def test_the_page_runs_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"spark": spark, "__name__": "__main__"}
    exec("\n".join(blocks).replace("/data/", f"{tmp_path}/"), names)
    assert {file.parent.name for file in files(tmp_path / "mails")} == {
        "domain=a.example",
        "domain=b.example",
    }
    assert {file.parent.name for file in files(tmp_path / "sorted")} == {"class=mail", "class=spam"}
    assert {file.name.partition(".")[2] for file in files(tmp_path / "arrow")} == {"arrows.zst"}
    read = names["source"].read(spark).collect()
    assert sorted((row.id, row.mail) for row in read) == [(1, "ann@a.example"), (2, "bob@b.example")]
    assert names["incoming"].isStreaming
    (tmp_path / "records" / "_manifest").write_text("absent.dat")
    assert names["listed"].read(spark).collect() == []
    for name in ("test_fixed_width", "test_records"):
        names[name]()
