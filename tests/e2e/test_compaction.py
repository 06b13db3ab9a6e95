# SPDX-License-Identifier: Apache-2.0
"""Small files that become one: by the sink that writes them, and by the batch command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import stoplog
from support.finished import content, files
from support.streams import Stream
from test_bulk import READERS, expected, typed

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from support.place import Place

BASE = {
    "bucketAssigner": "basePath",
    "finalizeOnTermination": "always",
    "rollingPolicy": "onCheckpoint",
    "compaction": "smallParts",
    "compactAfterEpochs": "1",
}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"format": "parquet"}, marks=pytest.mark.long),
        {"format": "parquet", "parquet.block.size": "10000"},
        {"format": "orc"},
        pytest.param({"format": "orc", "orc.stripe.size": "10000"}, marks=pytest.mark.long),
        {"format": "avro"},
        pytest.param(
            {"format": "avro", "avro.mapred.sync.interval": "1000", "compression": "deflate"},
            marks=pytest.mark.long,
        ),
    ],
    ids=lambda options: "-".join(options.values()),
)
def test_all_readers_see_the_same_rows_in_compacted_parts(
    spark: SparkSession, place: Place, options: dict[str, str]
) -> None:
    place.feed(files=16)
    stream = Stream(spark, place, {**BASE, **options}, typed)
    stream.run()
    found = files(place.out)
    assert any("-m" in file.name for file in found)
    assert len(found) < 8, "as many as there were micro-batches"
    wanted = [expected(n) for n in range(1600)]
    for reader in READERS[options["format"]]:
        rows = [row for file in found for row in reader(spark, file)]
        assert sorted(rows, key=lambda row: row["n"]) == wanted, reader.__name__


@pytest.mark.parametrize(
    "compression",
    ["gzip", *(pytest.param(codec, marks=pytest.mark.long) for codec in ("none", "zstd", "bzip2"))],
)
def test_compacted_csv_has_a_single_header(spark: SparkSession, place: Place, compression: str) -> None:
    place.feed(files=12)
    options = {"format": "csv", "header": "true", "compression": compression}
    Stream(spark, place, {**BASE, **options}).run()
    found = files(place.out)
    assert len(found) < 6
    lines = [content(file).decode().splitlines() for file in found]
    assert all(text[0] == "value" and "value" not in text[1:] for text in lines)
    assert sorted(row for text in lines for row in text[1:]) == sorted(place.rows)


def test_the_sink_counts_compacted_parts(spark: SparkSession, place: Place) -> None:
    place.feed(files=8)
    Stream(spark, place, {**BASE, "format": "json"}).run()
    states = stoplog.parts(spark, place.out).groupBy("state").sum("records").collect()
    records = {row["state"]: row["sum(records)"] for row in states}
    assert records["published"] == 800
    assert records["replaced"] > 0


@pytest.mark.parametrize(
    "file_format",
    ["parquet", *(pytest.param(form, marks=pytest.mark.long) for form in ("orc", "json"))],
)
def test_the_batch_command_compacts_files_of_spark(
    spark: SparkSession, tmp_path: Path, file_format: str
) -> None:
    old = tmp_path / "old"
    rows = spark.range(0, 1000, 1, 6).selectExpr("id", "id % 2 AS p")
    rows.write.partitionBy("p").format(file_format).save(str(old))
    compaction = stoplog.compact(spark, old)
    plan = compaction.plan()
    assert [(merge.directory, len(merge.names)) for merge in plan] == [("p=0", 6), ("p=1", 6)]
    assert len(files(old)) == 12, "planning changes nothing"
    assert compaction.run() == plan
    assert len(files(old)) == 2
    assert spark.read.format(file_format).load(str(old)).selectExpr("sum(id)").collect() == [(499_500,)]
    assert compaction.run() == []


def test_the_batch_command_rejects_a_directory_of_sparks_file_sink(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    query = (
        spark.readStream.text(str(place.input))
        .writeStream.format("json")
        .option("checkpointLocation", str(place.checkpoint))
        .trigger(availableNow=True)
        .start(str(place.out))
    )
    query.awaitTermination()
    with pytest.raises(Exception, match="_spark_metadata") as error:
        stoplog.compact(spark, place.out).run()
    assert stoplog.condition_of(error.value) == "STOPLOG_FOREIGN_TABLE"
