# SPDX-License-Identifier: Apache-2.0
"""Rows of all types and options, as Spark's own sources and sinks have them, and as other readers read them.

Spark's behaviour is the specification: each cell of the tables in `support/conformance` is written by Spark's
own sink and by ours, or read by Spark's own source and by ours, and compared value by value.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import duckdb
import polars
import pyarrow.dataset
import pytest
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql.types import StructField, StructType
from pyspark.testing.objects import PythonOnlyPoint, PythonOnlyUDT

from support.conformance import (
    files,
    row_text,
    spark_reads,
    spark_writes,
    stoplog_reads,
    stoplog_streams,
    stoplog_writes,
    texts,
)
from support.conformance import partitions as directories
from support.conformance.codecs import (
    CODECS,
    READ_ALONE,
    WRITTEN_ALONE,
    is_readable_by_others,
    rows_by_others,
)
from support.conformance.options import READINGS, WRITINGS
from support.conformance.readers import PLAIN_READERS, READERS, alike, column_read
from support.conformance.types import COLUMNS, ROW, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from support.conformance.readers import Read

FORMATS = ("json", "csv", "parquet", "orc", "avro")
_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
DEFAULTS: dict[str, dict[str, str]] = {
    "json": _TIMES,
    "csv": {
        "escape": '"',
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
        **_TIMES,
    },
}
"""Those that differ from Spark's."""

OPTIONS = {"json": _TIMES, "csv": {"header": "true", **DEFAULTS["csv"]}}

SPARK_ALONE = {"months", "span", "any", "nothing"}
"""Columns whose types other readers do not know; for one of them polars refuses a whole file."""

PLAIN = ("flag", "byte", "short", "whole", "cents", "word", "text")
"""Columns whose values tell every reader of JSON and CSV what they are."""

OTHERWISE: dict[tuple[str, str], set[str]] = {
    # 96 bits of nanoseconds, or years in nanoseconds: Spark's own files are read as wrongly.
    ("parquet", "pyarrow"): {"at"},
    ("parquet", "pandas"): {"at"},
    ("parquet", "polars"): {"at"},
    # The years 1 and 9999; and Spark's TIMESTAMP_NTZ is a number to others.
    ("orc", "pyarrow"): {"at", "day", "local", "lately_local"},
    ("orc", "pandas"): {"at", "day", "local", "lately_local"},
    ("orc", "pyorc"): {"at", "day", "local", "lately_local"},
    # These readers take an empty string in quotes for null.
    ("csv", "duckdb"): {"text"},
    ("csv", "pandas"): {"text"},
}
"""By format and reader: columns that the reader has otherwise, or refuses, in Spark's own file as well."""

REFUSED = r"(?i)unsupported|not support|unexpected type|only a single column|writes one column|UNABLE"

TAKEN_HERE_ALONE = {("text", "bytes")}
"""What Spark refuses to write: the bytes of a line."""

REJECTED_HERE_ALONE = {
    ("text", "lines"),
    ("csv", "lines"),
    ("csv", "bytes"),
    ("json", "numbers"),
    ("orc", "last_second"),
}
"""What Spark writes, and its readers do not return: see `docs/files/lines.md`."""


WITH_OPTIONS = {"csv header sep quote": {"emptyValue": "''"}}
"""The options of Spark's writer for the bytes of stoplog: by default it writes `""` for '' with any quote."""


@pytest.mark.parametrize("form", FORMATS)
def test_columns_of_all_types_are_written_as_by_spark(spark: SparkSession, tmp_path: Path, form: str) -> None:
    names = [name for name, column in COLUMNS.items() if form in column.formats and name not in SPARK_ALONE]
    sparks, ours = assert_as_spark(spark, tmp_path, form, rows(spark, *names))
    if form in READERS:
        assert_others_read(rows(spark, *names), READERS[form], form, sparks, ours)
    else:
        assert [file.read_bytes() for file in files(ours)] == [file.read_bytes() for file in files(sparks)]


