# SPDX-License-Identifier: Apache-2.0
"""A split source in Python over Spark Connect.

Its one argument is JSON (`support.jobs.Job`). Prints a line of JSON with what the client saw.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
from connect_session import connect_session

import stoplog


class Steps(stoplog.SplitEnumerator):
    def __init__(self, at: int) -> None:
        self.at = at

    def next(self):
        if self.at >= 250:
            return None
        self.at += 50
        return stoplog.Split([self.at - 50, self.at], rows=50)

    def snapshot(self):
        return self.at


class Numbers(stoplog.SplitSource):
    schema = "n bigint"

    def enumerator(self, snapshot):
        return Steps(snapshot or 0)

    def read_split(self, split):
        yield pa.table({"n": list(range(*split.position))})


def main(job: dict) -> None:
    spark = connect_session(job)
    sink = stoplog.FileSink.for_row_format(job["path"], "json").build()
    try:
        progress = sink.run_available_now(Numbers().read_stream(spark, 50), job["checkpoint"])
    except Exception as error:
        seen = {"refused": stoplog.condition_of(error)}
    else:
        found = [file for file in Path(job["path"]).rglob("part-*") if "_stoplog" not in file.parts]
        rows = {json.loads(line)["n"] for file in found for line in file.read_text().splitlines()}
        seen = {"read": len(rows), "batches": progress.batch_id + 1}
    print(json.dumps(seen), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
