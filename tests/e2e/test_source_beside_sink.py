# SPDX-License-Identifier: Apache-2.0
"""A stream reads what another stream is writing: each row once, in every format and compression."""

from __future__ import annotations

import os
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest

import stoplog
from stoplog import FileSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
OF_LINES = ("none", "gzip", "zstd", "bzip2", "lz4", "snappy")
ALL = [
    *product(("text", "json", "csv"), OF_LINES),
    *(("parquet", codec) for codec in ("none", "snappy", "gzip", "zstd")),
    *(("orc", codec) for codec in ("none", "snappy", "zlib", "zstd")),
    *(("avro", codec) for codec in ("uncompressed", "deflate", "snappy", "zstandard")),
]
SOME = [
    ("csv", "zstd"),
    *(
        pytest.param(form, codec, marks=pytest.mark.long)
        for form, codec in (
            ("text", "lz4"),
            ("json", "gzip"),
            ("parquet", "snappy"),
            ("orc", "zstd"),
            ("avro", "deflate"),
        )
    ),
]
RUNS = 3


@pytest.mark.spark_lines
@pytest.mark.parametrize(("form", "codec"), ALL if LONG else SOME)
@pytest.mark.long
def test_each_row_is_read_once_during_writing(
    spark: SparkSession, place: Place, form: str, codec: str
) -> None:
    place.out.mkdir()
    reader = read(spark, place, form)
    try:
        for run in range(RUNS):
            place.feed(files=3, age_seconds=run * 3600)
            writer = write(spark, place, form, codec, last=run == RUNS - 1)
            while writer.isActive:
                reader.processAllAvailable()
            writer.awaitTermination()
            assert stoplog.await_finished(writer, timeout=300).in_time
        reader.processAllAvailable()
    finally:
        reader.stop()
    found = Counter(row.value for row in spark.table(name_of(form)).collect())
    assert found == Counter(place.rows)


@pytest.mark.spark_lines
def test_a_compacted_part_ends_a_stream_with_an_error(spark: SparkSession, place: Place) -> None:
    place.out.mkdir()
    place.feed()
    writer = write(spark, place, "text", "none", last=True)
    writer.awaitTermination()
    assert stoplog.await_finished(writer, timeout=300).in_time
    part = next(place.out.glob("k*/part-*"))
    reader = read(spark, place, "text")
    try:
        reader.processAllAvailable()
        part.rename(part.with_name(f"{part.stem.rsplit('-', 1)[0]}-m0.txt"))
        with pytest.raises(Exception, match="STOPLOG_SOURCE_MERGED_PART"):
            reader.processAllAvailable()
    finally:
        reader.stop()


def read(spark: SparkSession, place: Place, form: str) -> StreamingQuery:
    start = (
        FileSource.for_record_stream_format
        if form in {"text", "json", "csv"}
        else FileSource.for_bulk_file_format
    )
    source = start(form, place.out).with_max_files_per_trigger(2).build()
    rows = source.read_stream(spark, "value STRING")
    writer = rows.writeStream.format("memory").queryName(name_of(form))
    return writer.option("checkpointLocation", str(place.root / "reading")).start()


def write(spark: SparkSession, place: Place, form: str, codec: str, *, last: bool) -> StreamingQuery:
    """Takes what has arrived. Until the last run, parts stay open when it ends."""
    options = {
        "format": form,
        "compression": codec,
        "bucketBy": "concat('k', right(value, 1))",
        "maxRecordsPerPart": "17",
        "manifest": "json",
        "inProgress": "bucket" if form in {"text", "csv", "orc"} else "staging",
        "finalizeOnTermination": "always" if last else "never",
    }
    rows = spark.readStream.option("maxFilesPerTrigger", 1).text(str(place.input))
    writer = rows.writeStream.format("stoplog").options(**options)
    checkpointed = writer.option("checkpointLocation", str(place.checkpoint))
    return checkpointed.trigger(availableNow=True).start(str(place.out))


def name_of(form: str) -> str:
    return f"read_from_{form}"
