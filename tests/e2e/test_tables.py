# SPDX-License-Identifier: Apache-2.0
"""Tables of Spark's session catalog, on each line of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import stoplog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from support.place import Place


@pytest.fixture
def tables(spark: SparkSession, place: Place) -> Iterator[str]:
    spark.sql(f"CREATE DATABASE of_test_tables LOCATION '{place.root}/managed'")
    yield "of_test_tables"
    spark.sql("DROP DATABASE of_test_tables CASCADE")


@pytest.mark.spark_lines
def test_sql_dataframes_and_streams_share_a_table(spark: SparkSession, place: Place, tables: str) -> None:
    table, copy = f"{tables}.events", f"{tables}.copy"
    for name in (table, copy):
        spark.sql(
            f"CREATE TABLE {name} (id INT, day STRING) USING stoplog OPTIONS (format 'parquet') "
            "PARTITIONED BY (day)"
        )
    spark.sql(f"INSERT INTO {table} VALUES (0, 'a')")
    spark.sql(f"INSERT OVERWRITE {table} VALUES (1, 'a'), (2, 'b')")
    spark.sql("SELECT 3 AS id, 'b' AS day").write.format("stoplog").mode("append").saveAsTable(table)
    spark.sql("SELECT 4 AS id, 'c' AS day").writeTo(table).append()
    assert sorted(row.id for row in spark.table(table).where("day >= 'b'").collect()) == [2, 3, 4]
    writer = spark.readStream.table(table).writeStream.option("checkpointLocation", str(place.checkpoint))
    query = writer.trigger(availableNow=True).toTable(copy)
    query.awaitTermination()
    stoplog.await_finished(query)
    assert sorted(row.id for row in spark.table(copy).collect()) == [1, 2, 3, 4]
    assert sorted(path.name for path in (place.root / "managed/copy").glob("*=*")) == [
        "day=a",
        "day=b",
        "day=c",
    ]


@pytest.mark.spark_lines
def test_a_rejected_table_leaves_no_files(spark: SparkSession, place: Place, tables: str) -> None:
    with pytest.raises(Exception, match="needs its format"):
        spark.sql(f"CREATE TABLE {tables}.events (id INT) USING stoplog")
    rows = spark.sql("SELECT 1 AS id").write.format("stoplog").option("format", "json")
    with pytest.raises(Exception, match="a table cannot be replaced"):
        rows.mode("overwrite").saveAsTable(f"{tables}.events")
    assert spark.sql(f"SHOW TABLES IN {tables}").where("NOT isTemporary").count() == 0
    assert not (place.root / "managed/events").exists()
