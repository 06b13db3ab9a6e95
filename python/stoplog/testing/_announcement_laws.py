# SPDX-License-Identifier: Apache-2.0
"""The laws of targets of announcements in Python."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from stoplog._python import carrier
from stoplog._python.announcing import TargetOfChanges
from stoplog.testing._elsewhere import elsewhere, kill_points, killed_at
from stoplog.testing._two_phase_laws import _lawful
from stoplog.testing.laws import LawBroken, difference

if TYPE_CHECKING:
    from stoplog.announcement_target import AnnouncementTarget

_PATH, _LOG, _IDENTITY = "/data/laws", "main", "6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f"


@dataclass
class AnnouncementLaws:
    """Checks a target of an empty receiver.

    Attributes:
        received: returns the ids of the received announcements, in the order of their arrival.
    """

    target: AnnouncementTarget
    received: Callable[[], Iterable[str]]

    def check(self) -> None:
        """Checks all laws; raises `LawBroken`."""
        user = self.target
        _lawful("the target can be sent", lambda: carrier.function_text(TargetOfChanges(user), user))
        self.target = pickle.loads(carrier.pickled(user, user))
        elsewhere(lambda: self._side(lambda side: side.check()))
        self._expect("a check delivers nothing", [])
        # The next call begins within a record.
        self._delivered("announcements arrive in order", range(1, 3))
        self._expect("announcements arrive in order", range(1, 3))
        self._delivered("a repeated delivery succeeds", range(1, 5))
        self._expect("a repeated delivery loses nothing", range(1, 5))
        self._all_kinds()
        newest = self._killed()
        if self.target.has_position():
            self._position("the position is that of the newest announcement", newest)

    def _killed(self) -> int:
        """Kills a delivery at each line of the target, and returns the newest announcement."""
        first = 10, 11
        points = kill_points(partial(self._deliver, first), self.target)
        expected: list[int] = [*range(1, 5), *first]
        for number, point in enumerate(points, start=2):
            numbers = (10 * number, 10 * number + 1)
            ended = killed_at(point, partial(self._deliver, numbers), self.target)
            law = f"a killed delivery is repeated (killed at {ended.line})"
            self._delivered(law, numbers)
            expected += numbers
            self._expect(law, expected)
        return expected[-1]

    def _delivered(self, law: str, numbers: Iterable[int]) -> None:
        found = elsewhere(partial(self._deliver, numbers))
        if found["outcome"] != "delivered":
            raise LawBroken(law, f"deliver returned {found['outcome']}: {found['reason']}.")

    def _deliver(self, numbers: Iterable[int]) -> dict[str, Any]:
        found: dict[str, Any] = self._side(lambda side: side.deliver([_added(number) for number in numbers]))
        return found

    def _expect(self, law: str, numbers: Iterable[int]) -> None:
        ids = set(map(_id, numbers))
        found = [each for each in self.received() if each.startswith(f"{_LOG}/{_IDENTITY}/")]
        first = found if self.target.has_position() else list(dict.fromkeys(found))
        if first != sorted(ids, key=_number):
            raise LawBroken(law, difference(sorted(ids, key=_number), first, "announcement"))

    def _position(self, law: str, number: int) -> None:
        found = elsewhere(lambda: self._side(lambda side: side.position(_PATH, _LOG)))
        if found is None or found != {"identity": _IDENTITY, "sequence": number // 2, "number": number % 2}:
            raise LawBroken(law, f"position returned {found}.")

    def _all_kinds(self) -> None:
        """Each kind of change, in a log of its own."""
        texts = [
            _text(number, {"log": "batch-laws", "identity": "8a4b"} | change)
            for number, change in enumerate(_CHANGES)
        ]
        found = elsewhere(lambda: self._side(lambda side: side.deliver(texts)))
        if found["outcome"] != "delivered":
            raise LawBroken("each kind of change is accepted", f"deliver returned {found['outcome']}.")

    def _side(self, call: Callable[[TargetOfChanges], Any]) -> Any:
        side = TargetOfChanges(self.target)
        try:
            return call(side)
        finally:
            side.close()


_FILE = {"path": "n=1/part", "bucket": "n=1", "rows": 1, "bytes": 10}
_CHANGES: tuple[dict[str, Any], ...] = (
    {"kind": "snapshot", "bucket": "n=1", "files": [{"path": "n=1/part", "bucket": "n=1", "bytes": 10}]},
    {"kind": "added", "bucket": "", "files": [_FILE]},
    {"kind": "replaced", "bucket": "n=1", "files": [_FILE], "replaced": ["n=1/former"]},
    {"kind": "partition complete", "bucket": "n=1", "completed": [{"bucket": "n=1", "version": 1}]},
    {"kind": "removed", "bucket": "n=1", "removed": ["n=1/part"]},
    {"kind": "gap", "first": 3, "last": 9},
)


def _added(number: int) -> str:
    own = {"log": _LOG, "identity": _IDENTITY, "kind": "added", "bucket": f"n={number}", "files": [_FILE]}
    return _text(number, own)


def _text(number: int, own: dict[str, Any]) -> str:
    """Returns an announcement as JSON. Each record has two announcements."""
    head = {
        "format": 1,
        "id": f"{own['log']}/{own['identity']}/{number // 2}/{number % 2}",
        "sequence": number // 2,
        "number": number % 2,
        "path": _PATH,
        "sinkId": "main",
        "decidedAt": "2026-01-31T23:59:58.123Z",
    }
    return json.dumps(head | own)


def _id(number: int) -> str:
    return f"{_LOG}/{_IDENTITY}/{number // 2}/{number % 2}"


def _number(found: str) -> int:
    sequence, number = found.split("/")[2:]
    return 2 * int(sequence) + int(number)
