# SPDX-License-Identifier: Apache-2.0
"""The outcome of a row."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from stoplog.errors import StoplogError

if TYPE_CHECKING:
    from pyspark.sql import Row

ResultRow: TypeAlias = "tuple[Any, ...] | dict[str, Any]"
"""A row of the result, by position or by name."""

Answer: TypeAlias = "ResultRow | list[ResultRow] | None"
"""The answer of a user's function for a row."""

BatchFunction: TypeAlias = "Callable[[list[Row]], Awaitable[Sequence[Answer | Exception]]]"
"""A call: as many answers as rows, in their order."""


@dataclass(frozen=True, slots=True)
class Done:
    """The call succeeded, with this many rows of result."""

    rows: list[ResultRow]


@dataclass(frozen=True, slots=True)
class Failed:
    """The call failed for good."""

    error: Exception
    attempts: int

    @property
    def timed_out(self) -> bool:
        return isinstance(self.error, CallTimeout)


Outcome: TypeAlias = "Done | Failed"


class CallTimeout(StoplogError, TimeoutError):
    """A call took longer than `timeout_seconds`, and was cancelled.

    >>> isinstance(CallTimeout(0.5), TimeoutError)
    True
    """

    def __init__(self, seconds: float) -> None:
        super().__init__("STOPLOG_ASYNC_TIMEOUT", f"The call took longer than {seconds:g} s.")


class BadAnswer(StoplogError, TypeError):
    """A function returned what is no row of the schema that was given.

    >>> BadAnswer("an int").condition
    'STOPLOG_ASYNC_ANSWER'
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            "STOPLOG_ASYNC_ANSWER",
            f"The function of async_map returned {what}. "
            "Return None, a tuple, a dict or a Row of the given schema, or a list of them.",
        )


def done(answer: Any) -> Done:
    """The outcome of a call that succeeded.

    >>> done([(1,), (2,)])
    Done(rows=[(1,), (2,)])
    >>> done(None)
    Done(rows=[])

    Raises:
        BadAnswer: the answer is no row and no list of rows.
    """
    if answer is None:
        return Done([])
    rows = answer if isinstance(answer, list) else [answer]
    for row in rows:
        if not isinstance(row, tuple | dict):
            raise BadAnswer(f"a value of type {type(row).__name__} as a row")
    return Done(rows)
