# SPDX-License-Identifier: Apache-2.0
"""The positions of the targets of announcements in a log (step 12 of the protocol)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stoplog._html.shown import Shown
from stoplog._shared.definitions import DIRECTORIES, ROOT
from stoplog._storage import Storage

_POSITION = re.compile(r"([0-9]{20})(\.failed)?")


@dataclass(frozen=True, slots=True)
class TargetStatus(Shown):
    """A target of announcements and the records that wait for the target.

    Attributes:
        name: the name of the target.
        next_record: the first record that the target may lack.
        waiting_records: the number of records that wait.
        last_error: the first failure since the last success; None if no delivery has failed since.
        failed_at_millis: the time of this failure.
    """

    name: str
    next_record: int
    waiting_records: int
    last_error: str | None = None
    failed_at_millis: int | None = None


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of a target in a log, as the log stores the position.

    Attributes:
        next_record: the first record that the target may lack.
        last: the last record with announcements that the target has received; -1 without such a record.
    """

    next_record: int = 0
    last: int = -1


def cursors(storage: Storage, log: str) -> dict[str, Cursor]:
    """Returns the cursors of a log, by the names of the targets."""
    directory = f"{ROOT}/{log}/{DIRECTORIES['announced']}"
    return {name: _cursor(storage, f"{directory}/{name}") for name in storage.children(directory)[0]}


def _cursor(storage: Storage, directory: str) -> Cursor:
    names = [file.name for file in storage.children(directory)[1]]
    position = _newest(_matches(names))
    if position is None:
        return Cursor()
    last = _note(storage.read(f"{directory}/{position}")).get("last", -1)
    return Cursor(int(position), last if isinstance(last, int) else -1)


def targets(storage: Storage, sink_id: str, newest: int) -> tuple[TargetStatus, ...]:
    """Returns the targets that have a position in the log of a sink, by name.

    Args:
        newest: the number of the newest record; -1 without a record.
    """
    directory = f"{ROOT}/{sink_id}/{DIRECTORIES['announced']}"
    return tuple(_target(storage, directory, name, newest) for name in storage.children(directory)[0])


def _target(storage: Storage, directory: str, name: str, newest: int) -> TargetStatus:
    names = [file.name for file in storage.children(f"{directory}/{name}")[1]]
    found = _matches(names)
    position = int(_newest(found) or 0)
    waiting = max(0, newest + 1 - position)
    failed = max((match[0] for match in found if match[2] and int(match[1]) >= position), default=None)
    if failed is None:
        return TargetStatus(name, position, waiting)
    note = _note(storage.read(f"{directory}/{name}/{failed}"))
    at = note.get("at")
    since = at if isinstance(at, int) else None
    return TargetStatus(name, position, waiting, str(note.get("reason", "unknown")), since)


def _matches(names: Iterable[str]) -> list[re.Match[str]]:
    """Returns the names of positions, and of the failures after them."""
    return [match for match in map(_POSITION.fullmatch, names) if match]


def _newest(found: Iterable[re.Match[str]]) -> str | None:
    """Returns the name of the newest position."""
    return max((match[1] for match in found if not match[2]), default=None)


def _note(content: bytes | None) -> dict[str, Any]:
    try:
        note = json.loads(content or b"{}")
    except (ValueError, RecursionError):  # the writer died
        return {}
    return note if isinstance(note, dict) else {}
