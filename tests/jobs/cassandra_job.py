# SPDX-License-Identifier: Apache-2.0
"""One streaming query from text files into a table of Cassandra's.

Its one argument is JSON (`support.jobs.Job`). Prints `started` when the query runs, and when it has ended,
behind `found `, the rows of the table as JSON. Ends with 137 if a fault has halted its JVM.
"""

from __future__ import annotations

import json
import sys

from session import halted, session


def main(job: dict) -> None:
    spark = session(job)
    # Each file is a micro-batch of its own: what a later one says of a key is newer.
    rows = (
        spark.readStream.option("maxFilesPerTrigger", job["files"])
        .text(job["input"])
        .selectExpr(*job["select"])
    )
    writer = rows.writeStream.format("stoplog-cassandra").options(**job["options"])
    query = writer.option("checkpointLocation", job["checkpoint"]).trigger(**job["trigger"]).start()
    print("started", flush=True)
    query.awaitTermination()
    where = {key: job["options"][key] for key in ("contactPoints", "keyspace", "table")}
    found = spark.read.format("stoplog-cassandra").options(**where).load()
    print("found", json.dumps(sorted(tuple(row) for row in found.collect())), flush=True)
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