@pytest.mark.parametrize("form", PLAIN_READERS)
def test_plain_columns_are_read_by_every_reader(spark: SparkSession, tmp_path: Path, form: str) -> None:
    written = rows(spark, *PLAIN)
    ours = stoplog_writes(written, form, tmp_path / "stoplog", OPTIONS.get(form))
    assert_others_read(written, PLAIN_READERS[form], form, ours, ours)


@pytest.mark.parametrize("form", FORMATS)
def test_columns_of_types_specific_to_spark_are_written_as_by_spark(
    spark: SparkSession, tmp_path: Path, form: str
) -> None:
    names = [name for name in SPARK_ALONE if form in COLUMNS[name].formats]
    assert_as_spark(spark, tmp_path, form, rows(spark, *sorted(names)))


def assert_as_spark(spark: SparkSession, tmp_path: Path, form: str, written: DataFrame) -> tuple[Path, Path]:
    """Each of the two reads from files of each of the two what Spark reads from its own."""
    options = OPTIONS.get(form)
    schema = None if form == "avro" else written.schema  # it has no types of one byte or two
    sparks = spark_writes(written, form, tmp_path / "spark", options)
    ours = stoplog_writes(written, form, tmp_path / "stoplog", options)
    wanted = by_row(texts(spark_reads(spark, form, sparks, schema, options)))
    for read in (spark_reads, stoplog_reads):
        for place in (sparks, ours):
            known = read(spark, form, place, schema, options)
            if form == "csv" and read is stoplog_reads:
                known = known.replace("", None)  # Spark's reader takes both for null
            assert by_row(texts(known)) == wanted, f"{read.__name__} {place.name}"
    return sparks, ours


def assert_others_read(
    written: DataFrame, readers: Mapping[str, Read], form: str, sparks: Path, ours: Path
) -> None:
    """Other readers find what was written, unless they have it otherwise in Spark's own file, too."""
    (spark_file,), (our_file,) = files(sparks), files(ours)
    table = written.toArrow()
    differing: dict[tuple[str, str], set[str]] = {}
    for reader, read in readers.items():
        for name in written.columns:
            of = written.schema[name].dataType
            wanted = [alike(value, of) for value in table.column(name).to_pylist()]
            found = column_read(read, our_file, name, of)
            if found != wanted:
                assert found == column_read(read, spark_file, name, of), f"{reader} {name}"
                differing.setdefault((form, reader), set()).add(name)
    assert differing == {
        key: value for key, value in OTHERWISE.items() if key[0] == form and key[1] in readers
    }


@pytest.mark.parametrize("form", ["text", *FORMATS])
def test_a_stream_copies_files_of_all_types(spark: SparkSession, tmp_path: Path, form: str) -> None:
    """Read and written as streams: Spark reads from the copy what it reads from its own file."""
    names = ["text"] if form == "text" else [name for name in COLUMNS if form in COLUMNS[name].formats]
    written = rows(spark, *names)
    written = written.select("text").where("text IS NOT NULL") if form == "text" else written
    options = OPTIONS.get(form)
    sparks = spark_writes(written, form, tmp_path / "spark", options)
    known = spark_reads(spark, form, sparks, None if form == "avro" else written.schema, options)
    copy = stoplog_streams(spark, form, sparks, tmp_path / "stoplog", known.schema, options)
    found = spark_reads(spark, form, copy, known.schema, options)
    assert sorted(map(str, texts(found))) == sorted(map(str, texts(known)))


