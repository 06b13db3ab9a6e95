# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from fakes import FakeSession

import stoplog
from stoplog.kafka import Decoder, KafkaSourceBuilder, StartPosition


class FakeBridge:
    """A jar that refuses nothing."""

    def __init__(self) -> None:
        self.requested: list[tuple[Any, ...]] = []

    def ask_connector(self, *what: Any) -> object:
        self.requested.append(what)
        return '{"orders":{"0":5}}'


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake = FakeBridge()
    monkeypatch.setattr("stoplog.kafka.source.find_bridge", lambda: fake)
    monkeypatch.setattr("stoplog.kafka.source.require_bridge", lambda *_: fake)
    return fake


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (StartPosition.earliest(), {"startingOffsets": "earliest"}),
        (StartPosition.latest(), {"startingOffsets": "latest"}),
        (StartPosition.offsets({"orders": {0: 23}}), {"startingOffsets": '{"orders": {"0": 23}}'}),
        (
            # Without the strategy a query fails where no record of a partition is as young.
            StartPosition.timestamp(2000),
            {"startingTimestamp": "2000", "startingOffsetsByTimestampStrategy": "latest"},
        ),
        (
            StartPosition.timestamp(datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
            {"startingTimestamp": "0", "startingOffsetsByTimestampStrategy": "latest"},
        ),
    ],
)
def test_a_source_starts_at_the_given_position(position: StartPosition, expected: dict[str, str]) -> None:
    source = stoplog.KafkaSource.builder("b:9092").with_topics("orders").starting_from(position).build()
    assert {key: value for key, value in source.options().items() if key.startswith("starting")} == expected


BUILDER = stoplog.KafkaSource.builder("b:9092").with_topics("orders")


@pytest.mark.parametrize(
    ("builder", "message"),
    [
        (
            BUILDER.starting_from(StartPosition.earliest()).with_option("startingoffsets", "latest"),
            "an option has two values: startingoffsets is 'latest' and 'earliest'",
        ),
        (BUILDER.with_option("subscribe", "returns"), "subscribe is 'returns' and 'orders'"),
        (
            BUILDER.starting_from(StartPosition.timestamp(2000)).with_option("startingOffsets", "latest"),
            "startingOffsets and starting_from: a source has one start; remove one of the two.",
        ),
        (
            BUILDER.with_option("startingTimestamp", 3).starting_from(StartPosition.latest()),
            "startingTimestamp and starting_from: a source has one start; remove one of the two.",
        ),
    ],
)
def test_an_option_does_not_replace_a_method(builder: KafkaSourceBuilder, message: str) -> None:
    with pytest.raises(stoplog.InvalidOptions) as raised:
        builder.build()
    assert message in str(raised.value)


def test_an_option_replaces_a_default_in_any_spelling() -> None:
    built = BUILDER.with_option("INCLUDEHEADERS", False).with_option("startingOffsets", "earliest").build()
    options = {key.lower(): value for key, value in built.options().items()}
    assert (options["includeheaders"], options["startingoffsets"]) == ("false", "earliest")
    assert len(options) == len(built.options())


def test_offsets_of_a_group_are_read_when_the_source_is_built(bridge: FakeBridge) -> None:
    builder = stoplog.KafkaSource.builder("b:9092").with_topics("orders", "returns")
    source = builder.starting_from(StartPosition.group("billing", otherwise="latest")).build()
    client = {"bootstrap.servers": "b:9092", "isolation.level": "read_committed"}
    assert bridge.requested == [
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


def test_a_group_must_have_an_offset_of_every_partition_by_default(bridge: FakeBridge) -> None:
    builder = stoplog.KafkaSource.builder("b:9092").with_topics("orders").with_option("failOnDataLoss", False)
    builder.starting_from(StartPosition.group("billing")).build()
    assert StartPosition.group("billing").options == ()
    client, group, topics, otherwise = bridge.requested[0][3:]
    assert (client["bootstrap.servers"], "failOnDataLoss" in client) == ("b:9092", False)
    assert (group, topics, otherwise) == ("billing", {"subscribe": "orders"}, "fail")


def test_reading_a_source_requires_the_kafka_module_of_spark(bridge: FakeBridge) -> None:
    session: Any = FakeSession()
    source = stoplog.KafkaSource.builder("b:9092").with_topics("orders").build()
    source.read(session)
    source.read_stream(session)
    assert bridge.requested == [("stoplog.kafka.KafkaSource", "stoplog-kafka", "requireSpark")] * 2


def test_a_group_needs_a_session() -> None:
    builder = stoplog.KafkaSource.builder("b:9092").with_topics("orders")
    with pytest.raises(stoplog.NoSession):
        builder.starting_from(StartPosition.group("billing")).build()


def test_offsets_of_a_group_are_not_read_on_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoplog._jvm.bridge.is_connect", lambda: True)
    builder = stoplog.KafkaSource.builder("b:9092").with_topics("orders")
    with pytest.raises(stoplog.ConnectUnsupported, match=r"StartPosition\.group.*StartPosition\.offsets"):
        builder.starting_from(StartPosition.group("billing")).build()


def test_latest_offsets_and_binary_values_are_the_defaults_of_spark() -> None:
    assert StartPosition.latest() == StartPosition((("startingOffsets", "latest"),))
    assert Decoder.binary().of("key") == "key"


def test_a_source_without_topics_is_rejected() -> None:
    with pytest.raises(ValueError, match="with_topics"):
        stoplog.KafkaSource.builder("b:9092").build()
