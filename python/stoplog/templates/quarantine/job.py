# SPDX-License-Identifier: Apache-2.0
"""Reads files of JSON from a landing zone. Good rows go to Parquet, notes of bad bytes to quarantine."""

from __future__ import annotations

import settings
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import stoplog

SCHEMA = "id LONG, page STRING"


def read(spark, landing, quarantine, archive):
    """Skips and notes bytes that are not JSON. Each file moves to the archive when its rows are safe."""
    source = (
        stoplog.FileSource.for_record_stream_format("json", landing)
        .with_quarantine(quarantine)
        .with_clean_source("archive", archive)
        .build()
    )
    return source.read_stream(spark, SCHEMA)


def build(spark, source, output, quarantine, archive):
    """Returns the writer of the query, before its start; the crash test calls it with other directories."""
    return sink(output).write_stream(read(spark, source, quarantine, archive))


def sink(output):
    """Rows that Parquet cannot hold go to output/_rejected."""
    return stoplog.FileSink.for_bulk_format(output, "parquet").with_on_bad_row("reject").build()


def main():
    spark = stoplog.configure(SparkSession.builder.appName(settings.NAME)).getOrCreate()
    writer = build(spark, settings.LANDING, settings.OUTPUT, settings.QUARANTINE, settings.ARCHIVE)
    query = writer.option("checkpointLocation", settings.CHECKPOINT).trigger(availableNow=True).start()
    query.awaitTermination()
    assert stoplog.await_finished(query), "the driver's log has the reason"
    print("Good rows:", spark.read.parquet(settings.OUTPUT).count())
    try:
        spark.read.json(settings.QUARANTINE).show(truncate=60)
    except AnalysisException:  # there is no note yet, and Spark finds no path or no column
        print("Bad lines: none")


if __name__ == "__main__":
    main()
