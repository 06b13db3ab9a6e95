# SPDX-License-Identifier: Apache-2.0
"""One batch write of numbers as text into stoplog; its one argument is JSON (`support.jobs.Job`)."""

from __future__ import annotations

import json
import sys

from session import halted, session


def main(job: dict) -> None:
    spark = session(job)
    rows = spark.range(job["rows"]).selectExpr(*job["select"])
    rows.write.format("stoplog").options(**job["options"]).mode(job["mode"]).save(job["path"])
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
