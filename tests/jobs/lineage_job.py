# SPDX-License-Identifier: Apache-2.0
"""Reads and writes that OpenLineage's listener observes; its one argument is JSON (`support.jobs.Job`).

The name of each output directory is the name of its query: each query is one case of the test.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from session import halted, session

import stoplog


def main(job: dict) -> None:
    spark = session(job)
    out, more = Path(job["path"]), Path(job["input"]).parent / "more"

    def rows(*paths: str):
        options = {"format": "text", "paths": json.dumps(paths)}
        return spark.read.format("stoplog").options(**options).load()

    def stream():
        return spark.readStream.format("stoplog").option("format", "text").load(job["input"])

    def run(writer, name: str, start) -> None:
        at = writer.option("checkpointLocation", f"{job['checkpoint']}/{name}").trigger(availableNow=True)
        query = start(at)
        query.awaitTermination()
        if name != "to_memory" and name != "each_batch":
            stoplog.await_finished(query)

    def written(batch, _epoch: int) -> None:
        batch.write.format("stoplog").option("format", "json").mode("append").save(str(out / "in_each_batch"))

    for name, mode in (("appended", "append"), ("overwritten", "overwrite")):
        rows(job["input"]).write.format("stoplog").option("format", "parquet").mode(mode).save(
            str(out / name)
        )
    both = rows(f"{job['input']}/*.txt", str(more))
    both.write.format("stoplog").option("format", "orc").mode("append").save(str(out / "two_paths"))

    sink = stream().writeStream.format("stoplog").option("format", "parquet")
    run(sink, "streamed", lambda at: at.start(str(out / "streamed")))
    memory = stream().writeStream.format("memory").queryName("to_memory")
    run(memory, "to_memory", lambda at: at.start())
    run(stream().writeStream.foreachBatch(written), "each_batch", lambda at: at.start())

    spark.sql(
        f"CREATE TABLE events (value STRING) USING stoplog OPTIONS (format 'json') LOCATION '{out}/table'"
    )
    spark.sql("INSERT INTO events VALUES ('a')")
    run(stream().writeStream, "to_table", lambda at: at.toTable("events"))
    spark.table("events").write.format("stoplog").option("format", "csv").mode("append").save(
        str(out / "of_table")
    )
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
