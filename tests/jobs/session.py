# SPDX-License-Identifier: Apache-2.0
"""The session of a job, and how the end of its JVM becomes the end of the script."""

from __future__ import annotations

from pyspark.sql import SparkSession

import stoplog
from stoplog.testing._child import halted

__all__ = ["halted", "session"]


def session(job: dict) -> SparkSession:
    builder = SparkSession.builder.master(job["master"])
    for key, value in job["conf"].items():
        builder = builder.config(key, value)
    spark = stoplog.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    return spark
