# SPDX-License-Identifier: Apache-2.0
"""Reads changes of customers, and upserts them into a table of PostgreSQL. The newest version wins.

The table: CREATE TABLE customers (id BIGINT PRIMARY KEY, name TEXT, version BIGINT NOT NULL)
"""

from __future__ import annotations

import settings
from pyspark.sql import SparkSession

import stoplog
from stoplog.jdbc import JdbcSink

SCHEMA = "id LONG, name STRING, version LONG"


def build(spark, source, output):
    """Returns the writer of the query, before its start. The rows go to the table, not to output."""
    changes = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(source)
    return sink().write_stream(shaped(changes))


def shaped(changes):
    """The work of the job: keep changes with a key, and trim the names."""
    return changes.where("id IS NOT NULL").selectExpr("id", "trim(name) AS name", "version")


def sink():
    """A row replaces the row with its id if its version is greater, in any order and after any crash."""
    return (
        JdbcSink.for_table(settings.URL, settings.TABLE)
        .with_credentials(settings.USER, settings.PASSWORD)
        .with_upsert("id")
        .with_version_column("version")
        .build()
    )


def session():
    builder = SparkSession.builder.appName(settings.NAME).config("spark.jars.packages", settings.PACKAGES)
    return stoplog.configure(builder).getOrCreate()


def main():
    writer = build(session(), settings.INPUT, "")
    query = writer.option("checkpointLocation", settings.CHECKPOINT).trigger(availableNow=True).start()
    query.awaitTermination()


if __name__ == "__main__":
    main()
