# SPDX-License-Identifier: Apache-2.0
"""Reads new files of JSON from a directory, and writes rows to Parquet, each row exactly once."""

from __future__ import annotations

import settings
from pyspark.sql import SparkSession

import stoplog

SCHEMA = "id LONG, at TIMESTAMP, page STRING"


def build(spark, source, output):
    """Returns the writer of the query, before its start; the crash test calls it with other directories."""
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(source)
    return sink(output).write_stream(shaped(rows))


def shaped(rows):
    """The work of the job: keep rows with an id, lower the names of pages, and add the day."""
    return rows.where("id IS NOT NULL").selectExpr("id", "at", "lower(page) AS page", "date(at) AS day")


def sink(output):
    return (
        stoplog.FileSink.for_bulk_format(output, "parquet")
        .with_partition_by("day")
        .with_rolling_policy(stoplog.DefaultRollingPolicy(max_part_size=settings.MAX_PART_SIZE))
        .build()
    )


def main():
    spark = stoplog.configure(SparkSession.builder.appName(settings.NAME)).getOrCreate()
    writer = build(spark, settings.INPUT, settings.OUTPUT)
    query = writer.option("checkpointLocation", settings.CHECKPOINT).trigger(availableNow=True).start()
    query.awaitTermination()
    assert stoplog.await_finished(query), "the driver's log has the reason"
    spark.read.parquet(settings.OUTPUT).groupBy("day", "page").count().orderBy("day", "page").show()


if __name__ == "__main__":
    main()
