# SPDX-License-Identifier: Apache-2.0
"""The calls in flight, by a clock of their own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from virtual_time import VirtualLoop

from stoplog._async.lane import CANCEL_SECONDS, Flight


async def sleeping(seconds: float) -> float:
    await asyncio.sleep(seconds)
    return seconds


def test_a_waiting_call_starts_when_a_running_call_ends() -> None:
    landed: list[Any] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        flight = Flight(sleeping, 2, lambda ended: landed.append((loop.time(), ended)))
        flight.add([(0, 3.0), (1, 1.0), (2, 1.0), (3, 5.0)])
        await asyncio.sleep(10)

    run(work())
    assert landed == [(1, [(1, 1.0)]), (2, [(2, 1.0)]), (3, [(0, 3.0)]), (7, [(3, 5.0)])]


def test_calls_with_the_same_end_are_reported_together() -> None:
    landed: list[Any] = []

    async def work() -> None:
        flight = Flight(sleeping, 10, landed.append)
        flight.add([(number, 1.0) for number in range(10)])
        await asyncio.sleep(2)

    run(work())
    [ended] = landed
    assert sorted(ended) == [(number, 1.0) for number in range(10)]


@pytest.mark.parametrize("error", [OSError("broken"), asyncio.CancelledError()])
def test_an_uncaught_error_of_a_call_is_reported_at_once(error: BaseException) -> None:
    landed: list[Any] = []

    async def fails(seconds: float) -> float:
        raise error

    async def work() -> None:
        Flight(fails, 1, landed.append).add([(0, 1.0)])
        await asyncio.sleep(1)

    run(work())
    assert isinstance(landed[0], OSError | RuntimeError)


def test_cancelled_calls_have_a_limited_time_to_clean_up() -> None:
    async def stubborn(seconds: float) -> float:
        while True:
            try:
                await asyncio.sleep(seconds)
                return seconds
            except asyncio.CancelledError:
                continue

    async def work() -> float:
        flight = Flight(stubborn, 1, lambda _: None)
        flight.add([(0, 100.0), (1, 1.0)])
        await asyncio.sleep(0)
        await flight.cancel()
        return asyncio.get_running_loop().time()

    assert run(work()) == CANCEL_SECONDS


def run(work: Any) -> Any:
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.close()
