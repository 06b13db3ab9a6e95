# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes import FakeFrame

import stoplog
from stoplog.kafka import KEYS, Decoder, StartPosition

SINK = stoplog.KafkaSink.to("b:9092").with_topic("orders").build()


class FakeDoor:
    """A jar that refuses nothing."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def validate_connector(self, *what: Any) -> None:
        self.asked.append(what)

    def ask_connector(self, *what: Any) -> object:
        self.asked.append(what)
        return '{"orders":{"0":5}}'


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> FakeDoor:
    fake = FakeDoor()
    monkeypatch.setattr("stoplog._checked.find_door", lambda: fake)
    monkeypatch.setattr("stoplog._kafka_source.find_door", lambda: fake)
    monkeypatch.setattr("stoplog._kafka_source.require_door", lambda *_: fake)
    return fake


def test_write_stream_presets_sparks_writer() -> None:
    frame: Any = FakeFrame()
    assert SINK.write_stream(frame, checkpoint_location=Path("/data/checkpoint")) is frame.writeStream
    assert frame.writeStream.calls == [
        ("format", "stoplog-kafka"),
        ("options", {"kafka.bootstrap.servers": "b:9092", "topic": "orders"}),
        ("outputMode", "append"),
        ("option", "checkpointLocation", "/data/checkpoint"),
    ]


def test_every_option_has_a_method() -> None:
    built = (
        stoplog.KafkaSink.to(["a:1", "b:2"])
        .with_topic("t")
        .with_delivery("exactly-once")
        .with_partitioner("com.example.P")
        .with_transaction_timeout(60_000)
        .with_on_lost_transaction("skip")
        .with_transactional_id_prefix("team")
        .with_log_location("/log")
        .with_sink_id("orders")
        .with_on_foreign_query("adopt")
        .build()
    )
    assert set(built.options()) == KEYS
    assert built.options()["transactionTimeout"] == "60000ms"


def test_a_method_called_again_replaces_what_it_set() -> None:
    again = stoplog.KafkaSink.to("b:9092").with_topic("a").with_topic("orders").build()
    assert again == SINK


def test_the_jar_checks_the_options_of_the_sink(door: FakeDoor) -> None:
    stoplog.KafkaSink.to("b:9092").build()
    assert door.asked == [("stoplog.kafka.KafkaSink", "stoplog-kafka", {"kafka.bootstrap.servers": "b:9092"})]


def test_a_group_is_asked_when_the_source_is_built(door: FakeDoor) -> None:
    builder = stoplog.KafkaSource.builder("b:9092").with_topics("orders", "returns")
    source = builder.starting_from(StartPosition.group("billing", otherwise="latest")).build()
    client = {"bootstrap.servers": "b:9092", "isolation.level": "read_committed"}
    assert door.asked == [
        (
            "stoplog.kafka.KafkaSource",
            "stoplog-kafka",
            "groupOffsets",
            client,
            "billing",
            {"subscribe": "orders,returns"},
            "latest",
        )
    ]
    assert source.options()["startingOffsets"] == '{"orders":{"0":5}}'


def test_a_group_needs_a_session() -> None:
    builder = stoplog.KafkaSource.builder("b:9092").with_topics("orders")
    with pytest.raises(stoplog.NoSession):
        builder.starting_from(StartPosition.group("billing")).build()


def test_a_source_reads_committed_records_of_what_was_said_last() -> None:
    builder = stoplog.KafkaSource.builder("b:9092").with_topics("a").with_topic_pattern("b.*")
    options = builder.with_max_offsets_per_trigger(5).with_min_offsets_per_trigger(2, "1m").build().options()
    assert options == {
        "kafka.bootstrap.servers": "b:9092",
        "kafka.isolation.level": "read_committed",
        "includeHeaders": "true",
        "maxOffsetsPerTrigger": "5",
        "minOffsetsPerTrigger": "2",
        "maxTriggerDelay": "1m",
        "subscribePattern": "b.*",
    }


def test_what_is_read_has_to_be_said() -> None:
    with pytest.raises(ValueError, match="with_topics"):
        stoplog.KafkaSource.builder("b:9092").build()


def test_a_quote_in_a_schema_stays_one_text() -> None:
    assert Decoder.json("`it's` INT").of("value") == r"from_json(CAST(value AS STRING), '`it\'s` INT')"


def test_braces_are_the_column_in_an_expression_and_themselves_in_a_schema() -> None:
    assert Decoder.sql("struct({}, {})").of("key") == "struct(key, key)"
    assert Decoder.avro('{"type": {}}').of("key") == """from_avro(key, '{"type": {}}')"""
