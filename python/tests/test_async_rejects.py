# SPDX-License-Identifier: Apache-2.0
"""Rows whose calls fail, time out, or answer in a wrong form: rejected, or the end of the task."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest
from async_frame import PARSED, Frame, mapped, named
from pyspark.sql import Row
from pyspark.sql.types import ArrayType, LongType, MapType, StringType, StructField, StructType

from stoplog._async.result import batches_of
from stoplog.async_io import Retry, async_map
from stoplog.errors import CallFailed


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("quoted \ud83d"), "quoted \\ud83d"),
        (Unspeakable(), "(a Unspeakable that cannot be shown)"),
    ],
)
def test_an_error_without_a_printable_message_is_rejected(error: Exception, message: str) -> None:
    async def fail(row: Any) -> Any:
        raise error

    [row] = mapped(fail, [1], on_bad_row="reject").rows()
    assert row["_rejected"]["message"] == message
    with pytest.raises(CallFailed):
        mapped(fail, [1]).rows()


def test_an_input_row_that_arrow_cannot_encode_is_left_out_of_the_rejected_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_inputs(rows: Any, schema: StructType) -> Any:
        if any(row[-1] is not None and row[-1][-1] is not None for row in rows):
            raise OverflowError("a time of the year 1")
        return batches_of(rows, schema)

    monkeypatch.setattr("stoplog._async.result.batches_of", without_inputs)
    good, rejected = mapped(odd_ones_fail, [2, 1], on_bad_row="reject").rows()
    assert good["id"] == 2
    assert (rejected["_rejected"]["message"], rejected["_rejected"]["row"]) == ("no 1", None)


def test_a_result_row_is_matched_by_column_names() -> None:
    async def swapped(row: Any) -> Any:
        return Row(name="n", id=row.id)

    assert mapped(swapped, [1]).rows() == [{"id": 1, "name": "n"}]


async def odd_ones_fail(row: Any) -> Any:
    if row.id % 2:
        raise OSError(f"no {row.id}")
    return (row.id, "n")


def test_rejected_rows_contain_the_error_and_the_input_row() -> None:
    retry = Retry(max_attempts=2, first_wait_seconds=0)
    rows = mapped(odd_ones_fail, [1, 2], on_bad_row="reject", retry=retry).rows()
    error = {"reason": "error", "type": "OSError", "message": "no 1", "attempts": 2, "row": {"id": 1}}
    assert rows == [{"id": None, "name": None, "_rejected": error}, {"id": 2, "name": "n", "_rejected": None}]


def test_every_column_is_nullable_if_rows_are_rejected() -> None:
    assert not mapped(named).schema["name"].nullable
    assert mapped(named, on_bad_row="reject").schema["name"].nullable


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"id": "text", "name": "n"}, "do not fit the schema"),
        ((1,), "1 values for a schema of 2"),
        ({"id": 1, "nme": "n"}, r"\['nme'\]"),
        (5, "type int"),
    ],
)
def test_a_result_of_another_schema_is_an_error_of_the_row(answer: Any, message: str) -> None:
    async def two_is_odd(row: Any) -> Any:
        return answer if row.id == 2 else (row.id, "n")

    rows = mapped(two_is_odd, [1, 2, 3], on_bad_row="reject").rows()
    assert [row["id"] for row in rows] == [1, None, 3]
    assert rows[1]["_rejected"]["reason"] == "answer"
    with pytest.raises(CallFailed, match=message):
        mapped(two_is_odd, [1, 2, 3]).rows()


BUYER = StructType([StructField("name", StringType()), StructField("mail", StringType())])
NESTED = StructType(
    [
        StructField("id", LongType()),
        StructField("buyer", BUYER),
        StructField("buyers", ArrayType(BUYER)),
        StructField("by_day", MapType(StringType(), ArrayType(BUYER))),
    ]
)


def nested(buyer: Any, *, on_bad_row: Literal["fail", "reject"] = "reject") -> list[dict[str, Any]]:
    """The row of a function that returns the same buyer at each place of the schema."""

    async def buyers(row: Any) -> Any:
        return {"id": row.id, "buyer": buyer, "buyers": [buyer, None], "by_day": {"mon": [buyer]}}

    frame: Any = Frame([1])
    result: Any = async_map(frame, buyers, NESTED, on_bad_row=on_bad_row)
    rows: list[dict[str, Any]] = result.rows()
    return rows


@pytest.mark.parametrize(
    "buyer", [{"name": "ann", "email": "a@b"}, {"name": "ann", "email": "a@b", "mail": "a@b"}, ("ann",)]
)
def test_a_nested_row_of_another_schema_is_an_error_of_the_row(buyer: Any) -> None:
    [row] = nested(buyer)
    assert (row["buyer"], row["_rejected"]["reason"]) == (None, "answer")
    with pytest.raises(CallFailed, match=r"\['email'\], which are not in|1 values for a schema of 2"):
        nested(buyer, on_bad_row="fail")


@pytest.mark.parametrize(
    "buyer", [{"mail": "a@b", "name": "ann"}, ("ann", "a@b"), Row(mail="a@b", name="ann")]
)
def test_a_nested_row_is_matched_by_names_as_a_row(buyer: Any) -> None:
    ann = {"name": "ann", "mail": "a@b"}
    row = {"id": 1, "buyer": ann, "buyers": [ann, None], "by_day": [("mon", [ann])]}
    assert nested(buyer) == [{**row, "_rejected": None}]
    assert nested({"name": "ann"})[0]["buyer"] == {"name": "ann", "mail": None}


async def never(row: Any) -> Any:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("on_bad_row", "on_timeout"), [("reject", None), ("fail", "reject"), ("reject", "reject")]
)
def test_calls_beyond_the_timeout_are_rejected(
    on_bad_row: Literal["fail", "reject"], on_timeout: Literal["reject"] | None
) -> None:
    more = {"on_bad_row": on_bad_row, "on_timeout": on_timeout, "timeout_seconds": 0.001}
    [row] = mapped(never, [1], **more).rows()
    assert (row["_rejected"]["reason"], row["_rejected"]["type"]) == ("timeout", "CallTimeout")


def test_timeouts_may_fail_the_query_although_other_errors_are_rejected() -> None:
    with pytest.raises(CallFailed, match=r"CallTimeout: The call took longer than 0\.001 s"):
        mapped(never, [1], on_bad_row="reject", on_timeout="fail", timeout_seconds=0.001).rows()


def test_a_handler_of_timeouts_keeps_the_schema() -> None:
    result = mapped(never, [1], on_timeout=lambda row: (row.id, "late"), timeout_seconds=0.001)
    assert result.rows() == [{"id": 1, "name": "late"}]
    assert result.schema == PARSED
