# SPDX-License-Identifier: Apache-2.0
"""Checks what the methods of a two-phase sink return. Tasks, the driver and the laws use the same checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from stoplog._python.model import MAX_TOKEN_BYTES, CommitOutcome, Prepared, Staged, WriterTask, WrongUse
from stoplog._shared.user_code import described


class Writing:
    """A writer of user code with its protocol: rows, then `prepare` once."""

    def __init__(self, sink: Any, task: WriterTask) -> None:
        self.task = task
        self._version = sink.token_version
        self._writer = sink.writer(task)
        self._state = "open"
        if not callable(getattr(self._writer, "write", None)):
            raise WrongUse(
                f"writer returned {described(self._writer)}, which has no method write. Return a new object "
                "with write, prepare and abort for each call."
            )

    def write(self, value: Any) -> None:
        """Writes a batch, or a row."""
        if self._state != "open":
            raise WrongUse(
                f"write was called after {self._state}. Write all rows first: call sink.writer for more."
            )
        self._writer.write(value)

    def prepare(self) -> list[Prepared]:
        """Returns the prepared output with names and versions."""
        if self._state != "open":
            raise WrongUse(
                f"prepare was called after {self._state}. Prepare a writer once: call sink.writer for more."
            )
        self._state = "prepare"
        return prepared(self._writer.prepare(), self.task, self._version)

    def abort(self) -> None:
        """Undoes output that was not prepared, if the writer can."""
        self._state = "abort"
        abort = getattr(self._writer, "abort", None)
        if abort is not None:
            abort()


def prepared(returned: object, task: WriterTask, version: int) -> list[Prepared]:
    """Returns the result of `prepare` with names and versions; raises `WrongUse`."""
    if isinstance(returned, Prepared):
        returned = [returned]
    if not isinstance(returned, list | tuple) or not all(isinstance(each, Prepared) for each in returned):
        raise WrongUse(
            f"prepare returned {described(returned)}. Return a list of Prepared, which is empty if there is "
            "nothing to commit."
        )
    return [_complete(each, number, task, version) for number, each in enumerate(returned)]


def _complete(of: Prepared, number: int, task: WriterTask, version: int) -> Prepared:
    if not isinstance(of.token, bytes):
        raise WrongUse(f"The token of Prepared is {described(of.token)}. Use bytes, such as name.encode().")
    if len(of.token) > MAX_TOKEN_BYTES:
        raise WrongUse(
            f"The token of Prepared has {len(of.token):,} bytes, and the log stores up to "
            f"{MAX_TOKEN_BYTES:,}. Store the data in the target, and only its name in the token."
        )
    if not _is_count(of.rows):
        raise WrongUse(f"The rows of Prepared are {of.rows!r}. Use the number of rows.")
    for what, count in {**(of.metrics or {}), "size_bytes": of.size_bytes}.items():
        if not isinstance(what, str) or not _is_count(count):
            raise WrongUse(f"{what!r} of Prepared is {count!r}. Use names, and whole numbers from 0.")
    name = of.name or (task.id if number == 0 else f"{task.id}-{number}")
    return replace(of, name=name, version=version)


def _is_count(value: object) -> bool:
    """Whether the value is a number that the jar can read: the jar would take other values for 0."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def outcomes(returned: object, requested: list[Prepared], method: str) -> list[CommitOutcome]:
    """Returns the result of `commit_all`, or of one `commit` as a list; raises `WrongUse`."""
    given = list(returned) if isinstance(returned, list | tuple) else [returned]
    found = [each for each in given if isinstance(each, CommitOutcome)]
    if len(found) < len(given):
        wrong = next(each for each in given if not isinstance(each, CommitOutcome))
        raise WrongUse(
            f"{method} returned {described(wrong)}. Return CommitOutcome.COMMITTED, ALREADY_COMMITTED if "
            "the rows were visible before, or LOST if they are gone."
        )
    if len(found) != len(requested):
        raise WrongUse(
            f"{method} returned {len(found)} outcomes for {len(requested)} outputs. Return one for each, in "
            "the same order."
        )
    return found


def staged(returned: object) -> list[Staged]:
    """Returns the result of `staged`; raises `WrongUse`."""
    found = (
        list(returned) if isinstance(returned, Iterable) and not isinstance(returned, str | bytes) else None
    )
    if found is None or not all(isinstance(each, Staged) for each in found):
        raise WrongUse(
            f"staged returned {described(returned)}. Return a list of Staged, which is empty if nothing is "
            "left."
        )
    return found
