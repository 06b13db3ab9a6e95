# SPDX-License-Identifier: Apache-2.0
"""Overwrites one day of a table by some of Spark's forms; its one argument is JSON (`support.jobs.Job`).

`mode` has the names of the forms. Prints a line of JSON after each: the ids of each day.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from pyspark.sql.functions import col
from session import halted, session

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

DAY = "2026-01-02"
DYNAMIC = "spark.sql.sources.partitionOverwriteMode"


def run(spark: SparkSession, job: dict) -> None:
    table(spark, job["path"])
    for number, form in enumerate(job["mode"].split(",")):
        FORMS[form](spark, rows(spark, job["rows"], 1000 * (number + 1)), job["path"])
        print(json.dumps(days(spark)), flush=True)
    spark.stop()


def table(spark: SparkSession, path: str) -> None:
    """Creates the table `sales` over the files of the path."""
    spark.sql(
        "CREATE TABLE IF NOT EXISTS sales (id BIGINT, day DATE) USING stoplog OPTIONS (format 'parquet') "
        f"PARTITIONED BY (day) LOCATION '{path}'"
    )


def rows(spark: SparkSession, count: int, first: int) -> DataFrame:
    return spark.range(first, first + count).selectExpr("id", f"DATE '{DAY}' AS day")


def days(spark: SparkSession) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in spark.sql("SELECT id, CAST(day AS STRING) AS day FROM sales ORDER BY id").collect():
        found.setdefault(row.day, []).append(row.id)
    return found


def static_insert(spark: SparkSession, again: DataFrame, _: str) -> None:
    again.createOrReplaceTempView("again")
    spark.sql(f"INSERT OVERWRITE sales PARTITION (day = DATE '{DAY}') SELECT id FROM again")


def dynamic_insert(spark: SparkSession, again: DataFrame, _: str) -> None:
    again.createOrReplaceTempView("again")
    dynamically(spark, lambda: spark.sql("INSERT OVERWRITE sales SELECT id, day FROM again"))


def replace_where_insert(spark: SparkSession, again: DataFrame, _: str) -> None:
    again.createOrReplaceTempView("again")
    spark.sql(f"INSERT INTO sales REPLACE WHERE day = DATE '{DAY}' SELECT id, day FROM again")


def overwrite_partitions(_: SparkSession, again: DataFrame, path: str) -> None:
    del path
    again.writeTo("sales").overwritePartitions()


def overwrite_condition(_: SparkSession, again: DataFrame, path: str) -> None:
    del path
    again.writeTo("sales").overwrite(col("day") == DAY)


def insert_into(spark: SparkSession, again: DataFrame, _: str) -> None:
    dynamically(spark, lambda: again.write.insertInto("sales", overwrite=True))


def dynamic_save(_: SparkSession, again: DataFrame, path: str) -> None:
    to_path(again).option("partitionOverwriteMode", "dynamic").mode("overwrite").save(path)


def replace_where_save(_: SparkSession, again: DataFrame, path: str) -> None:
    to_path(again).option("replaceWhere", f"day = '{DAY}'").mode("overwrite").save(path)


def delete(spark: SparkSession, _: DataFrame, path: str) -> None:
    del path
    spark.sql(f"DELETE FROM sales WHERE day = DATE '{DAY}'")


def to_path(again: DataFrame):
    return again.write.format("stoplog").option("format", "parquet").option("partitionBy", "day")


def dynamically(spark: SparkSession, action: Callable[[], object]) -> None:
    spark.conf.set(DYNAMIC, "dynamic")
    try:
        action()
    finally:
        spark.conf.unset(DYNAMIC)


FORMS = {
    "static_insert": static_insert,
    "dynamic_insert": dynamic_insert,
    "replace_where_insert": replace_where_insert,
    "overwrite_partitions": overwrite_partitions,
    "overwrite_condition": overwrite_condition,
    "insert_into": insert_into,
    "dynamic_save": dynamic_save,
    "replace_where_save": replace_where_save,
    "delete": delete,
}


if __name__ == "__main__":
    with halted():
        order = json.loads(sys.argv[1])
        run(session(order), order)
