# SPDX-License-Identifier: Apache-2.0
"""Stream flights into a directory for each departure hour. Start it again after a crash: it goes on.

usage: job.py INPUT OUTPUT CHECKPOINT
"""

from __future__ import annotations

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import stoplog

SCHEMA = """year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT,
    sched_arr_time INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
    air_time INT, distance INT, hour INT, minute INT, time_hour TIMESTAMP"""


def main(input_path: str, output_path: str, checkpoint: str) -> None:
    spark = stoplog.configure(local_session()).getOrCreate()
    sink = (
        stoplog.FileSink.for_row_format(output_path, stoplog.Encoder.json())
        .with_partition_by("hour")
        .with_rolling_policy(stoplog.DefaultRollingPolicy(max_part_size="2m"))
        .build()
    )
    query = sink.write_stream(flights(spark, input_path), checkpoint).trigger(availableNow=True).start()
    stoplog.follow(query, every=2.0)
    query.awaitTermination()  # raises if the query failed
    stoplog.await_finished(query)  # the last parts are closed and visible now


def flights(spark: SparkSession, input_path: str) -> DataFrame:
    """The scheduled hour of departure is a directory, and the column `hour` is not repeated in the rows."""
    rows = spark.readStream.schema(SCHEMA).option("nullValue", "NA").option("maxFilesPerTrigger", 2)
    return rows.csv(input_path).withColumn("hour", F.format_string("%02d", "hour"))


def local_session() -> SparkSession.Builder:
    return (
        SparkSession.builder.master("local[2]")
        .appName("flights")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
