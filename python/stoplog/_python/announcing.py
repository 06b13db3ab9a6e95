# SPDX-License-Identifier: Apache-2.0
"""The driver's half of a target of announcements, which carries out the jar's calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stoplog._python.changes import Delivery, FileChange, Position
from stoplog._python.model import WrongUse
from stoplog._python.reopening import Reopening


class TargetOfChanges:
    """Carries out the calls of the jar by a target of user code, with values that JSON has."""

    def __init__(self, target: Any) -> None:
        self._target = Reopening(target)

    def deliver(self, texts: list[str]) -> dict[str, Any]:
        """Delivers announcements, and returns the outcome."""
        with self._target as target:
            found = target.deliver([FileChange.parse(text) for text in texts])
        if not isinstance(found, Delivery):
            raise WrongUse(
                f"deliver returned {found!r}. Return Delivery.DELIVERED, retry(…), unknown(…) or refused(…)."
            )
        return {"outcome": found.outcome, "reason": found.reason, "afterMillis": found.after_millis}

    def position(self, path: str, log: str) -> dict[str, Any] | None:
        """Returns the stored position of a log."""
        with self._target as target:
            found = target.position(path, log)
        if found is None:
            return None
        if not isinstance(found, Position):
            raise WrongUse(f"position returned {found!r}. Return the stored Position, or None without one.")
        return {"identity": found.identity, "sequence": found.sequence, "number": found.number}

    def check(self) -> None:
        """Checks the target."""
        with self._target as target:
            target.check()

    def close(self) -> None:
        """Closes the target, if it is open."""
        self._target.close()


class TargetOfFunction:
    """A function of the user as a target: a call that returns has delivered."""

    def __init__(self, function: Callable[[list[FileChange]], object]) -> None:
        self._function = function

    def open(self) -> None:
        """Does nothing: a function opens what it needs."""

    def deliver(self, changes: list[FileChange]) -> Delivery:
        """Calls the function. `None` counts as delivered."""
        found = self._function(changes)
        if found is None or isinstance(found, Delivery):
            return found or Delivery.DELIVERED
        raise WrongUse(f"The function returned {found!r}. Return nothing, or a stoplog.Delivery.")

    def check(self) -> None:
        """Does nothing: a call would deliver."""

    def close(self) -> None:
        """Does nothing."""