@pytest.mark.parametrize("form", FORMATS)
def test_columns_of_user_defined_types_are_written_as_by_spark(
    spark: SparkSession, tmp_path: Path, form: str
) -> None:
    """A type of the JVM's, and one that Python alone knows."""
    schema = StructType([StructField("v", VectorUDT()), StructField("p", PythonOnlyUDT())])
    values = [(Vectors.dense(1.0, -0.0), PythonOnlyPoint(1.5, 2.0)), (Vectors.sparse(3, {1: 2.5}), None)]
    for column in schema.names:
        written = spark.createDataFrame(values, schema).select(column).coalesce(1)
        sparks, ours = tmp_path / "spark" / column, tmp_path / "stoplog" / column
        by_spark = rejection(spark_writes, written, form, sparks)
        by_stoplog = rejection(stoplog_writes, written, form, ours)
        assert bool(by_stoplog) == bool(by_spark), by_stoplog or by_spark
        assert all(re.search(REFUSED, message) for message in (by_spark, by_stoplog) if message)
        if not by_spark:
            wanted = sorted(map(str, written.collect()))
            for place in (sparks, ours):
                for read in (spark_reads, stoplog_reads):
                    found = read(spark, form, place, written.schema)
                    assert sorted(map(str, found.collect())) == wanted, f"{read.__name__} {place}"


@pytest.mark.parametrize("form", CODECS)
def test_files_of_all_codecs_are_exchanged_with_spark(spark: SparkSession, tmp_path: Path, form: str) -> None:
    """Each one that Spark's sink knows: Spark reads what is written here, and what it writes is read here."""
    columns = ["word"] if form == "text" else ["word", "whole", ROW]
    written = rows(spark, "word", "whole").select(*columns).where("word IS NOT NULL")
    count = written.count()
    places: dict[str, tuple[Path, Path]] = {}
    for codec in (*CODECS[form], *(codec for of, codec in sorted(READ_ALONE | WRITTEN_ALONE) if of == form)):
        sparks, ours = tmp_path / "spark" / codec, tmp_path / "stoplog" / codec
        options = {"compression": codec}
        by_spark = rejection(spark_writes, written, form, sparks, options)
        by_stoplog = rejection(stoplog_writes, written, form, ours, options)
        if (form, codec) in READ_ALONE:
            assert "gzip" in by_stoplog
            assert not by_spark
            ours = sparks
        elif (form, codec) in WRITTEN_ALONE:
            assert by_spark
            assert not by_stoplog
            sparks = ours
        else:
            assert bool(by_stoplog) == bool(by_spark), f"{codec}: {by_stoplog or by_spark}"
        if not by_stoplog and is_readable_by_others(form, codec):
            assert rows_by_others(form, files(ours)[0]) == count, codec
        if not (by_spark and by_stoplog):
            places[codec] = (sparks, ours)
    assert len(places) > 4

    def sparks_file(codec: str) -> DataFrame:
        return stoplog_reads(spark, form, places[codec][0], written.schema)

    def our_file(codec: str) -> DataFrame:
        return spark_reads(spark, form, places[codec][1], written.schema)

    wanted = sorted(row.row for row in row_text(written).collect())
    for read in (sparks_file, our_file):
        assert all_rows(read, places) == dict.fromkeys(places, wanted), read.__name__


@pytest.mark.parametrize("form", ["text", *FORMATS])
def test_types_rejected_by_spark_are_rejected(spark: SparkSession, tmp_path: Path, form: str) -> None:
    raised = set()
    for name, column in COLUMNS.items():
        if form not in column.formats and (form, name) not in TAKEN_HERE_ALONE:
            row = rows(spark, name).select(name).where(f"{name} IS NOT NULL").limit(1)
            by_spark = rejection(spark_writes, row, form, tmp_path / "spark" / name)
            by_stoplog = rejection(stoplog_writes, row, form, tmp_path / "stoplog" / name)
            if (form, name) in REJECTED_HERE_ALONE:
                assert re.search(r"STOPLOG_(UNREADABLE_ROW|UNSUPPORTED_COLUMN)", by_stoplog), name
                assert not by_spark, name
                continue
            assert bool(by_stoplog) == bool(by_spark), f"{name}: {by_stoplog or by_spark}"
            assert all(re.search(REFUSED, message) for message in (by_spark, by_stoplog) if message)
            raised |= {name} if by_spark else set()
    assert "calendar" in raised


def rejection(
    write: Callable[..., object],
    row: DataFrame,
    form: str,
    place: Path,
    options: Mapping[str, str] | None = None,
) -> str:
    """The message, or an empty text."""
    try:
        write(row, form, place, options)
    except Exception as error:
        return str(error)
    return ""


