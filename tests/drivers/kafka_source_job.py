# SPDX-License-Identifier: Apache-2.0
"""Writes a batch to a topic and reads it by `stoplog.KafkaSource`; its argument is JSON (`support.jobs.Job`).

Prints one line of JSON: what was read, and whether package and jar know the same options.
"""

from __future__ import annotations

import json
import sys

from session import session

import stoplog
from stoplog.kafka import KEYS, Decoder, StartPosition


def main(job: dict) -> None:
    spark = session(job)
    servers, topic = job["options"]["servers"], job["path"]
    rows = spark.range(3).selectExpr("cast(id as string) as key", "to_json(struct(id)) as value")
    stoplog.KafkaSink.to(servers).with_topic(topic).build().write(rows)
    source = stoplog.KafkaSource.builder(servers).with_topics(topic).with_value(Decoder.json("id BIGINT"))
    found = source.starting_from(StartPosition.earliest()).build().read(spark)
    group = source.starting_from(StartPosition.group("nobody", otherwise="earliest")).build()
    jvm = spark.sparkContext._jvm
    answer = {
        "ids": sorted(row.id for row in found.select("value.id").collect()),
        "columns": found.columns,
        "group": group.options()["startingOffsets"],
        "refused": refusals(source, servers),
        "sameKeys": {str(key) for key in jvm.stoplog.kafka.KafkaSink.optionKeys()} == set(KEYS),
    }
    print(json.dumps(answer), flush=True)
    spark.stop()


def refusals(source: stoplog.kafka.KafkaSourceBuilder, servers: str) -> list[str]:
    """The conditions of what the jar refuses."""
    found = []
    for build in (
        stoplog.KafkaSink.to(servers).with_option("deliver", "twice").build,
        source.starting_from(StartPosition.group("nobody")).build,
    ):
        try:
            build()
        except stoplog.InvalidOptions as error:
            found.append(error.condition)
    return found


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
