# SPDX-License-Identifier: Apache-2.0
"""Damaged files: every row that another reader can read is read, with and without limits."""

from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.damaged_files import CODECS, LINE, row_of_line, written
from support.rejections import assert_rejected

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from support.damaged_files import Row

SCHEMA = "id BIGINT, word STRING"
LIMITS = [{}, {"maxRowsPerTrigger": "2000"}, {"maxBytesPerTrigger": "200k"}]
SAMPLE = (("parquet", 1), ("text", 1))
WHOLE = [(form, seed) for form in (*LINE, *CODECS) for seed in (1, 2, 3)]
_RANDOM = random.Random(43)


@pytest.mark.parametrize(
    ("form", "seed"),
    [pytest.param(*each, marks=() if each in SAMPLE else pytest.mark.long) for each in WHOLE],
)
def test_no_reader_finds_more_rows_of_damaged_files(
    spark: SparkSession, tmp_path: Path, form: str, seed: int
) -> None:
    """Neither Spark with `ignoreCorruptFiles`, nor `gzip`, Python's decoders, pyarrow or fastavro."""
    files = written(form, seed, tmp_path / "in")
    sparks = found_by_spark(spark, tmp_path, form)
    found = [found_by_stoplog(spark, tmp_path, form, number, limit) for number, limit in enumerate(LIMITS)]
    differing = []
    for file in files:
        ours = [len(rows & file.rows) for rows in found]
        least = max(file.others, len(sparks & file.rows))
        if min(ours) < least or len(set(ours)) > 1:
            differing.append(f"{file.name}: {ours}, others {file.others}, Spark {len(sparks & file.rows)}")
    assert not differing, "\n".join(differing)


def found_by_stoplog(
    spark: SparkSession, place: Path, form: str, number: int, limit: dict[str, str]
) -> set[Row]:
    schema = "value STRING" if form == "text" else SCHEMA
    options = {"format": form, "quarantinePath": str(place / f"notes-{number}")}
    query = (
        spark.readStream.format("stoplog")
        .schema(schema)
        .options(**options, **limit)
        .load(str(place / "in"))
        .writeStream.format("memory")
        .queryName(f"rows_{number}")
        .option("checkpointLocation", str(place / f"checkpoint-{number}"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return rows_of(form, spark.table(f"rows_{number}"))


def found_by_spark(spark: SparkSession, place: Path, form: str) -> set[Row]:
    """Leaves out `.lz4` and `.snappy`: a damaged length in a block ends the JVM of Spark's reader."""
    files = [str(file) for file in (place / "in").iterdir() if file.suffix not in {".lz4", ".snappy"}]
    schema = "value STRING" if form == "text" else SCHEMA
    rows = spark.read.format(form).schema(schema).option("ignoreCorruptFiles", "true").load(files)
    return rows_of(form, rows)


def rows_of(form: str, rows: DataFrame) -> set[Row]:
    collected = rows.collect()
    if form == "text":
        return {row for line in collected if (row := row_of_line(line.value)) is not None}
    return {(row.id, row.word) for row in collected if row.id is not None}


def test_small_files_with_a_damaged_trailer_give_their_rows(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(20):
        data = gzip.compress(f"row {number}\n".encode())
        (tmp_path / "in" / f"{number}.gz").write_bytes(data[:-6] if number % 2 else data)
    options = {"format": "text", "quarantinePath": str(tmp_path / "notes")}
    rows = spark.read.format("stoplog").schema("value STRING").options(**options).load(str(tmp_path / "in"))
    assert sorted(row.value for row in rows.collect()) == sorted(f"row {number}" for number in range(20))


def test_a_damaged_row_group_leaves_the_others(spark: SparkSession, tmp_path: Path) -> None:
    table = pa.table({"id": range(40000), "word": [f"{_RANDOM.getrandbits(128):032x}" for _ in range(40000)]})
    file = tmp_path / "in" / "a.parquet"
    file.parent.mkdir()
    pq.write_table(table, file, row_group_size=5000)
    group = pq.ParquetFile(file).metadata.row_group(4).column(1)
    begin = group.dictionary_page_offset or group.data_page_offset
    data = file.read_bytes()
    file.write_bytes(data[:begin] + b"\xff" * 2000 + data[begin + 2000 :])
    options = {"format": "parquet", "quarantinePath": str(tmp_path / "notes")}
    rows = (
        spark.read.format("stoplog")
        .schema("id BIGINT, word STRING")
        .options(**options)
        .load(str(file.parent))
    )
    assert sorted(row.id for row in rows.collect()) == [
        number for number in range(40000) if number // 5000 != 4
    ]


def test_a_missing_codec_ends_the_query_and_quarantines_nothing(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "in" / "a.parquet"
    file.parent.mkdir()
    pq.write_table(pa.table({"id": range(10)}), file, compression="brotli")
    notes = tmp_path / "notes"
    options = {"format": "parquet", "quarantinePath": str(notes)}
    rows = spark.read.format("stoplog").schema("id BIGINT").options(**options).load(str(file.parent))
    assert_rejected(rows.collect, "STOPLOG_SOURCE_FILE_SETTINGS", "class path")
    assert not notes.exists() or not list(notes.iterdir())
