# SPDX-License-Identifier: Apache-2.0
"""What most tests do with Spark, once each: when its JVM ends it archives the classes of all of that."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

import stoplog

FORMATS = ("text", "json", "csv", "parquet", "orc")


def main(folder: Path) -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config(
        "spark.sql.warehouse.dir", str(folder)
    )
    spark = stoplog.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    use(spark, folder)
    gateway = SparkContext._gateway
    spark.stop()
    # The JVM ends with its input, and writes the archive then.
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()


def use(spark: SparkSession, folder: Path) -> None:
    for form in FORMATS:
        made = spark.range(100).selectExpr("concat('row ', id) AS value")
        made.write.format(form).save(str(folder / form))
        rows = spark.readStream.schema("value STRING").format(form).load(str(folder / form))
        copy(spark, rows, folder / "by-spark" / form, form)
    written = spark.readStream.format("stoplog").option("format", "text").load(str(folder / "text"))
    same = udf(lambda value: value, "string")
    copy(spark, written.select(same("value").alias("value")), folder / "by-stoplog", "parquet")
    spark.read.parquet(str(folder / "by-stoplog")).groupBy("value").count().orderBy("value").collect()


def copy(spark: SparkSession, rows, path: Path, form: str) -> None:
    writer = rows.writeStream.format("stoplog").option("format", form).option("bucketAssigner", "basePath")
    checkpointed = writer.option("checkpointLocation", f"{path}-checkpoint")
    query = checkpointed.trigger(availableNow=True).start(str(path))
    query.awaitTermination()
    assert stoplog.await_finished(query, timeout=300).in_time
    spark.read.format("stoplog").option("view", "parts").load(str(path)).collect()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
