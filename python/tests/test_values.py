# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import pickle
from datetime import timedelta
from typing import Any

import pytest

from stoplog import (
    BucketAssigner,
    BulkFormat,
    DefaultRollingPolicy,
    Encoder,
    FileSink,
    OutputFileConfig,
    RollingPolicy,
    SinkDirectory,
    StreamFormat,
)


def test_custom_classes_are_passed_by_name() -> None:
    assert Encoder.custom("a.B").options() == {"format": "a.B"}
    assert BucketAssigner.custom("a.B").options() == {"bucketAssigner": "a.B"}
    assert RollingPolicy.custom("a.B").options() == {"rollingPolicy": "a.B"}


def test_options_of_spark_pass_through_by_sparks_names() -> None:
    assert Encoder.csv(header=True, sep=None, maxColumns=3).options() == {
        "format": "csv",
        "header": "true",
        "maxColumns": "3",
    }


def test_text_is_utf8_only() -> None:
    with pytest.raises(ValueError, match="latin-1"):
        Encoder.simple_string_encoder("latin-1")


def test_the_builder_and_the_keywords_make_equal_policies() -> None:
    built = (
        DefaultRollingPolicy.builder()
        .with_max_part_size("1g")
        .with_rollover_interval(timedelta(minutes=15))
        .with_inactivity_interval(60_000)
        .with_max_records(10)
        .with_event_time_interval("1h")
        .build()
    )
    assert built == DefaultRollingPolicy("1g", timedelta(minutes=15), 60_000, 10, "1h")


def test_the_signature_of_pyflink_makes_the_same_policy() -> None:
    policy = RollingPolicy.default_rolling_policy(1024, 60_000, 30_000)
    assert policy == DefaultRollingPolicy(1024, 60_000, 30_000)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"rollover_interval": timedelta(microseconds=1)}, ValueError),
        ({"rollover_interval": 5}, ValueError),
        ({"inactivity_interval": 999}, ValueError),
        ({"max_part_size": 128}, ValueError),
        ({"rollover_interval": 1.5}, TypeError),
        ({"inactivity_interval": True}, TypeError),
        ({"max_part_size": 1.5}, TypeError),
        ({"max_records": "10"}, TypeError),
        ({"event_time_interval": 3.5}, TypeError),
    ],
)
def test_a_value_of_a_wrong_type_fails_in_the_constructor(
    arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=next(iter(arguments))):
        DefaultRollingPolicy(**arguments)


def test_a_suspiciously_small_number_is_rejected_with_the_unit() -> None:
    with pytest.raises(ValueError, match=r"5 is 5 milliseconds: write '5s' or timedelta\(seconds=5\)"):
        DefaultRollingPolicy(rollover_interval=5)
    with pytest.raises(ValueError, match="delay=30 is 30 milliseconds: write '30s'"):
        FileSink.for_row_format("/data/out", "json").with_bucket_complete("idle", 30)
    with pytest.raises(ValueError, match="to=64 is 64 bytes: write '64m'"):
        FileSink.for_row_format("/data/out", "json").with_compaction(to=64)
    assert DefaultRollingPolicy(rollover_interval="5ms").options()["rolloverInterval"] == "5ms"
    assert DefaultRollingPolicy(rollover_interval=1000).options()["rolloverInterval"] == "1000ms"
    assert DefaultRollingPolicy(max_part_size=1024).options()["maxPartSize"] == "1024"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Encoder.csv(header=True), "Encoder(format='csv', header='true')"),
        (BulkFormat.parquet(), "BulkFormat(format='parquet')"),
        (BucketAssigner.base_path_bucket_assigner(), "BucketAssigner(bucketAssigner='basePath')"),
        (StreamFormat.json(mode="FAILFAST"), "StreamFormat(format='json', mode='FAILFAST')"),
        (SinkDirectory("/data/out"), "SinkDirectory('/data/out')"),
    ],
)
def test_values_have_a_readable_representation(value: Any, shown: str) -> None:
    assert repr(value) == shown


def values() -> list[Any]:
    return [
        Encoder.json(),
        BucketAssigner.base_path_bucket_assigner(),
        DefaultRollingPolicy(max_part_size="1m"),
        OutputFileConfig(part_prefix="x"),
        FileSink.for_row_format("/data/out", "json"),
        FileSink.for_row_format("/data/out", "json").build(),
    ]


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
def test_values_are_frozen_hashable_and_picklable(value: Any) -> None:
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        setattr(value, dataclasses.fields(value)[0].name, None)
    assert pickle.loads(pickle.dumps(value)) == value
    assert hash(value) == hash(pickle.loads(pickle.dumps(value)))
