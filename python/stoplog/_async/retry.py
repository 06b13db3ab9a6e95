# SPDX-License-Identifier: Apache-2.0
"""Retries failed calls, depending on the error and after a wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

RetryOn: TypeAlias = "type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool]"


class RetryAfter(Exception):
    """Raised by a function when the service specifies a wait, as HTTP does with `Retry-After`.

    Such a call is retried regardless of `Retry.retry_on`, as long as attempts are left. If `retry_on` allows
    a retry, other exceptions with a number in the attribute `retry_after` are handled in the same way.

    Args:
        seconds: the seconds that the service requires before the next call.

    Raises:
        TypeError: `seconds` is not a number, such as the text of a header.

    >>> str(RetryAfter(1.5))
    'The service requested a retry after 1.5 s.'
    """

    def __init__(self, seconds: float) -> None:
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise TypeError(
                f"seconds must be a number, not {seconds!r}: write float(…) for the text of a header"
            )
        super().__init__(f"The service requested a retry after {seconds:g} s.")
        self.retry_after = seconds

    def __reduce__(self) -> tuple[object, ...]:
        return RetryAfter, (self.retry_after,)


@dataclass(frozen=True, slots=True)
class Retry:
    """Exponential backoff with full jitter: the wait is random between zero and a bound that doubles.

    With full jitter, calls that failed at the same time are not retried at the same time. For the same
    reason, the random wait is added to a wait that the service requires.

    Args:
        max_attempts: the maximum number of attempts, including the first attempt.
        first_wait_seconds: the bound of the first wait; the bound doubles with each further wait.
        max_wait_seconds: the maximum of the bound.
        retry_on: exception classes, or a predicate of the exception. Timeouts of calls are `TimeoutError`s.
        max_retry_after_seconds: a call fails if the service requires a longer wait.

    Raises:
        TypeError: `max_attempts` is not an int, or `retry_on` is neither classes nor a function.
        ValueError: fewer than one attempt, or a negative time.

    >>> Retry(max_attempts=5, retry_on=ConnectionError).max_wait_seconds
    30.0
    """

    max_attempts: int = 3
    first_wait_seconds: float = 0.1
    max_wait_seconds: float = 30.0
    retry_on: RetryOn = Exception
    max_retry_after_seconds: float = 300.0

    def __post_init__(self) -> None:
        if isinstance(self.max_attempts, bool) or not isinstance(self.max_attempts, int):
            raise TypeError(f"max_attempts must be an int, not {self.max_attempts!r}")
        if not (isinstance(self.retry_on, type | tuple) or callable(self.retry_on)):
            raise TypeError(
                f"retry_on must be exception classes or a function of an exception, not {self.retry_on!r}"
            )
        if self.max_attempts < 1:
            raise ValueError(f"max_attempts is {self.max_attempts}. Set it to 1 or more.")
        for name in ("first_wait_seconds", "max_wait_seconds", "max_retry_after_seconds"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}. Set it to 0 or more.")

    def wait_after(self, attempt: int, error: Exception, random: Callable[[], float]) -> float | None:
        """Returns the seconds to wait before the next attempt, or `None` if the call must not be retried.

        Args:
            attempt: the number of the failed attempt, from 1.
            error: the exception of that attempt.
            random: a source of numbers from 0 to 1.

        >>> retry = Retry(max_attempts=3, first_wait_seconds=0.1)
        >>> [retry.wait_after(attempt, OSError(), lambda: 1.0) for attempt in (1, 2, 3)]
        [0.1, 0.2, None]
        """
        if attempt >= self.max_attempts or not self._allows(error):
            return None
        requested = _requested_seconds(error)
        if requested > self.max_retry_after_seconds:
            return None
        # The exponent is bounded because floats are: 2.0 ** 1024 overflows.
        bound = min(self.max_wait_seconds, self.first_wait_seconds * 2.0 ** min(attempt - 1, 60))
        return requested + random() * bound

    def _allows(self, error: Exception) -> bool:
        if isinstance(error, RetryAfter):
            return True
        if isinstance(self.retry_on, type | tuple):
            return isinstance(error, self.retry_on)
        return self.retry_on(error)


def _requested_seconds(error: Exception) -> float:
    seconds = getattr(error, "retry_after", None)
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return max(0.0, float(seconds)) if is_number else 0.0  # type: ignore[arg-type]
