# SPDX-License-Identifier: Apache-2.0
"""A sink that names no buckets is read without options, by Spark and by others."""

from __future__ import annotations

import datetime
import pathlib
from typing import TYPE_CHECKING

import pytest

from support import hive
from support.streams import Stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place

DAY = datetime.date(2026, 1, 31)


@pytest.mark.spark_lines
@pytest.mark.parametrize("form", ["json", "parquet"])
def test_every_reader_finds_all_rows_of_a_sink_with_default_buckets(
    spark: SparkSession, place: Place, form: str
) -> None:
    place.feed(files=2)
    Stream(spark, place, {"format": form}).run()
    found = spark.read.format(form).load(str(place.out))
    assert sorted(row.value for row in found.collect()) == sorted(place.rows)
    assert dict(found.dtypes) == {"value": "string", "dt": "date", "hour": "int"}
    for name, read in hive.READERS.items():
        if form == "parquet" or name not in hive.OF_PARQUET:
            rows = read(str(place.out), form, ["value", "dt", "hour"])
            assert sorted(value for value, *_ in rows) == sorted(place.rows), name
            assert {(str(day), int(hour)) for _, day, hour in rows} == {
                (str(row.dt), row.hour) for row in found.select("dt", "hour").distinct().collect()
            }, name


def test_rows_without_a_time_are_found(spark: SparkSession, place: Place) -> None:
    rows = spark.sql(
        "SELECT * FROM VALUES (1, TIMESTAMP '2026-01-31 20:15:00'), (2, CAST(NULL AS TIMESTAMP)) AS t(id, at)"
    )
    zone = spark.conf.get("spark.sql.session.timeZone")
    options = {"format": "parquet", "bucketColumn": "at", "timeZone": zone}
    rows.write.format("stoplog").options(**options).mode("append").save(str(place.out))
    found = spark.read.parquet(str(place.out)).orderBy("id").select("id", "dt", "hour").collect()
    assert [tuple(row) for row in found] == [(1, DAY, 20), (2, None, None)]
    assert [id for id, day in sorted(hive.by_pyarrow(str(place.out), "parquet", ["id", "dt"]))] == [1, 2]


def test_a_pattern_for_all_files_of_a_format_matches_only_files_with_rows(
    spark: SparkSession, place: Place
) -> None:
    """Also of readers that walk through hidden directories."""
    import duckdb

    options = {"format": "json", "manifest": "json", "bucketFormat": "'day='yyyy"}
    for run in range(2):
        place.feed(files=2)
        Stream(spark, place, options).run()
        found = duckdb.read_json(f"{place.out}/**/*.json").fetchall()
        assert len(found) == len(place.rows), run
    ends = {file.suffix for file in place.own.rglob("*") if file.is_file()}
    assert {".commit", ".manifest"} <= ends
    assert not ends & {".json", ".csv", ".txt", ".parquet", ".orc", ".avro", ".gz"}
    files = pathlib.Path(place.out).rglob("*.json")
    assert sum(len(file.read_text().splitlines()) for file in files) == len(place.rows)
