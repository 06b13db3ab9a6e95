# SPDX-License-Identifier: Apache-2.0
"""A whole task without Spark: Arrow in, calls on a real event loop, Arrow out."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyspark.sql import Row
from pyspark.sql.types import LongType, StringType, StructField, StructType

from stoplog import async_io
from stoplog._async.result import BATCH_ROWS, CallFailed
from stoplog._async.rows import batches_of
from stoplog.async_io import BadAnswer, Retry, async_map, async_split

SCHEMA = "id bigint, name string"
PARSED = StructType([StructField("id", LongType()), StructField("name", StringType(), False)])
INPUT = StructType([StructField("id", LongType())])


class Frame:
    """As much of a DataFrame as async_map asks for; runs the task at once."""

    def __init__(self, *batches: list[int]) -> None:
        self.schema = INPUT
        self.partitions: int | None = None
        self._batches = [pa.RecordBatch.from_pydict({"id": pa.array(ids, pa.int64())}) for ids in batches]

    def coalesce(self, partitions: int) -> Frame:
        self.partitions = partitions
        return self

    def mapInArrow(self, function: Any, schema: StructType) -> Result:
        return Result(function(iter(self._batches)), schema)


class Result:
    def __init__(self, batches: Iterator[pa.RecordBatch], schema: StructType) -> None:
        self.batches = batches
        self.schema = schema

    def rows(self) -> list[dict[str, Any]]:
        return [row for batch in self.batches for row in batch.to_pylist()]


def mapped(fn: Any, *batches: list[int], **more: Any) -> Result:
    result: Any = async_map(Frame(*batches), fn, PARSED, **more)  # type: ignore[arg-type]
    assert isinstance(result, Result)
    return result


async def named(row: Any) -> Any:
    return (row.id, f"n{row.id}")


class Client:
    """A client session that is made once per task."""

    def __init__(self) -> None:
        self.events: list[str] = []

    async def open(self) -> None:
        self.events.append(f"open on {threading.current_thread().name}")

    async def close(self) -> None:
        self.events.append("close")

    async def __call__(self, row: Any) -> Any:
        self.events.append("call")
        if row.id < 0:
            raise OSError("no such id")
        return (row.id, "n")


def test_rows_of_all_batches_come_out_in_order() -> None:
    ids = [*range(2500)]
    rows = mapped(named, ids[:1000], [], ids[1000:], capacity=7).rows()
    assert rows == [{"id": id, "name": f"n{id}"} for id in ids]


def test_a_result_is_given_on_in_batches() -> None:
    sizes = [batch.num_rows for batch in mapped(named, [*range(2500)]).batches]
    assert sizes == [BATCH_ROWS, BATCH_ROWS, 500]


def test_no_rows_give_no_rows() -> None:
    assert mapped(named).rows() == []
    assert mapped(named, []).rows() == []


def test_a_row_may_have_no_result_or_many() -> None:
    async def repeated(row: Any) -> Any:
        return [{"id": row.id, "name": str(n)} for n in range(row.id)] if row.id else None

    assert [(r["id"], r["name"]) for r in mapped(repeated, [2, 0, 1]).rows()] == [
        (2, "0"),
        (2, "1"),
        (1, "0"),
    ]


def test_a_batch_is_called_with_rows_in_order() -> None:
    sizes: list[int] = []

    async def batch(rows: list[Any]) -> list[Any]:
        sizes.append(len(rows))
        return [(row.id, None if row.id < 0 else "n") for row in rows]

    assert len(mapped(batch, [*range(10)], [*range(4)], batch_size=4).rows()) == 14
    assert sorted(sizes) == [2, 4, 4, 4]


def test_twice_as_many_calls_as_capacity_are_held_while_the_first_is_slow() -> None:
    begun: list[int] = []
    begun_at_first_end: list[int] = []
    fourth = asyncio.Event()

    async def slow_first(row: Any) -> Any:
        begun.append(row.id)
        if row.id == 3:
            fourth.set()
        if row.id == 0:
            await fourth.wait()
            begun_at_first_end.extend(begun)
        return (row.id, "n")

    once = Retry(max_attempts=1)
    rows = mapped(slow_first, [*range(9)], capacity=2, retry=once, timeout_seconds=5).rows()
    assert begun_at_first_end == [0, 1, 2, 3]
    assert [row["id"] for row in rows] == [*range(9)]


def test_a_client_is_opened_and_closed_once_per_task() -> None:
    client = Client()
    mapped(client, [1, 2, 3]).rows()
    assert client.events == ["open on stoplog-async", "call", "call", "call", "close"]


def test_a_client_is_closed_when_a_call_fails() -> None:
    client = Client()
    with pytest.raises(CallFailed, match="OSError: no such id"):
        mapped(client, [1, -1]).rows()
    assert client.events[-1] == "close"


def test_a_client_is_closed_when_nobody_wants_the_rest() -> None:
    client = Client()
    result = mapped(client, [*range(BATCH_ROWS + 1)])
    next(result.batches)
    result.batches.close()  # type: ignore[attr-defined]
    assert client.events[-1] == "close"


def test_a_client_that_cannot_be_opened_ends_the_task() -> None:
    class Broken(Client):
        async def open(self) -> None:
            raise ConnectionError("no route")

    client = Broken()
    with pytest.raises(ConnectionError, match="no route"):
        mapped(client, [1]).rows()
    assert client.events == []


def test_calls_in_flight_are_cancelled_when_one_fails() -> None:
    cancelled: list[int] = []

    async def one_fails(row: Any) -> Any:
        if row.id == 3:
            raise OSError("broken")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(row.id)
            raise

    with pytest.raises(CallFailed, match="broken"):
        mapped(one_fails, [1, 2, 3], order="unordered").rows()
    assert sorted(cancelled) == [1, 2]


def test_a_call_that_ends_the_loop_ends_the_task() -> None:
    async def leave(row: Any) -> Any:
        sys.exit(3)

    with pytest.raises(RuntimeError, match="SystemExit"):
        mapped(leave, [1]).rows()


@pytest.mark.parametrize("method", ["open", "close"])
def test_a_client_that_ends_the_loop_ends_the_task(method: str) -> None:
    class Leaving(Client):
        pass

    async def leave(self: Any) -> None:
        sys.exit(3)

    setattr(Leaving, method, leave)
    with pytest.raises(RuntimeError, match="SystemExit"):
        mapped(Leaving(), [1]).rows()


def test_a_client_may_be_opened_and_closed_by_plain_methods() -> None:
    class Plain:
        opened = False

        def open(self) -> None:
            self.opened = True

        def close(self) -> None:
            self.opened = False

        async def __call__(self, row: Any) -> Any:
            return (row.id, str(self.opened))

    client = Plain()
    assert mapped(client, [1]).rows() == [{"id": 1, "name": "True"}]
    assert not client.opened


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not tell who was cancelled")
@pytest.mark.parametrize("timeout_seconds", [None, 60])
def test_a_call_whose_own_work_was_cancelled_has_failed(timeout_seconds: float | None) -> None:
    async def cancelled(row: Any) -> Any:
        if row.id == 2:
            raise asyncio.CancelledError
        return (row.id, "n")

    more: Any = {"on_error": "reject", "timeout_seconds": timeout_seconds}
    rows = mapped(cancelled, [1, 2, 3], **more).rows()
    assert [row["id"] for row in rows] == [1, None, 3]
    assert rows[1]["_error"]["message"] == "The call was cancelled from within."


def test_a_call_that_cancels_itself_ends_the_task() -> None:
    async def cancel(row: Any) -> Any:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="cancelled"):
        mapped(cancel, [1]).rows()


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
def test_an_error_that_cannot_be_shown_is_rejected_like_others(error: Exception, message: str) -> None:
    async def fail(row: Any) -> Any:
        raise error

    [row] = mapped(fail, [1], on_error="reject").rows()
    assert row["_error"]["message"] == message
    with pytest.raises(CallFailed):
        mapped(fail, [1]).rows()


def test_a_row_that_python_cannot_write_is_rejected_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_inputs(rows: Any, schema: StructType) -> Any:
        if any(row[-1] is not None and row[-1][-1] is not None for row in rows):
            raise OverflowError("a time of the year 1")
        return batches_of(rows, schema)

    monkeypatch.setattr("stoplog._async.result.batches_of", without_inputs)
    good, rejected = mapped(odd_ones_fail, [2, 1], on_error="reject").rows()
    assert good["id"] == 2
    assert (rejected["_error"]["message"], rejected["_error"]["row"]) == ("no 1", None)


def test_a_row_with_names_in_another_order_is_taken_by_its_names() -> None:
    async def swapped(row: Any) -> Any:
        return Row(name="n", id=row.id)

    assert mapped(swapped, [1]).rows() == [{"id": 1, "name": "n"}]


async def odd_ones_fail(row: Any) -> Any:
    if row.id % 2:
        raise OSError(f"no {row.id}")
    return (row.id, "n")


def test_rejected_rows_have_their_error_and_the_row() -> None:
    retry = Retry(max_attempts=2, first_wait_seconds=0)
    rows = mapped(odd_ones_fail, [1, 2], on_error="reject", retry=retry).rows()
    error = {"reason": "error", "type": "OSError", "message": "no 1", "attempts": 2, "row": {"id": 1}}
    assert rows == [{"id": None, "name": None, "_error": error}, {"id": 2, "name": "n", "_error": None}]


def test_every_column_can_be_null_where_rows_are_rejected() -> None:
    assert not mapped(named).schema["name"].nullable
    assert mapped(named, on_error="reject").schema["name"].nullable


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"id": "text", "name": "n"}, "do not fit the schema"),
        ((1,), "1 values for a schema of 2"),
        ({"id": 1, "nme": "n"}, r"\['nme'\]"),
        (5, "type int"),
    ],
)
def test_an_answer_that_does_not_fit_is_an_error_of_its_row(answer: Any, message: str) -> None:
    async def two_is_odd(row: Any) -> Any:
        return answer if row.id == 2 else (row.id, "n")

    rows = mapped(two_is_odd, [1, 2, 3], on_error="reject").rows()
    assert [row["id"] for row in rows] == [1, None, 3]
    assert rows[1]["_error"]["reason"] == "answer"
    with pytest.raises(CallFailed, match=message):
        mapped(two_is_odd, [1, 2, 3]).rows()


async def never(row: Any) -> Any:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("on_error", "on_timeout"), [("reject", None), ("fail", "reject"), ("reject", "reject")]
)
def test_calls_that_time_out_are_rejected(
    on_error: Literal["fail", "reject"], on_timeout: Literal["reject"] | None
) -> None:
    more = {"on_error": on_error, "on_timeout": on_timeout, "timeout_seconds": 0.001}
    [row] = mapped(never, [1], **more).rows()
    assert (row["_error"]["reason"], row["_error"]["type"]) == ("timeout", "CallTimeout")


def test_calls_that_time_out_may_fail_where_others_are_rejected() -> None:
    with pytest.raises(CallFailed, match=r"CallTimeout: The call took longer than 0\.001 s"):
        mapped(never, [1], on_error="reject", on_timeout="fail", timeout_seconds=0.001).rows()


def test_a_handler_of_timeouts_leaves_the_schema_as_it_is() -> None:
    result = mapped(never, [1], on_timeout=lambda row: (row.id, "late"), timeout_seconds=0.001)
    assert result.rows() == [{"id": 1, "name": "late"}]
    assert result.schema == PARSED


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


@pytest.mark.parametrize("name", ["order", "on_error", "on_timeout"])
def test_words_that_are_no_choice_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 'none'"):
        mapped(named, **{name: "none"})


def test_the_name_of_the_error_column_is_taken() -> None:
    schema = StructType([StructField("_error", LongType())])
    with pytest.raises(ValueError, match="_error"):
        async_map(Frame(), named, schema, on_error="reject")  # type: ignore[arg-type]


def test_only_results_with_rejected_rows_can_be_split() -> None:
    class Plain:
        columns = ("id",)

    with pytest.raises(ValueError, match="on_error"):
        async_split(Plain())  # type: ignore[arg-type]


def test_what_went_wrong_can_be_caught_by_name() -> None:
    assert issubclass(async_io.CallTimeout, TimeoutError)
    assert issubclass(BadAnswer, TypeError)
