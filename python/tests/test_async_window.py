# SPDX-License-Identifier: Apache-2.0
"""Order, capacity and back-pressure, and the rate limit, by a clock of their own."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from typing import Any

import pytest
from virtual_time import VirtualLane, VirtualLoop, run

from stoplog._async.call import CATCH_UP_SECONDS, Caller, Pace
from stoplog._async.outcome import Done
from stoplog._async.window import Order, answered
from stoplog.async_io import Retry

ORDERS: list[Order] = ["ordered", "unordered"]


class Service:
    """Takes a random time for each call, and counts those in flight."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.in_flight = 0
        self.most = 0

    async def __call__(self, row: int) -> int:
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        await asyncio.sleep(self._chance.random())
        self.in_flight -= 1
        return -row


@pytest.mark.parametrize("order", ORDERS)
def test_each_row_has_a_result_within_the_capacity(order: Order) -> None:
    for seed in range(100):
        chance = random.Random(seed)
        rows = list(range(chance.randrange(60)))
        capacity = chance.randrange(1, 12)
        size = capacity + chance.randrange(12)
        service = Service(chance)
        seen = list(answered(chunked(rows, chance), VirtualLane(service, capacity), size, order))
        assert sorted(seen) == [(row, -row) for row in rows]
        assert service.most <= capacity
        if order == "ordered":
            assert seen == sorted(seen)


def test_early_results_are_first_unless_the_order_is_kept() -> None:
    async def sleep(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    def seen(order: Order) -> list[float]:
        return [row for row, _ in answered([[3.0, 1.0, 2.0]], VirtualLane(sleep, 3), 3, order)]

    assert seen("unordered") == [1.0, 2.0, 3.0]
    assert seen("ordered") == [3.0, 1.0, 2.0]


def test_a_slow_call_delays_others_only_if_the_order_is_kept() -> None:
    async def sleep(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    rows = [10.0] + [1.0] * 10

    def seconds(order: Order) -> float:
        lane = VirtualLane(sleep, 2)
        assert len(list(answered([rows], lane, 2, order))) == len(rows)
        return lane.loop.now

    assert seconds("unordered") == 10  # ten short ones beside the long one
    assert seconds("ordered") == 10 + 5  # nine short ones after it, two at a time


@pytest.mark.parametrize("order", ORDERS)
def test_the_number_of_rounds_follows_from_the_capacity(order: Order) -> None:
    async def call(row: int) -> int:
        await asyncio.sleep(0.05)
        return row

    lane = VirtualLane(call, 100)
    assert len(list(answered([list(range(2_000))], lane, 200, order))) == 2_000
    assert lane.loop.now == pytest.approx(1.0)


def test_input_is_read_only_within_the_window() -> None:
    read: list[int] = []
    given = 0

    def input_rows() -> Iterator[list[int]]:
        for row in range(20):
            assert len(read) - given < 3
            read.append(row)
            yield [row]

    async def call(row: int) -> int:
        await asyncio.sleep(1)
        return row

    for _ in answered(input_rows(), VirtualLane(call, 2), 3, "ordered"):
        given += 1
    assert given == 20


def test_read_rows_are_called_before_further_rows_are_read() -> None:
    started: list[int] = []

    async def call(row: int) -> int:
        return row

    class Watched(VirtualLane):
        def start(self, calls: list[tuple[int, int]]) -> None:
            started.extend(row for _, row in calls)
            super().start(calls)

    def input_rows() -> Iterator[list[int]]:
        yield [1, 2]
        assert started == [1, 2]
        yield [3]

    assert len(list(answered(input_rows(), Watched(call, 10), 10, "unordered"))) == 3


def test_a_rate_limit_holds_in_every_window() -> None:
    for seed in range(50):
        chance = random.Random(seed)
        between = 0.01 + chance.random()
        times = paced(between, [chance.random() * 3 for _ in range(40)])
        for begin in range(len(times)):
            for end in range(begin, len(times)):
                window = times[end] - times[begin]
                assert end - begin + 1 <= (window + CATCH_UP_SECONDS) / between + 1 + 1e-6


def test_a_rate_limit_is_used_fully() -> None:
    assert paced(0.5, [0.0] * 4) == [0.5, 1.0, 1.5, 2.0]


def test_the_first_call_of_a_task_waits_for_the_interval() -> None:
    pace = Pace(2.0)
    assert run(pace.turn())[1] == 2.0


def test_late_wake_ups_are_caught_up_within_bounds() -> None:
    async def turns() -> list[float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        pace, times = Pace(0.01), []
        for number in range(20):
            await pace.turn()
            if number == 5:
                loop.now += 1.0  # the loop was busy
            times.append(loop.time())
        return times

    times, _ = run(turns())
    after = [time for time in times if time == times[5]]
    assert len(after) == 1 + CATCH_UP_SECONDS / 0.01 + 1


def test_retries_count_as_calls() -> None:
    times: list[float] = []

    async def fails(rows: list[Any]) -> list[Any]:
        times.append(asyncio.get_running_loop().time())
        raise OSError

    retry = Retry(max_attempts=3, first_wait_seconds=0)
    caller: Any = Caller(fails, retry, lambda: 1.0, pace=Pace(1.0))
    run(caller.outcomes([7]))
    assert times == [1, 2, 3]


def test_the_wait_for_the_rate_limit_does_not_count_for_the_timeout() -> None:
    async def quick(rows: list[Any]) -> list[Any]:
        return [(row,) for row in rows]

    caller: Any = Caller(quick, Retry(max_attempts=1), lambda: 1.0, timeout_seconds=0.5, pace=Pace(3.0))
    outcomes, seconds = run(caller.outcomes([7]))
    assert (outcomes, seconds) == ([Done([(7,)])], 3.0)


def paced(between: float, arrivals: list[float]) -> list[float]:
    """When calls that arrive at these times are let through."""
    times: list[float] = []

    async def one(pace: Pace, arrival: float) -> None:
        await asyncio.sleep(arrival)
        await pace.turn()
        times.append(asyncio.get_running_loop().time())

    async def all_of_them() -> None:
        pace = Pace(between)
        await asyncio.gather(*(one(pace, arrival) for arrival in arrivals))

    run(all_of_them())
    return times


def chunked(rows: list[int], chance: random.Random) -> Iterator[list[int]]:
    while rows:
        size = chance.randrange(0, 9)
        yield rows[:size]
        rows = rows[size:]
