# SPDX-License-Identifier: Apache-2.0
"""Errors of calls of other systems, by `stoplog.async_map` and `stoplog.async_split`."""

from __future__ import annotations

from stoplog.errors.base import StoplogError

# The message contains the condition, because only the text of a worker's exception reaches the driver and
# condition_of.
_CALL_FAILED = "STOPLOG_ASYNC_CALL_FAILED"


class CallFailed(StoplogError):
    """The last attempt of a call failed, and the task fails. Spark may retry the task with all its calls.

    >>> print(CallFailed(3, ConnectionError("refused")))
    [STOPLOG_ASYNC_CALL_FAILED] A call of async_map failed 3 times, finally with ConnectionError: refused. \
Correct the cause, allow more attempts with retry, or set on_bad_row="reject" to return such rows \
as rejected rows and continue.
    """

    def __init__(self, attempts: int, error: Exception) -> None:
        times = "" if attempts == 1 else f" {attempts} times, finally"
        super().__init__(
            _CALL_FAILED,
            f"[{_CALL_FAILED}] A call of async_map failed{times} with "
            f"{type(error).__name__}: {message_of(error).rstrip('.')}. "
            'Correct the cause, allow more attempts with retry, or set on_bad_row="reject" to return such '
            "rows as rejected rows and continue.",
        )


class CallTimeout(StoplogError, TimeoutError):
    """A call exceeded `timeout_seconds` and was cancelled.

    >>> isinstance(CallTimeout(0.5), TimeoutError)
    True
    """

    def __init__(self, seconds: float) -> None:
        super().__init__("STOPLOG_ASYNC_CALL_FAILED", f"The call took longer than {seconds:g} s.")


class BadAnswer(StoplogError, TypeError):
    """A function returned a value that is not a row of the given schema.

    >>> BadAnswer("an int").condition
    'STOPLOG_ASYNC_ANSWER'
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            "STOPLOG_ASYNC_ANSWER",
            f"The function of async_map returned {what}. "
            "Return None, a tuple, a dict or a Row of the given schema, or a list of them.",
        )


def message_of(error: Exception) -> str:
    """Returns the message of an exception as valid UTF-8, for any class of exception and any characters.

    >>> message_of(ValueError("half a sign: \\ud83d"))
    'half a sign: \\\\ud83d'
    """
    try:
        text = str(error)
    except Exception:
        return f"(a {type(error).__name__} that cannot be shown)"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
