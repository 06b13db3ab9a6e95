# SPDX-License-Identifier: Apache-2.0
"""Reads events from Kafka, and writes them to Parquet by the hour, each event exactly once."""

from __future__ import annotations

import sys

import settings
from pyspark.sql import SparkSession

import stoplog

SCHEMA = "id LONG, at TIMESTAMP, page STRING"


def read(spark):
    """Returns the records of the topic, in the column value."""
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", settings.BROKERS)
        .option("subscribe", settings.TOPIC)
        .option("startingOffsets", "earliest")
        .load()
        .selectExpr("cast(value AS string) AS value")
    )


def shaped(records):
    """The work of the job: decode JSON. A record that is not JSON has no id, and is left out."""
    return (
        records.selectExpr(f"from_json(value, '{SCHEMA}') AS event").select("event.*").where("id IS NOT NULL")
    )


def sink(output):
    """A directory for each hour of the events, such as dt=2026-01-31/hour=10, in UTC."""
    return (
        stoplog.FileSink.for_bulk_format(output, "parquet")
        .with_bucket_assigner(stoplog.BucketAssigner.date_time_bucket_assigner(column="at"))
        .with_rolling_policy(stoplog.DefaultRollingPolicy(max_part_size="128m", rollover_interval="15m"))
        .build()
    )


def main(words):
    builder = SparkSession.builder.appName(settings.NAME).config("spark.jars.packages", settings.PACKAGES)
    spark = stoplog.configure(builder).getOrCreate()
    writer = sink(settings.OUTPUT).write_stream(shaped(read(spark)), settings.CHECKPOINT)
    if "--once" in words:
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        assert stoplog.await_finished(query), "the driver's log has the reason"
        return
    query = writer.trigger(processingTime=settings.INTERVAL).start()
    with stoplog.graceful_stop(query, timeout=25):
        query.awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1:])
