# SPDX-License-Identifier: Apache-2.0
"""A sink is asked before its query starts, and nothing is started by that."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stoplog import Encoder, FileSink
from stoplog.preflight import check_options
from support.finished import files
from support.streams import TEXT, Stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from stoplog import Preflight
    from support.place import Place

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operate" / "preflight.md"


@pytest.mark.spark_lines
def test_a_valid_sink_is_ready(spark: SparkSession, place: Place) -> None:
    rows = spark.range(7).selectExpr("id", "concat('k', id % 3) AS page")
    sink = FileSink.for_row_format(place.out, Encoder.json()).with_partition_by("page").build()
    found = sink.check(rows)
    assert found.is_ready, found
    assert not found.warnings, found
    assert what(found, "buckets") == "The first 7 rows go to 3 buckets: page=k0, page=k1, page=k2."
    assert found.names["finished"].startswith("page=k0/part-")
    assert found.names["finished"].endswith("-0.json")
    assert str(found).splitlines()[0] == f"Preflight of {place.out}: ready"
    assert f"Spark {spark.version}" in what(found, "versions")
    # What it tried is gone, and what a query writes afterwards is called as it was told.
    assert list((place.out / "_stoplog").iterdir()) == []
    sink.write(rows)
    reported = (
        re.escape(found.names["finished"])
        .replace("4f6c2a81b0d3", "[0-9a-f]{12}")
        .replace(r"\-0\.", r"\-\d+\.")
    )
    assert any(re.fullmatch(reported, str(file.relative_to(place.out))) for file in files(place.out))


def test_a_layout_without_discovery_by_spark_causes_a_warning(spark: SparkSession, place: Place) -> None:
    rows = spark.sql("SELECT 1 AS id, TIMESTAMP '2026-01-31 20:15:00' AS at")
    hidden = FileSink.for_row_format(place.out, "json").with_bucket_by("date(at)").build().check(rows)
    assert [warning.name for warning in hidden.warnings] == ["readers"], hidden
    assert "'2026-01-31' is not a name=value" in str(hidden)
    assert "concat('day=', date(at))" in str(hidden)
    found = FileSink.for_row_format(place.out, "json").build().check(rows)
    assert what(found, "readers").endswith("as columns: dt, hour.")


@pytest.mark.spark_lines
def test_all_problems_are_reported_at_once(spark: SparkSession, place: Place) -> None:
    place.root.mkdir(exist_ok=True)
    (place.root / "file").write_text("")
    options = {"path": place.root / "file" / "out", "format": "text", "bucketBy": "concat('_', a)"}
    found = check_options(spark.sql("SELECT 'x' AS a, 1 AS b"), options)
    reported = {problem.name: problem.what for problem in found.problems}
    assert reported.keys() == {"format", "buckets", "path"}, found
    assert "STOPLOG_ROW_COLUMNS" in reported["format"]
    assert "STOPLOG_BUCKET_ID" in reported["buckets"]
    assert "STOPLOG_PATH_NOT_WRITABLE" in reported["path"]
    assert all(problem.now for problem in found.problems)
    wrong = check_options(spark.range(1), {"PATH": "/data/out", "maxPartSiz": "1m"})
    assert wrong.path == "/data/out"
    assert [problem.name for problem in wrong.problems] == ["options"]
    assert "maxPartSize" in str(wrong)


def test_colliding_names_and_logs_are_reported(spark: SparkSession, place: Place) -> None:
    place.feed()
    Stream(spark, place, TEXT).run()
    rows = spark.readStream.text(str(place.input))
    described = FileSink.for_row_format(place.out, "text").with_option("bucketAssigner", "basePath")
    same = described.with_option("checkpointLocation", str(place.checkpoint)).build().check(rows)
    assert same.is_ready, same
    assert "which resumes" in what(same, "sinkId")
    elsewhere = described.with_option("checkpointLocation", str(place.out / "checkpoint")).build().check(rows)
    assert {problem.name for problem in elsewhere.problems} == {"checkpoint", "sinkId"}, elsewhere
    assert "STOPLOG_FOREIGN_QUERY" in what(elsewhere, "sinkId")
    assert "STOPLOG_CHECKPOINT_IN_SINK" in what(elsewhere, "checkpoint")
    other = FileSink.for_row_format(place.out, "csv").with_option("sinkId", "second").build().check(rows)
    assert {warning.name for warning in other.warnings} == {"neighbours"}, other


def test_the_page_describes_each_finding(spark: SparkSession, place: Place) -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| Name |")[2].partition("\n\n")[0]
    listed = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    found = FileSink.for_row_format(place.out, "json").build().check(spark.range(1))
    assert {each.name for each in found.findings} <= listed


def what(found: Preflight, name: str) -> str:
    return next(each.what for each in found.findings if each.name == name)
