# SPDX-License-Identifier: Apache-2.0
"""A call of the user's function, with retries and the rate limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoplog._async.outcome import Answer, BatchFunction, Failed, Outcome, done
from stoplog._async.retry import Retry
from stoplog.errors import BadAnswer, CallTimeout

if TYPE_CHECKING:
    from pyspark.sql import Row


CATCH_UP_SECONDS = 0.05
"""The maximum delay, in seconds, for which later calls may catch up.

Without this allowance, each late wake-up of the event loop (about a millisecond) would reduce the rate for
good. A limit of a thousand calls a second would never be reached.
"""


class Pace:
    """Limits the call rate: in any T seconds at most `(T + CATCH_UP_SECONDS) / seconds_between + 1` calls.

    The first call waits like any other call. Therefore the bound also holds across the tasks of one partition
    in successive micro-batches, although the tasks share no state.

    Args:
        seconds_between: the seconds between two calls.
    """

    def __init__(self, seconds_between: float) -> None:
        self._between = seconds_between
        self._next: float | None = None
        self._turns = asyncio.Lock()

    async def turn(self) -> None:
        """Waits until the next call is allowed."""
        loop = asyncio.get_running_loop()
        async with self._turns:
            now = loop.time()
            due = now + self._between if self._next is None else self._next
            if due > now:
                await asyncio.sleep(due - now)
            self._next = max(due, loop.time() - CATCH_UP_SECONDS) + self._between


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes calls on the running event loop and uses only the clock of this loop.

    Args:
        function: called with a list of rows.
        retry: the rule for failed calls.
        random: a source of numbers from 0 to 1.
        timeout_seconds: the limit of one attempt, without the wait for the rate limit.
        late: returns the result of a row whose call timed out in its last attempt.
        pace: the rate limit.
    """

    function: BatchFunction
    retry: Retry
    random: Callable[[], float]
    timeout_seconds: float | None = None
    late: Callable[[Row], Answer] | None = None
    pace: Pace | None = None

    async def outcomes(self, rows: list[Row]) -> list[Outcome]:
        """Returns the outcome of each row. After a batch call, one new call retries all failed rows."""
        settled: dict[int, Outcome] = {}
        pending = list(range(len(rows)))
        attempt = 0
        while pending:
            attempt += 1
            answers = await self._answers([rows[number] for number in pending])
            waits: dict[int, float] = {}
            for number, answer in zip(pending, answers, strict=True):
                outcome = _outcome(answer, attempt)
                wait = self._wait(outcome)
                if wait is None:
                    settled[number] = self._in_time(outcome, rows[number])
                else:
                    waits[number] = wait
            pending = list(waits)
            if waits:
                await asyncio.sleep(max(waits.values()))
        return [settled[number] for number in range(len(rows))]

    async def _answers(self, rows: list[Row]) -> Sequence[Any]:
        if self.pace is not None:
            await self.pace.turn()
        try:
            answers = await self._attempt(rows)
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            # Another task cancelled the awaitable of the function, such as a token that calls share.
            return [RuntimeError("The call was cancelled from within.")] * len(rows)
        except Exception as error:
            return [error] * len(rows)
        if not isinstance(answers, list | tuple) or len(answers) != len(rows):
            how_many = len(answers) if isinstance(answers, list | tuple) else "no list of"
            return [BadAnswer(f"{how_many} results for a batch of {len(rows)} rows")] * len(rows)
        return answers

    async def _attempt(self, rows: list[Row]) -> Sequence[Any]:
        if self.timeout_seconds is None:
            return await self.function(rows)
        # Not wait_for: wait_for does not distinguish its own timeout from a TimeoutError of the function.
        attempt = asyncio.ensure_future(self.function(rows))
        try:
            await asyncio.wait({attempt}, timeout=self.timeout_seconds)
            if attempt.done():
                return attempt.result()
        finally:
            # A cancelled attempt may still await its cleanup, and counts as in flight until the cleanup ends,
            # also if the task has failed and this call is cancelled itself.
            if attempt.cancel():
                await asyncio.wait({attempt})
        raise CallTimeout(self.timeout_seconds)

    def _wait(self, outcome: Outcome) -> float | None:
        # A retry does not correct a wrong result.
        if not isinstance(outcome, Failed) or isinstance(outcome.error, BadAnswer):
            return None
        return self.retry.wait_after(outcome.attempts, outcome.error, self.random)

    def _in_time(self, outcome: Outcome, row: Row) -> Outcome:
        if self.late is None or not isinstance(outcome, Failed) or not outcome.timed_out:
            return outcome
        try:
            return done(self.late(row))
        except Exception as error:
            return Failed(error, outcome.attempts)


def _outcome(answer: Any, attempt: int) -> Outcome:
    if isinstance(answer, Exception):
        return Failed(answer, attempt)
    try:
        return done(answer)
    except BadAnswer as error:
        return Failed(error, attempt)


def _is_cancelled() -> bool:
    """Returns true if this call itself is being cancelled.

    Always true on Python 3.10, which lacks the method.
    """
    task: Any = asyncio.current_task()
    cancelling = getattr(task, "cancelling", None)
    return cancelling is None or cancelling() > 0
