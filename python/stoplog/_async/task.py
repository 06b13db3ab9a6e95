# SPDX-License-Identifier: Apache-2.0
"""A Spark task: reads Arrow batches, makes the calls, writes Arrow batches."""

from __future__ import annotations

import inspect
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoplog._async.call import Caller, Pace
from stoplog._async.lane import LoopLane
from stoplog._async.outcome import Answer, Outcome
from stoplog._async.result import Result, rows_of
from stoplog._async.retry import Retry
from stoplog._async.window import Order, answered

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row


AHEAD = 2
"""A task holds up to `AHEAD` times its capacity in requests: in flight, queued or finished."""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The settings of a task, sent to the workers by pickle.

    Args:
        function: the user's function of a row or, with a batch size, of a list of rows.
        batch_size: `None` if each call is for one row.
        seconds_between: the seconds between two calls of this task, if there is a rate limit.
    """

    function: Callable[[Any], Awaitable[Any]]
    result: Result
    order: Order
    capacity: int
    batch_size: int | None
    timeout_seconds: float | None
    late: Callable[[Row], Answer] | None
    retry: Retry
    seconds_between: float | None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Implements the function of `mapInArrow`."""
        lane = LoopLane(self._open, self._close, self.capacity)
        try:
            yield from self.result.batches(self._outcomes(batches, lane))
        finally:
            lane.close()

    def _outcomes(self, batches: Iterable[pa.RecordBatch], lane: LoopLane) -> Iterator[tuple[Row, Outcome]]:
        calls = (self._calls(rows_of(part, self.result.input_schema)) for part in self._parts(batches))
        for rows, outcomes in answered(calls, lane, AHEAD * self.capacity, self.order):
            yield from zip(rows, outcomes, strict=True)

    def _parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Splits batches by the number of rows in flight, so that Spark converts the next batch meanwhile."""
        rows = self.capacity * (self.batch_size or 1)
        for batch in batches:
            for begin in range(0, batch.num_rows, rows):
                yield batch.slice(begin, rows)

    def _calls(self, rows: list[Row]) -> list[list[Row]]:
        size = self.batch_size or 1
        return [rows[begin : begin + size] for begin in range(0, len(rows), size)]

    async def _open(self) -> Callable[[list[Row]], Awaitable[list[Outcome]]]:
        if (opening := getattr(self.function, "open", None)) is not None:
            await _ended(opening())
        pace = None if self.seconds_between is None else Pace(self.seconds_between)
        function = self.function if self.batch_size else self._one_by_one
        caller = Caller(function, self.retry, random.random, self.timeout_seconds, self.late, pace)

        async def checked(rows: list[Row]) -> list[Outcome]:
            outcomes = await caller.outcomes(rows)
            for outcome in outcomes:
                self.result.check(outcome)  # fails the task at once, even if slower calls precede this call
            return outcomes

        return checked

    async def _close(self) -> None:
        if (closing := getattr(self.function, "close", None)) is not None:
            await _ended(closing())

    async def _one_by_one(self, rows: list[Row]) -> Sequence[Answer]:
        return [await self.function(rows[0])]


async def _ended(result: Any) -> None:
    """Waits for the end of `open` or `close`, which may also be plain methods."""
    if inspect.isawaitable(result):
        await result
