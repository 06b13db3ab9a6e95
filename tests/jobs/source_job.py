# SPDX-License-Identifier: Apache-2.0
"""One streaming query from stoplog's source into its sink; its one argument is JSON (`support.jobs.Job`).

Prints `started` when the query runs, then a line of JSON with the source's metrics of its last progress.
"""

from __future__ import annotations

import json
import sys

from session import halted, session


def main(job: dict) -> None:
    spark = session(job)
    rows = spark.readStream.format("stoplog").options(**job["source"]).load(job["input"])
    writer = rows.writeStream.format("stoplog").options(**job["options"])
    query = (
        writer.option("checkpointLocation", job["checkpoint"]).trigger(**job["trigger"]).start(job["path"])
    )
    print("started", flush=True)
    query.awaitTermination()
    progress = query.lastProgress
    print(json.dumps(progress["sources"][0]["metrics"] if progress else None), flush=True)
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
