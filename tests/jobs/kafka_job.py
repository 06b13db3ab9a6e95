# SPDX-License-Identifier: Apache-2.0
"""One streaming query from text files into a topic; its one argument is JSON (`support.jobs.Job`).

Prints `started` when the query runs, then a line of JSON with its last progress. Ends with 137 if a fault
has halted its JVM.
"""

from __future__ import annotations

import json
import sys

from session import halted, session

import stoplog


def main(job: dict) -> None:
    spark = session(job)
    rows = (
        spark.readStream.option("maxFilesPerTrigger", job["files"])
        .text(job["input"])
        .selectExpr(*job["select"])
    )
    builder = stoplog.KafkaSink.to(job["options"]["servers"]).with_topic(job["path"])
    sink = builder.with_delivery(job["options"].get("delivery", "exactly-once")).build()
    query = sink.write_stream(rows, job["checkpoint"]).trigger(**job["trigger"]).start()
    print("started", flush=True)
    query.awaitTermination()
    print(json.dumps(query.lastProgress["sink"] if query.lastProgress else None), flush=True)
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
