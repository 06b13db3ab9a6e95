# SPDX-License-Identifier: Apache-2.0
"""The arguments of `async_map` and `async_split`: what they do to a task, and which are refused."""

from __future__ import annotations

from typing import Any

import pytest
from async_frame import PARSED, Frame, mapped, named
from pyspark.sql.types import LongType, StructField, StructType

from stoplog import async_io
from stoplog.async_io import async_map, async_split
from stoplog.errors import BadAnswer


@pytest.mark.parametrize(
    ("more", "partitions"),
    [
        ({}, None),
        ({"max_tasks": 3}, 3),
        ({"max_calls_per_second": 100}, 1),
        ({"max_calls_per_second": 100, "max_tasks": 4}, 4),
    ],
)
def test_a_rate_limit_bounds_the_tasks(more: Any, partitions: int | None) -> None:
    frame = Frame()
    async_map(frame, named, PARSED, **more)  # type: ignore[arg-type]
    assert frame.partitions == partitions


def test_a_function_must_be_asynchronous() -> None:
    with pytest.raises(TypeError, match="async def"):
        mapped(lambda row: row)


@pytest.mark.parametrize(
    "name", ["capacity", "batch_size", "timeout_seconds", "max_calls_per_second", "max_tasks"]
)
@pytest.mark.parametrize("number", [0, -1, float("nan")])
def test_numbers_are_positive(name: str, number: float) -> None:
    with pytest.raises(ValueError, match=name):
        mapped(named, **{name: number})


@pytest.mark.parametrize("name", ["capacity", "batch_size", "max_tasks"])
def test_counts_are_whole_numbers(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 1.5"):
        mapped(named, **{name: 1.5})


def test_a_handler_of_timeouts_is_a_plain_function() -> None:
    with pytest.raises(TypeError, match="on_timeout"):
        mapped(named, on_timeout=named)


@pytest.mark.parametrize("name", ["order", "on_bad_row", "on_timeout"])
def test_unknown_choices_are_rejected(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 'none'"):
        mapped(named, **{name: "none"})


def test_a_result_column_with_the_name_of_the_error_column_is_rejected() -> None:
    schema = StructType([StructField("_rejected", LongType())])
    with pytest.raises(ValueError, match="_rejected"):
        async_map(Frame(), named, schema, on_bad_row="reject")  # type: ignore[arg-type]


def test_only_results_with_rejected_rows_can_be_split() -> None:
    class Plain:
        columns = ("id",)

    with pytest.raises(ValueError, match="on_bad_row"):
        async_split(Plain())  # type: ignore[arg-type]


def test_errors_are_subclasses_of_pythons_errors() -> None:
    assert issubclass(async_io.CallTimeout, TimeoutError)
    assert issubclass(BadAnswer, TypeError)
