"""The session of a driver script, and how the end of its JVM becomes the end of the script."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import SparkContext
from pyspark.sql import SparkSession

import stoplog

_LAST_BREATH_SECONDS = 5


def session(job: dict) -> SparkSession:
    builder = SparkSession.builder.master(job["master"])
    for key, value in job["conf"].items():
        builder = builder.config(key, value)
    spark = stoplog.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    return spark


@contextmanager
def halted() -> Iterator[None]:
    """An error because the JVM is gone ends the script with the JVM's exit code; any other is raised."""
    try:
        yield
    except Exception:
        try:
            code = SparkContext._gateway.proc.wait(_LAST_BREATH_SECONDS)
        except subprocess.TimeoutExpired:
            code = 0
        if code == 0:
            raise
        sys.exit(code)
