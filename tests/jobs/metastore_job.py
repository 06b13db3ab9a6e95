# SPDX-License-Identifier: Apache-2.0
"""Writes two days with stoplog, and announces them to tables of a Hive metastore by the target `catalog`.

Its one argument is JSON (`support.jobs.Job`). Prints a line for each table, with the rows that a new session
reads. With the mode `read`, the job only reads.
"""

from __future__ import annotations

import json
import sys

from session import halted, session

TABLES = {
    "of_spark": "CREATE TABLE of_spark (id BIGINT, day DATE) USING parquet PARTITIONED BY (day) LOCATION",
    "of_hive": "CREATE TABLE of_hive (id BIGINT) PARTITIONED BY (day DATE) STORED AS PARQUET LOCATION",
}


def main(job: dict) -> None:
    spark = session(job)
    if job["mode"] != "read":
        rows = spark.range(4).selectExpr("id", "date_add(DATE '2026-01-31', CAST(id % 2 AS INT)) AS day")
        writer = rows.write.format("stoplog").mode("append")
        writer = writer.option("format", "parquet").option("bucketComplete", "idle 1h")
        writer.partitionBy("day").save(job["path"])
        for name, create in TABLES.items():
            spark.sql(f"{create} '{job['path']}'")
            deliver(spark, job["path"], name, ["2026-01-31", "2026-02-01"])
            deliver(spark, job["path"], name, ["2026-01-31"])
    for name in TABLES:
        found = spark.newSession().table(name).orderBy("id").collect()
        print(name, *(f"{row.id}:{row.day}" for row in found), flush=True)
    spark.stop()


def deliver(spark, path: str, table: str, days: list[str]) -> None:
    jvm = spark._jvm
    target = jvm.stoplog.announce.catalog.CatalogTargets().create("lake", {"table": table})
    target.check()
    announced = [
        {
            "format": 1,
            "log": "main",
            "identity": "7d6f",
            "sequence": 1,
            "number": number,
            "kind": "partition complete",
            "path": path,
            "sinkId": "main",
            "bucket": f"day={day}",
            "decidedAt": "2026-02-01T00:00:00Z",
            "completed": [{"bucket": f"day={day}", "version": 1}],
        }
        for number, day in enumerate(days)
    ]
    parsed = [jvm.stoplog.announce.AnnouncementJson.parse(json.dumps(each)) for each in announced]
    delivery = target.deliver(jvm.scala.jdk.javaapi.CollectionConverters.asScala(parsed).toVector())
    assert delivery.toString() == "Delivered", delivery.toString()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
