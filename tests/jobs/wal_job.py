# SPDX-License-Identifier: Apache-2.0
"""One streaming query from text files to a web server; its one argument is JSON (`support.jobs.Job`).

The rows are `value`. Prints `started` when the query runs.
"""

from __future__ import annotations

import json
import sys

from session import halted, session

from stoplog import WriteAheadSink


def main(job: dict) -> None:
    spark = session(job)
    rows = spark.readStream.option("maxFilesPerTrigger", job["files"]).text(job["input"])
    retries = job["options"].get("httpRetries", 1)
    sink = WriteAheadSink.to_http(job["path"]).with_batch_rows(7).with_option("httpRetries", retries).build()
    query = sink.write_stream(rows, job["checkpoint"]).trigger(**job["trigger"]).start()
    print("started", flush=True)
    query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
