# SPDX-License-Identifier: Apache-2.0
"""Writes Avro values to a topic and reads them by `stoplog.KafkaSource`; its argument is JSON
(`support.jobs.Job`).

Two values are good, one is cut off, one is something else, one is a tombstone. Prints one line of JSON: what
was read in each way, and what is said when a value cannot be read.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import fastavro
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row
from session import session

import stoplog
from stoplog.kafka import Decoder, StartPosition

SCHEMA = {
    "type": "record",
    "name": "Order",
    # A schema may have braces, and quotes, where decoders and SQL have theirs.
    "doc": "it's {}",
    "fields": [{"name": "id", "type": "long"}, {"name": "item", "type": ["null", "string"]}],
}
TEXT = json.dumps(SCHEMA)
GOOD = ({"id": 1, "item": "pen"}, {"id": 2, "item": None})


def main(job: dict) -> None:
    spark = session(job)
    servers, topic = job["options"]["servers"], job["path"]
    whole = [encoded(record) for record in GOOD]
    values = [
        ("good", whole[0]),
        ("good", whole[1]),
        ("cut", whole[0][:-2]),
        ("else", b"\xff" * 12),
        ("gone", None),
    ]
    rows = spark.createDataFrame(
        [Row(key=key, value=value) for key, value in values], "key string, value binary"
    )
    stoplog.KafkaSink.to(servers).with_topic(topic).build().write(rows.coalesce(1))

    def read(value: Decoder) -> DataFrame:
        source = stoplog.KafkaSource.builder(servers).with_topics(topic).with_key(Decoder.string())
        return source.with_value(value).starting_from(StartPosition.earliest()).build().read(spark)

    strict, permissive = Decoder.avro(TEXT), Decoder.avro(TEXT, {"mode": "PERMISSIVE"})
    both = Decoder.sql(f"struct({{}} AS bytes, {permissive.of('{}')} AS row)")
    # As a schema registry's serializer writes them, with five bytes before the record.
    framed = Decoder.sql(strict.of("substring(concat(unhex('0000000001'), {}), 6)"))
    bad = read(both).where("value.bytes IS NOT NULL AND value.row.id IS NULL")
    answer = {
        "decoded": decoded(read(strict).where("key = 'good'")),
        "refused": refusal(read(strict)),
        "permissive": decoded(read(permissive)),
        "kept": [row.key for row in bad.orderBy("offset").collect()],
        "framed": decoded(read(framed).where("key = 'good'")),
    }
    print(json.dumps(answer), flush=True)
    spark.stop()


def encoded(record: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, SCHEMA, record)
    return buffer.getvalue()


def decoded(rows: DataFrame) -> list[dict[str, Any] | None]:
    return [row.value and row.value.asDict() for row in rows.orderBy("offset").collect()]


def refusal(rows: DataFrame) -> str:
    try:
        rows.collect()
    except (PySparkException, Py4JError) as error:  # Spark's Avro module names no condition
        return str(error)
    return ""


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
