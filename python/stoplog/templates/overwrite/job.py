# SPDX-License-Identifier: Apache-2.0
"""Computes the sales of one day, and replaces the partition of this day. Other days stay.

usage: python job.py 2026-01-31
"""

from __future__ import annotations

import sys

import settings
from pyspark.sql import SparkSession

import stoplog

SCHEMA = "day STRING, shop STRING, amount DECIMAL(10, 2)"


def read(spark, source, day):
    return spark.read.schema(SCHEMA).json(source).where(f"day = '{day}'")


def shaped(rows):
    """The work of the job: the sum of each shop."""
    return rows.groupBy("day", "shop").agg({"amount": "sum"}).withColumnRenamed("sum(amount)", "amount")


def replace(rows, output, day):
    """Replaces all rows of the day or none, even if the job dies. A row of another day fails the job."""
    sink = (
        stoplog.FileSink.for_bulk_format(output, "parquet")
        .with_partition_by("day")
        .with_replace_where(f"day = '{day}'")
        .build()
    )
    sink.write(rows, mode="overwrite")


def main(day):
    spark = stoplog.configure(SparkSession.builder.appName(settings.NAME)).getOrCreate()
    replace(shaped(read(spark, settings.INPUT, day)), settings.OUTPUT, day)
    spark.read.parquet(settings.OUTPUT).orderBy("day", "shop").show()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python job.py 2026-01-31")
    main(sys.argv[1])
