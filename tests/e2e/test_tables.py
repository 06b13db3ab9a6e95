# SPDX-License-Identifier: Apache-2.0
"""Tables of Spark's session catalog, on each line of Spark."""

from __future__ import annotations

import re
from pathlib import Path
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


def test_the_statements_of_the_recipe_for_dbt_run(spark: SparkSession, place: Place, tables: str) -> None:
    day = "DATE '2026-01-31'"
    rows = spark.sql(f"SELECT CAST(1 AS DECIMAL(10, 2)) AS amount, 'north' AS shop, {day} AS day")
    (place.root / "data").mkdir(parents=True)
    rows.write.partitionBy("day").parquet(str(place.root / "data" / "events"))
    page = (Path(__file__).resolve().parents[2] / "docs/recipes/dbt.md").read_text(encoding="utf-8")
    statements = re.findall(r"^```sql\n(.*?);\n```$", page, re.DOTALL | re.MULTILINE)
    assert len(statements) == 4
    spark.sql(f"USE {tables}")
    try:
        rows.createOrReplaceTempView("sales_of_the_day")
        for _ in range(2):
            for statement in statements:
                own = statement.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")
                spark.sql(own.replace("'/data/", f"'{place.root}/data/"))
        spark.sql("ALTER TABLE events RECOVER PARTITIONS")
        for table in ("events", "landing", "sales"):
            assert [row.shop for row in spark.table(table).collect()] == ["north"], table
    finally:
        spark.sql("USE default")


@pytest.mark.spark_lines
def test_a_rejected_table_leaves_no_files(spark: SparkSession, place: Place, tables: str) -> None:
    with pytest.raises(Exception, match="needs its format"):
        spark.sql(f"CREATE TABLE {tables}.events (id INT) USING stoplog")
    rows = spark.sql("SELECT 1 AS id").write.format("stoplog").option("format", "json")
    with pytest.raises(Exception, match="a table cannot be replaced"):
        rows.mode("overwrite").saveAsTable(f"{tables}.events")
    assert spark.sql(f"SHOW TABLES IN {tables}").where("NOT isTemporary").count() == 0
    assert not (place.root / "managed/events").exists()
