# SPDX-License-Identifier: Apache-2.0
"""Files arrive, and a streaming query copies them by stoplog's source and sink, all on one storage.

Its one argument is JSON (`support.jobs.Job`): `rows` is how many rows arrive, in files of a hundred. Prints a
line of JSON: how many rows there are in all of the output, how many of them are different, and how many lines
are left in the input and in the archive.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from session import halted, session

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def main(job: dict) -> None:
    spark = session(job)
    # Each row is another one, whatever has arrived before.
    fresh = spark.range(job["rows"], numPartitions=job["rows"] // 100).selectExpr("uuid() AS value")
    fresh.write.mode("append").text(job["input"])
    rows = spark.readStream.format("stoplog").options(**job["source"]).load(job["input"])
    writer = rows.writeStream.format("stoplog").options(**job["options"])
    query = (
        writer.option("checkpointLocation", job["checkpoint"]).trigger(**job["trigger"]).start(job["path"])
    )
    query.awaitTermination()
    assert stoplog.await_finished(query, timeout=300).in_time
    print(json.dumps(found(spark, job)), flush=True)
    spark.stop()


def found(spark: SparkSession, job: dict) -> dict[str, int]:
    """By Spark's own reader."""
    written = spark.read.text(job["path"])
    archive = job["source"].get("sourceArchiveDir")
    archived = spark.read.option("recursiveFileLookup", "true").text(archive).count() if archive else 0
    return {
        "rows": written.count(),
        "different": written.distinct().count(),
        "left": spark.read.text(job["input"]).count(),
        "archived": archived,
    }


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
