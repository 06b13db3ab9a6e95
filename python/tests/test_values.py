# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import pickle
from datetime import timedelta
from typing import Any

import pytest

from stoplog import BucketAssigner, DefaultRollingPolicy, Encoder, FileSink, OutputFileConfig, RollingPolicy


def test_custom_classes_are_passed_by_name() -> None:
    assert Encoder.custom("a.B").options() == {"encoder": "a.B"}
    assert BucketAssigner.custom("a.B").options() == {"bucketAssigner": "a.B"}
    assert RollingPolicy.custom("a.B").options() == {"rollingPolicy": "a.B"}


def test_options_of_spark_pass_through_by_sparks_names() -> None:
    assert Encoder.csv(header=True, sep=None, maxColumns=3).options() == {
        "format": "csv",
        "header": "true",
        "maxColumns": "3",
    }


def test_text_is_utf8_only() -> None:
    assert Encoder.simple_string_encoder("utf-8") == Encoder.text()
    with pytest.raises(ValueError, match="latin-1"):
        Encoder.simple_string_encoder("latin-1")


def test_the_builder_and_the_keywords_make_equal_policies() -> None:
    built = (
        DefaultRollingPolicy.builder()
        .with_max_part_size("1g")
        .with_rollover_interval(timedelta(minutes=15))
        .with_inactivity_interval(60_000)
        .with_max_records(10)
        .build()
    )
    assert built == DefaultRollingPolicy("1g", timedelta(minutes=15), 60_000, 10)


def test_pyflinks_way_makes_the_same_policy() -> None:
    policy = RollingPolicy.default_rolling_policy(1024, 60_000, 30_000)
    assert policy == DefaultRollingPolicy(1024, 60_000, 30_000)


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        ("15 min", "15 min"),
        ("5m", "5m"),
        (60_000, "60000ms"),
        (timedelta(milliseconds=1), "1ms"),
        (timedelta(days=1), "86400000ms"),
    ],
)
def test_durations(duration: Any, text: str) -> None:
    assert DefaultRollingPolicy(rollover_interval=duration).options()["rolloverInterval"] == text


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"rollover_interval": timedelta(microseconds=1)}, ValueError),
        ({"rollover_interval": 1.5}, TypeError),
        ({"inactivity_interval": True}, TypeError),
        ({"max_part_size": 1.5}, TypeError),
        ({"max_records": "10"}, TypeError),
    ],
)
def test_a_value_of_a_wrong_type_fails_where_it_is_given(
    arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=next(iter(arguments))):
        DefaultRollingPolicy(**arguments)


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
