# SPDX-License-Identifier: Apache-2.0
"""A stream over Spark Connect, from a client without a JVM of its own to a real server that it starts.

Its one argument is JSON (`support.jobs.Job`). Prints a line of JSON with what the client saw.
"""

from __future__ import annotations

import json
import sys

from connect_session import connect_session

import stoplog


def main(job: dict) -> None:
    spark = connect_session(job)
    source = stoplog.FileSource.for_record_stream_format("text", job["input"])
    rows = source.with_max_files_per_trigger(2).build().read_stream(spark)
    described = stoplog.FileSink.for_row_format(job["path"], "text")
    sink = described.with_option("bucketAssigner", "basePath").build()
    query = (
        sink.write_stream(rows)
        .option("checkpointLocation", job["checkpoint"])
        .option("finalizeOnTermination", "never")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    open_parts = stoplog.open_parts(spark, job["path"]).collect()
    wrong = rows.writeStream.format("stoplog").option("checkpointLocation", job["checkpoint"])
    try:
        wrong.option("maxPartSiz", "1m").start(job["path"])
        rejection = ""
    except Exception as error:
        rejection = str(error)
    batch = spark.range(10).selectExpr("cast(id as string) as value")
    sink.write(batch)
    seen = {
        "open": sum(row.records for row in open_parts),
        "read": source.build().read(spark).count(),
        "refusal": rejection,
    }
    print(json.dumps(seen), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
