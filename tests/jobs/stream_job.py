# SPDX-License-Identifier: Apache-2.0
"""One streaming query from text files into stoplog; its one argument is JSON (`support.jobs.Job`).

Prints `started` when the query runs, then a line of JSON with its last progress. Ends with 137 if a fault
has halted its JVM.
"""

from __future__ import annotations

import json
import sys

from session import halted, session


def main(job: dict) -> None:
    spark = session(job)
    rows = (
        spark.readStream.option("maxFilesPerTrigger", job["files"])
        .text(job["input"])
        .selectExpr(*job["select"])
    )
    writer = rows.writeStream.format("stoplog").options(**job["options"])
    query = (
        writer.option("checkpointLocation", job["checkpoint"]).trigger(**job["trigger"]).start(job["path"])
    )
    print("started", flush=True)
    query.awaitTermination()
    print(json.dumps(query.lastProgress["sink"] if query.lastProgress else None), flush=True)
    # The open parts of an ended query are published before the application is gone.
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
