# SPDX-License-Identifier: Apache-2.0
"""A whole task without Spark: Arrow in, calls on a real event loop, Arrow out."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from typing import Any

import pytest
from async_frame import Client, mapped, named

from stoplog._async.result import BATCH_ROWS
from stoplog.async_io import Retry
from stoplog.errors import CallFailed


def test_rows_of_all_batches_keep_the_order() -> None:
    ids = [*range(2500)]
    rows = mapped(named, ids[:1000], [], ids[1000:], capacity=7).rows()
    assert rows == [{"id": id, "name": f"n{id}"} for id in ids]


def test_results_are_returned_in_batches() -> None:
    sizes = [batch.num_rows for batch in mapped(named, [*range(2500)]).batches]
    assert sizes == [BATCH_ROWS, BATCH_ROWS, 500]


def test_an_empty_input_has_an_empty_result() -> None:
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


def test_a_slow_first_call_holds_up_to_twice_the_capacity_of_calls() -> None:
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


def test_a_client_is_closed_when_the_result_is_closed_early() -> None:
    client = Client()
    result = mapped(client, [*range(BATCH_ROWS + 1)])
    next(result.batches)
    result.batches.close()  # type: ignore[attr-defined]
    assert client.events[-1] == "close"


def test_a_failure_to_open_a_client_ends_the_task() -> None:
    class Broken(Client):
        async def open(self) -> None:
            raise ConnectionError("no route")

    client = Broken()
    with pytest.raises(ConnectionError, match="no route"):
        mapped(client, [1]).rows()
    assert client.events == []


def test_calls_in_flight_are_cancelled_when_a_call_fails() -> None:
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


@pytest.mark.parametrize("timeout_seconds", [None, 60])
def test_cancelled_calls_clean_up_before_the_client_is_closed(timeout_seconds: float | None) -> None:
    class Locking(Client):
        async def __call__(self, row: Any) -> Any:
            if row.id == 2:
                raise OSError("broken")
            try:
                await asyncio.Event().wait()
            finally:
                for _ in range(10):
                    await asyncio.sleep(0)
                self.events.append("released")

    client = Locking()
    with pytest.raises(CallFailed, match="broken"):
        mapped(client, [1, 2], timeout_seconds=timeout_seconds).rows()
    assert client.events[1:] == ["released", "close"]


def test_a_system_exit_in_a_call_ends_the_task() -> None:
    async def leave(row: Any) -> Any:
        sys.exit(3)

    with pytest.raises(RuntimeError, match="SystemExit"):
        mapped(leave, [1]).rows()


def test_a_client_is_closed_after_a_system_exit_in_a_call() -> None:
    class Leaving(Client):
        async def __call__(self, row: Any) -> Any:
            sys.exit(3)

    client = Leaving()
    with pytest.raises(RuntimeError, match="SystemExit"):
        mapped(client, [1]).rows()
    assert client.events[-1] == "close"


def test_a_system_exit_in_the_background_of_a_client_ends_the_task(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Refreshing(Client):
        async def open(self) -> None:
            async def refresh() -> None:
                sys.exit(3)

            self.refreshing = asyncio.ensure_future(refresh())
            await asyncio.wait({self.refreshing})
            await super().open()

    client = Refreshing()
    errors: list[BaseException] = []

    def run() -> None:
        with pytest.raises(RuntimeError, match="SystemExit") as ended:
            mapped(client, [1]).rows()
        errors.append(ended.value)

    task = threading.Thread(target=run, daemon=True)
    task.start()
    task.join(timeout=30)
    assert errors
    assert client.events[-1] == "close"
    del client.refreshing
    gc.collect()
    assert not caplog.records, "the exit is not reported again when its task is collected"


@pytest.mark.parametrize("method", ["open", "close"])
def test_a_system_exit_in_a_client_ends_the_task(method: str) -> None:
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
def test_a_call_with_a_cancelled_subtask_has_failed(timeout_seconds: float | None) -> None:
    async def cancelled(row: Any) -> Any:
        if row.id == 2:
            raise asyncio.CancelledError
        return (row.id, "n")

    more: Any = {"on_bad_row": "reject", "timeout_seconds": timeout_seconds}
    rows = mapped(cancelled, [1, 2, 3], **more).rows()
    assert [row["id"] for row in rows] == [1, None, 3]
    assert rows[1]["_rejected"]["message"] == "The call was cancelled from within."


def test_a_call_with_a_cancelled_task_ends_the_spark_task() -> None:
    async def cancel(row: Any) -> Any:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="cancelled"):
        mapped(cancel, [1]).rows()
