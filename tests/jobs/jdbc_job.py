# SPDX-License-Identifier: Apache-2.0
"""One streaming query from text files into a table; its one argument is JSON (`support.jobs.Job`).

The rows are `id`, the number of the file and of the row in it, and `value`. Prints `started` when the query
runs, then a line of JSON with the metrics of its last progress.
"""

from __future__ import annotations

import json
import sys

from session import halted, session

from stoplog.jdbc import JdbcSink

ROW = ["cast(replace(value, '-', '') AS bigint) AS id", "value"]


def main(job: dict) -> None:
    spark = session(job)
    rows = spark.readStream.option("maxFilesPerTrigger", job["files"]).text(job["input"]).selectExpr(*ROW)
    builder = JdbcSink.for_table(job["path"], job["options"].pop("dbtable"))
    for key, value in job["options"].items():
        builder = builder.with_option(key, value)
    query = builder.build().write_stream(rows, job["checkpoint"]).trigger(**job["trigger"]).start()
    print("started", flush=True)
    query.awaitTermination()
    print(json.dumps(query.lastProgress["sink"]["metrics"] if query.lastProgress else None), flush=True)
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
