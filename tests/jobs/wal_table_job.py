# SPDX-License-Identifier: Apache-2.0
"""One streaming query from text files through a log into a table.

Its one argument is JSON (`support.jobs.Job`), with the options of `format("stoplog-wal")`. Prints `started`
when the query runs. When it has ended, prints behind `found ` the rows of a table of Cassandra's as JSON.
"""

from __future__ import annotations

import json
import sys

from session import halted, session

from stoplog import WriteAheadSink
from stoplog.cassandra import FORMAT
from stoplog.write_ahead import WriteAheadSinkBuilder


def main(job: dict) -> None:
    spark = session(job)
    rows = spark.readStream.option("maxFilesPerTrigger", job["files"]).text(job["input"])
    sink = builder_of(job["options"]).build()
    writer = sink.write_stream(rows.selectExpr(*job["select"]), job["checkpoint"])
    query = writer.trigger(**job["trigger"]).start()
    print("started", flush=True)
    query.awaitTermination()
    if job["options"]["sender"] == "cassandra":
        found = spark.read.format(FORMAT).options(**where(job["options"])).load()
        print("found", json.dumps(sorted(tuple(row) for row in found.collect())), flush=True)
    spark.stop()


def builder_of(options: dict) -> WriteAheadSinkBuilder:
    if options["sender"] == "jdbc":
        builder = WriteAheadSink.to_jdbc(options["jdbc.url"], options["jdbc.dbtable"])
    else:
        builder = WriteAheadSink.to_cassandra(*where(options).values())
    for key, value in options.items():
        if key.partition(".")[2] not in {"", "url", "dbtable", "contactPoints", "keyspace", "table"}:
            builder = builder.with_option(key, value)
    return builder


def where(options: dict) -> dict:
    return {key: options[f"cassandra.{key}"] for key in ("contactPoints", "keyspace", "table")}


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
