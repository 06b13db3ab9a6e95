# SPDX-License-Identifier: Apache-2.0
"""Functions in Python over Spark Connect: buckets, an encoder and a reader of files.

Its one argument is JSON (`support.jobs.Job`). Prints a line of JSON with what the client saw.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
from connect_session import connect_session

import stoplog


def by_end(batch: pa.RecordBatch) -> list[str]:
    return [row[-1] for row in batch.column("value").to_pylist()]


def upper(batch: pa.RecordBatch) -> bytes:
    return "".join(f"{row}\n" for row in batch.column("value").to_pylist()).upper().encode()


def read(file, part):
    yield pa.table({"value": file.read().decode().split()})


def main(job: dict) -> None:
    spark = connect_session(job)
    lines = stoplog.StreamFormat.from_reader(read, "value string")
    source = stoplog.FileSource.for_record_stream_format(lines, job["input"]).with_max_files_per_trigger(2)
    sink = (
        stoplog.FileSink.for_row_format(job["path"], stoplog.Encoder.from_function(upper, suffix=".up"))
        .with_bucket_assigner(stoplog.BucketAssigner.from_function(by_end))
        .build()
    )
    sink.run_available_now(source.build().read_stream(spark), job["checkpoint"])
    found = [file for file in Path(job["path"]).rglob("part-*") if "_stoplog" not in file.parts]
    seen = {
        "read": len({line for file in found for line in file.read_text().split()}),
        "buckets": len({file.parent.name for file in found}),
        "suffix": sorted({file.suffix for file in found}),
    }
    print(json.dumps(seen), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
