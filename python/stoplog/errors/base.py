# SPDX-License-Identifier: Apache-2.0
"""The base class of all errors, and the condition of any exception."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stoplog._text import redaction

if TYPE_CHECKING:
    from collections.abc import Iterator

_STACK_TRACE = "\n\nJVM stacktrace:"
_CONDITION = re.compile(r"\[(STOPLOG_[A-Z0-9_]+)\]")


class StoplogError(Exception):
    """The base class of this package's errors.

    Attributes:
        condition: the name of the error, `STOPLOG_…`; the name is stable, the message may change.

    >>> StoplogError("STOPLOG_NOT_FOUND", "There is no sink.").condition
    'STOPLOG_NOT_FOUND'
    """

    def __init__(self, condition: str, message: str) -> None:
        super().__init__(redaction.text(message))
        self.condition = condition

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are pickled by their arguments, which differ from the arguments of the subclasses'
        # constructors.
        return _restored, (type(self), self.condition, str(self))


def condition_of(error: BaseException) -> str | None:
    """Returns the named condition of an error, from any exception in its chain of causes.

    Spark wraps the exceptions of a sink in a task's failure or in the end of a query. This function searches
    the wrappers for stoplog's condition, and returns Spark's own condition if there is none.

    Args:
        error: any exception of this package, of PySpark (classic or Connect), or of py4j.

    Returns:
        `STOPLOG_…` if stoplog raised the error, else Spark's condition, else `None`.

    >>> condition_of(RuntimeError("Job aborted: [STOPLOG_STORE_WRITE] No space left. SQLSTATE: 58030"))
    'STOPLOG_STORE_WRITE'
    >>> condition_of(KeyError("x")) is None
    True
    """
    chain = list(_causes(error))
    own = (_own_condition(each) for each in chain)
    sparks = (_spark_condition(each) for each in chain)
    return next((found for found in (*own, *sparks) if found), None)


def text_of(error: BaseException) -> str:
    """Returns the message of an exception of Spark from its condition on, without Java's stack trace.

    >>> text_of(RuntimeError("calling o1.start: [STOPLOG_FENCED] Another driver.\\n\\tat stoplog.commit"))
    '[STOPLOG_FENCED] Another driver.'
    """
    said = str(error).partition(_STACK_TRACE)[0].partition("\n\tat ")[0]
    found = _CONDITION.search(said)
    return said[found.start() :].strip() if found else said.strip()


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        # PySpark stores the JVM's cause in `_cause`, and hides its own wrapping by `raise … from None`.
        error = error.__cause__ or getattr(error, "_cause", None)


def _own_condition(error: BaseException) -> str | None:
    if isinstance(error, StoplogError):
        return error.condition
    # A task's failure reaches the driver only as text, so the text is the only reliable source.
    found = _CONDITION.search(str(error))
    return found.group(1) if found else None


def _spark_condition(error: BaseException) -> str | None:
    get_condition = getattr(error, "getCondition", None)
    condition = get_condition() if callable(get_condition) else None
    return condition if isinstance(condition, str) else None


def _restored(kind: type[StoplogError], condition: str, message: str) -> StoplogError:
    error = kind.__new__(kind)
    StoplogError.__init__(error, condition, message)
    return error
