# SPDX-License-Identifier: Apache-2.0
"""One batch write of numbers as JSON by Spark's own sink, read again by Spark's own source; no stoplog.

Its one argument is JSON (`support.jobs.Job`). Prints how many numbers it has read, and their sum.
"""

from __future__ import annotations

import json
import sys

from session import halted, session


def main(job: dict) -> None:
    spark = session(job)
    spark.range(job["rows"]).write.json(job["path"])
    found = spark.read.json(job["path"]).selectExpr("count(id)", "sum(id)").first()
    print(*found, flush=True)
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
