# SPDX-License-Identifier: Apache-2.0
"""A rolling policy in the driver's Python process. Travels by value: see `task`."""

from __future__ import annotations

import pickle
from typing import Any

from stoplog._functions.task import PythonResult, in_order
from stoplog._shared.user_code import described

_REPAIR = "Return a list with a reason, or None, for each part."


class OpenPart:
    """An open part of a sink, for the function of `RollingPolicy.from_function`.

    Attributes:
        bucket: the directory under the sink's path; empty for the path itself.
        size_bytes: the size on storage, after compression.
        rows: the number of rows.
        age_seconds: the time since the part was opened.
        idle_seconds: the time since the last row.

    >>> OpenPart("day=1", 1_000_000, 5_000, 60.0, 1.5)
    OpenPart('day=1', size_bytes=1000000, rows=5000, age_seconds=60.0, idle_seconds=1.5)
    """

    def __init__(
        self, bucket: str, size_bytes: int, rows: int, age_seconds: float, idle_seconds: float
    ) -> None:
        self.bucket = bucket
        self.size_bytes = size_bytes
        self.rows = rows
        self.age_seconds = age_seconds
        self.idle_seconds = idle_seconds

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if name != "bucket")
        return f"OpenPart({self.bucket!r}, {facts})"


class PolicySide:
    """Carries out the calls of the jar by a function of the user."""

    def __init__(self, owner: str, pickled: bytes) -> None:
        self.owner = owner
        self.function = pickle.loads(pickled)

    def due(self, parts: list[list[Any]]) -> list[str | None]:
        """Returns the reason why a part is closed; `None` for a part that stays open.

        Args:
            parts: for each part the bucket, bytes, rows, and the two times in milliseconds.
        """
        facts = [OpenPart(name, size, rows, age / 1e3, idle / 1e3) for name, size, rows, age, idle in parts]
        returned = self.function(facts)
        if not in_order(returned):
            raise PythonResult(self.owner, described(returned), _REPAIR)
        reasons = list(returned)
        if len(reasons) != len(parts):
            plural = "" if len(parts) == 1 else "s"
            raise PythonResult(self.owner, f"{len(reasons)} values for {len(parts)} part{plural}", _REPAIR)
        for reason in reasons:
            if reason is not None and not (isinstance(reason, str) and reason):
                raise PythonResult(self.owner, f"{described(reason)} as a reason", _REPAIR)
        return reasons
