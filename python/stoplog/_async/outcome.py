# SPDX-License-Identifier: Apache-2.0
"""The outcome of a row."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from stoplog.errors import BadAnswer, CallTimeout

if TYPE_CHECKING:
    from pyspark.sql import Row

ResultRow: TypeAlias = "tuple[Any, ...] | dict[str, Any]"
"""A row of the result, by position or by name."""

Answer: TypeAlias = "ResultRow | list[ResultRow] | None"
"""The result of a user's function for a row."""

BatchFunction: TypeAlias = "Callable[[list[Row]], Awaitable[Sequence[Answer | Exception]]]"
"""A call: returns one result for each row, in the order of the rows."""


@dataclass(frozen=True, slots=True)
class Done:
    """The call succeeded and returned these result rows."""

    rows: list[ResultRow]


@dataclass(frozen=True, slots=True)
class Failed:
    """The last attempt of the call failed."""

    error: Exception
    attempts: int

    @property
    def timed_out(self) -> bool:
        return isinstance(self.error, CallTimeout)


Outcome: TypeAlias = "Done | Failed"


def done(answer: Any) -> Done:
    """Returns the outcome of a successful call.

    >>> done([(1,), (2,)])
    Done(rows=[(1,), (2,)])
    >>> done(None)
    Done(rows=[])

    Raises:
        BadAnswer: the result is neither a row nor a list of rows.
    """
    if answer is None:
        return Done([])
    rows = answer if isinstance(answer, list) else [answer]
    for row in rows:
        if not isinstance(row, tuple | dict):
            raise BadAnswer(f"a value of type {type(row).__name__} as a row")
    return Done(rows)
