# SPDX-License-Identifier: Apache-2.0
"""Prints the error of a sink in Python where the operator forbids it, although the session allows it."""

from __future__ import annotations

import json
import sys

from session import halted, session
from two_phase_job import SlowFiles


def main(job: dict) -> None:
    spark = session(job)
    spark.conf.set("spark.datasource.stoplog.spark.stoplog.pythonOnDriver", "true")
    rows = spark.readStream.text(job["input"])
    try:
        SlowFiles(job["path"]).write_stream(rows, job["checkpoint"]).trigger(
            availableNow=True
        ).start().awaitTermination()
    except Exception as error:
        print(str(error).splitlines()[0])
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
