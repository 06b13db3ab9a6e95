# SPDX-License-Identifier: Apache-2.0
"""What the sink wrote to a topic the source reads, and values are decoded on their way."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Row

import stoplog
from stoplog.kafka import Decoder, StartPosition

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from servers import KafkaBroker
    from stoplog.kafka import KafkaSourceBuilder

SCHEMA = {
    "type": "record",
    "name": "Order",
    # A schema may have braces, and quotes, where decoders and SQL have theirs.
    "doc": "it's {}",
    "fields": [{"name": "id", "type": "long"}, {"name": "item", "type": ["null", "string"]}],
}
TEXT = json.dumps(SCHEMA)
GOOD = [{"id": 1, "item": "pen"}, {"id": 2, "item": None}]
EARLIEST = StartPosition.earliest()


@pytest.mark.spark_lines
def test_the_source_reads_the_output_of_the_sink(spark: SparkSession, broker: KafkaBroker) -> None:
    if not broker.has_source:
        pytest.skip("Spark's own Kafka module is not published for this line")
    topic = broker.create("round-trip", partitions=1)
    rows = spark.range(3).selectExpr("cast(id as string) as key", "to_json(struct(id)) as value")
    stoplog.KafkaSink.to(broker.servers).with_topic(topic).build().write(rows)
    source = reading(broker, topic).with_value(Decoder.json("id BIGINT"))
    found = source.starting_from(EARLIEST).build().read(spark)
    assert sorted(row.id for row in found.select("value.id").collect()) == [0, 1, 2]
    assert found.columns[:2] == ["key", "value"]
    group = source.starting_from(StartPosition.group("nobody", otherwise="earliest")).build()
    assert group.options()["startingOffsets"] == '{"round-trip":{"0":-2}}'
    assert rejection_of(source.starting_from(StartPosition.group("nobody")).build) == "STOPLOG_KAFKA_GROUP"


@pytest.mark.spark_lines
@pytest.mark.usefixtures("spark")
def test_the_jar_rejects_unknown_options() -> None:
    wrong = stoplog.KafkaSink.to("localhost:9092").with_option("deliver", "twice")
    assert rejection_of(wrong.build) == "STOPLOG_INVALID_OPTIONS"


@pytest.mark.long
def test_avro_values_are_decoded_and_bad_values_are_named_kept_or_null(
    spark: SparkSession, broker: KafkaBroker
) -> None:
    topic = broker.create("avro", partitions=1)
    whole = [encoded(record) for record in GOOD]
    values = [
        ("good", whole[0]),
        ("good", whole[1]),
        ("cut", whole[0][:-2]),
        ("else", b"\xff" * 12),
        ("gone", None),
    ]
    rows = spark.createDataFrame([Row(key=k, value=v) for k, v in values], "key string, value binary")
    stoplog.KafkaSink.to(broker.servers).with_topic(topic).build().write(rows.coalesce(1))

    def read(value: Decoder) -> DataFrame:
        source = reading(broker, topic).with_key(Decoder.string()).with_value(value)
        return source.starting_from(EARLIEST).build().read(spark)

    strict, permissive = Decoder.avro(TEXT), Decoder.avro(TEXT, {"mode": "PERMISSIVE"})
    assert decoded(read(strict).where("key = 'good'")) == GOOD
    with pytest.raises((PySparkException, Py4JError), match="Malformed records"):  # Spark names no condition
        read(strict).collect()
    nothing = {"id": None, "item": None}
    assert decoded(read(permissive)) == [*GOOD, nothing, nothing, None]
    both = Decoder.sql(f"struct({{}} AS bytes, {permissive.of('{}')} AS row)")
    bad = read(both).where("value.bytes IS NOT NULL AND value.row.id IS NULL")
    assert [row.key for row in bad.orderBy("offset").collect()] == ["cut", "else"]
    # As a schema registry's serializer writes them, with five bytes before the record.
    framed = Decoder.sql(strict.of("substring(concat(unhex('0000000001'), {}), 6)"))
    assert decoded(read(framed).where("key = 'good'")) == GOOD


def reading(broker: KafkaBroker, topic: str) -> KafkaSourceBuilder:
    return stoplog.KafkaSource.builder(broker.servers).with_topics(topic)


def encoded(record: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, SCHEMA, record)
    return buffer.getvalue()


def decoded(rows: DataFrame) -> list[dict[str, Any] | None]:
    return [row.value and row.value.asDict() for row in rows.orderBy("offset").collect()]


def rejection_of(build: Callable[[], object]) -> str:
    with pytest.raises(stoplog.InvalidOptions) as rejection:
        build()
    return str(rejection.value.condition)
