# SPDX-License-Identifier: Apache-2.0
"""Timeouts, retries and batches of one call, by a clock of their own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from virtual_time import run

from stoplog._async.call import Caller
from stoplog._async.outcome import Done, Failed
from stoplog.async_io import Retry, RetryAfter
from stoplog.errors import BadAnswer, CallTimeout

ONCE = Retry(max_attempts=1)


class Script:
    """A function of one row that fails with each of these in turn, and then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.times: list[float] = []

    async def __call__(self, rows: list[Any]) -> list[Any]:
        self.times.append(asyncio.get_running_loop().time())
        if self.errors:
            raise self.errors.pop(0)
        return [(row,) for row in rows]


def caller(function: Any, retry: Retry = ONCE, **more: Any) -> Any:
    return Caller(function, retry, lambda: 1.0, **more)


async def slow(rows: list[Any]) -> list[Any]:
    await asyncio.sleep(10)
    return [(row,) for row in rows]


def test_the_wait_doubles_up_to_the_bound() -> None:
    script = Script(*[OSError() for _ in range(5)])
    retry = Retry(max_attempts=6, first_wait_seconds=1, max_wait_seconds=5)
    outcomes, _ = run(caller(script, retry).outcomes([7]))
    assert outcomes == [Done([(7,)])]
    assert script.times == [0, 1, 3, 7, 12, 17]


def test_the_wait_is_random_between_nothing_and_the_bound() -> None:
    script = Script(OSError(), OSError())
    numbers = iter([0.0, 0.5])
    retry = Retry(max_attempts=3, first_wait_seconds=1)
    random: Any = Caller(script, retry, lambda: next(numbers))
    run(random.outcomes([7]))
    assert script.times == [0, 0, 1]


def test_a_call_fails_after_the_last_attempt() -> None:
    error = OSError("refused")
    outcomes, _ = run(caller(Script(OSError(), OSError(), error), Retry(max_attempts=3)).outcomes([7]))
    assert outcomes == [Failed(error, 3)]


@pytest.mark.parametrize("retry_on", [ConnectionError, (KeyError, OSError), lambda e: str(e) == "busy"])
def test_only_chosen_errors_are_retried(retry_on: Any) -> None:
    retry = Retry(max_attempts=9, retry_on=retry_on)
    outcomes, _ = run(caller(Script(ConnectionError("busy"), ValueError("no")), retry).outcomes([7]))
    assert outcomes[0].attempts == 2
    assert str(outcomes[0].error) == "no"


def test_retry_after_is_obeyed_regardless_of_retry_on() -> None:
    script = Script(RetryAfter(30))
    run(caller(script, Retry(first_wait_seconds=1, retry_on=KeyError)).outcomes([7]))
    assert script.times == [0, 31]  # with the jitter, lest all come back together


def test_an_exception_of_a_client_may_contain_retry_after() -> None:
    error = ConnectionError()
    error.retry_after = 4  # type: ignore[attr-defined]
    script = Script(error)
    run(caller(script, Retry(first_wait_seconds=1)).outcomes([7]))
    assert script.times == [0, 5]


def test_a_retry_after_above_the_limit_fails_the_call() -> None:
    outcomes, seconds = run(caller(Script(RetryAfter(3600)), Retry()).outcomes([7]))
    assert (outcomes[0].attempts, seconds) == (1, 0)


def test_an_attempt_beyond_the_timeout_is_cancelled() -> None:
    outcomes, seconds = run(caller(slow, timeout_seconds=2.5).outcomes([7]))
    assert isinstance(outcomes[0].error, CallTimeout)
    assert seconds == 2.5


def test_each_attempt_has_the_whole_timeout() -> None:
    retry = Retry(max_attempts=2, first_wait_seconds=1, retry_on=TimeoutError)
    _, seconds = run(caller(slow, retry, timeout_seconds=2).outcomes([7]))
    assert seconds == 2 + 1 + 2


def test_an_attempt_within_the_timeout_is_not_cancelled() -> None:
    outcomes, seconds = run(caller(slow, timeout_seconds=11).outcomes([7]))
    assert (outcomes, seconds) == ([Done([(7,)])], 10)


def test_a_handler_returns_results_for_rows_after_a_timeout() -> None:
    outcomes, _ = run(caller(slow, timeout_seconds=1, late=lambda row: (row, "late")).outcomes([7, 8]))
    assert outcomes == [Done([(7, "late")]), Done([(8, "late")])]


def test_a_handler_of_timeouts_is_not_called_for_other_errors() -> None:
    own = TimeoutError("of the client")
    outcomes, _ = run(caller(Script(own), timeout_seconds=1, late=lambda row: (row,)).outcomes([7]))
    assert outcomes == [Failed(own, 1)]


def test_an_error_of_the_handler_is_the_rows_error() -> None:
    def late(row: Any) -> Any:
        raise KeyError(row)

    outcomes, _ = run(caller(slow, timeout_seconds=1, late=late).outcomes([7]))
    assert isinstance(outcomes[0].error, KeyError)


def test_only_the_failed_rows_of_a_batch_are_retried() -> None:
    requested: list[list[int]] = []

    async def odd_ones_fail_once(rows: list[int]) -> list[Any]:
        requested.append(rows)
        return [OSError() if row % 2 and len(requested) == 1 else (row,) for row in rows]

    outcomes, _ = run(caller(odd_ones_fail_once, Retry()).outcomes([1, 2, 3, 4]))
    assert outcomes == [Done([(n,)]) for n in (1, 2, 3, 4)]
    assert requested == [[1, 2, 3, 4], [1, 3]]


@pytest.mark.parametrize("answers", [[], [(1,)], [(1,), (2,), (3,)], None, "ab"])
def test_a_batch_must_have_a_result_for_each_row(answers: Any) -> None:
    async def other(rows: list[int]) -> Any:
        return answers

    outcomes, seconds = run(caller(other, Retry()).outcomes([1, 2]))
    assert all(isinstance(outcome.error, BadAnswer) for outcome in outcomes)
    assert seconds == 0  # a wrong answer is not asked for again


@pytest.mark.parametrize(
    ("answer", "rows"),
    [(None, []), ((1,), [(1,)]), ({"a": 1}, [{"a": 1}]), ([(1,), (2,)], [(1,), (2,)]), ([], [])],
)
def test_a_result_may_have_no_row_a_single_row_or_many_rows(answer: Any, rows: Any) -> None:
    async def constant(_: list[Any]) -> list[Any]:
        return [answer]

    outcomes, _ = run(caller(constant).outcomes([7]))
    assert outcomes == [Done(rows)]


@pytest.mark.parametrize("answer", [5, "text", [5], b"bytes", {1, 2}])
def test_results_of_other_types_are_rejected(answer: Any) -> None:
    async def constant(_: list[Any]) -> list[Any]:
        return [answer]

    outcomes, _ = run(caller(constant, Retry()).outcomes([7]))
    assert isinstance(outcomes[0].error, BadAnswer)


@pytest.mark.parametrize(
    "wrong", [{"max_attempts": 0}, {"first_wait_seconds": -1}, {"max_retry_after_seconds": -0.1}]
)
def test_a_retry_with_invalid_arguments_is_rejected(wrong: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Retry(**wrong)