def test_reading_options_have_the_effect_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    for number, reading in enumerate(READINGS.values()):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / f"a.{reading.format}").write_bytes(reading.bytes())
    places = {name: tmp_path / str(number) for number, name in enumerate(READINGS)}

    def by_spark(name: str) -> DataFrame:
        reading = READINGS[name]
        return spark_reads(spark, reading.format, places[name], reading.schema, reading.options)

    def by_stoplog(name: str) -> DataFrame:
        reading = READINGS[name]
        return stoplog_reads(spark, reading.format, places[name], reading.schema, reading.renamed())

    right = [name for name, reading in READINGS.items() if not reading.fails]
    names = right if os.environ.get("STOPLOG_LONG") == "1" else right[::4]
    assert all_rows(by_stoplog, names) == all_rows(by_spark, names)
    for name in READINGS.keys() - set(right):
        for read in (by_spark, by_stoplog):
            with pytest.raises(Exception, match=r"."):
                read(name).collect()


def all_rows(read: Callable[[str], DataFrame], names: Iterable[str]) -> dict[str, list[str]]:
    """By cell, all of them in one query."""
    cells = [row_text(read(name)).selectExpr(f"'{name}' AS cell", "row") for name in names]
    while len(cells) > 1:  # in pairs, because Spark looks through a union whenever it grows
        cells = [left[0].unionAll(left[1]) if len(left) == 2 else left[0] for left in pairs(cells)]
    found: dict[str, list[str]] = {name: [] for name in names}
    for row in cells[0].collect():
        found[row.cell].append(row.row)
    return {name: sorted(rows) for name, rows in found.items()}


def pairs(cells: list[DataFrame]) -> list[list[DataFrame]]:
    return [cells[at : at + 2] for at in range(0, len(cells), 2)]


def test_writing_options_have_the_effect_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    for number, (name, writing) in enumerate(WRITINGS.items()):
        written = rows(spark, *writing.columns)
        if writing.format == "text":
            written = written.select("text").where("text IS NOT NULL")
        written = written.drop(ROW) if len(writing.columns) > 1 else written
        theirs = {**DEFAULTS.get(writing.format, {}), **WITH_OPTIONS.get(name, {}), **writing.options}
        (wanted,) = files(spark_writes(written, writing.format, tmp_path / f"s{number}", theirs))
        (found,) = files(stoplog_writes(written, writing.format, tmp_path / f"o{number}", writing.options))
        assert found.read_bytes() == wanted.read_bytes(), name


def test_partition_columns_become_the_directories_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    written = directories.rows(spark)
    names = list(directories.COLUMNS)
    sparks, ours = tmp_path / "spark", tmp_path / "stoplog"
    written.write.partitionBy(*names).parquet(str(sparks))
    stoplog_writes(written, "parquet", ours, {"partitionBy": ",".join(names)})
    assert folders(ours) == folders(sparks)
    for schema in (None, written.schema):
        known = spark_reads(spark, "parquet", sparks, schema)
        wanted = by_row(texts(known))
        for place in (sparks, ours):
            for read in (spark_reads, stoplog_reads):
                found = read(spark, "parquet", place, schema)
                assert sorted(found.dtypes) == sorted(known.dtypes), f"{read.__name__} {place.name}"
                assert by_row(texts(found)) == wanted, f"{read.__name__} {place.name}"
    count = written.count()
    pattern = f"{ours}/*=*/**/*.parquet"
    assert pyarrow.dataset.dataset(str(ours), partitioning="hive").count_rows() == count
    assert duckdb.sql(f"SELECT count(DISTINCT n) FROM read_parquet('{pattern}')").fetchall() == [(count,)]
    assert polars.read_parquet(pattern, hive_partitioning=False)["n"].n_unique() == count


def folders(path: Path) -> set[str]:
    return {str(file.parent.relative_to(path)) for file in files(path)}


def by_row(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(
        (dict(sorted(row.items())) for row in found), key=lambda row: int(json.loads(row[ROW])["v"])
    )
