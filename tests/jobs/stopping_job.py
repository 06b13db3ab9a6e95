# SPDX-License-Identifier: Apache-2.0
"""A streaming query without an end that stops when its process is told to (`support.jobs.Job`).

Prints the number of the JVM's process when the query runs and may be asked to end, and `ended` once it has.
"""

from __future__ import annotations

import json
import sys

from session import session

import stoplog


def main(job: dict) -> None:
    spark = session(job)
    rows = spark.readStream.option("maxFilesPerTrigger", job["files"]).text(job["input"])
    writer = rows.writeStream.format("stoplog").options(**job["options"])
    query = writer.option("checkpointLocation", job["checkpoint"]).start(job["path"])
    with stoplog.graceful_stop(
        query, timeout=240, finalize=True, marker=job["source"].get("marker"), look_every=0.1
    ):
        # From now on the test that reads this may ask for the end.
        print(spark._jvm.java.lang.ProcessHandle.current().pid(), flush=True)
        query.awaitTermination()
    assert query.exception() is None
    print("ended", flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
