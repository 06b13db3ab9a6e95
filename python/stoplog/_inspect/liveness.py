# SPDX-License-Identifier: Apache-2.0
"""Tells other processes if a driver is at work on a sink, by the rules of the jar's `Liveness`."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from stoplog._html.shown import Shown
from stoplog._log.log import CommitLog
from stoplog._log.records import LogRecord, RecordKind
from stoplog._shared import DIRECTORIES, ROOT, shared
from stoplog._storage import Storage

_RULES: dict[str, Any] = shared("core")["liveness"]
MISSED_BEATS: int = _RULES["missedBeats"]
"""The intervals for which a driver may be silent: a beat may be late, and a storage may lose one."""

USUAL_MILLIS: int = _RULES["usualMillis"]
"""The interval of a driver that has noted none."""

_SHORTEST_MILLIS: int = _RULES["shortestMillis"]
_NOTE: str = _RULES["setting"]
_NOTED = re.compile(r"(\S*) (\S*) ([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})")
_PROC = Path("/proc")
_HANGING = ": its storage may hang (STOPLOG_STORAGE_HANGS), or the process has given the sink up"


class DriverState(Enum):
    """The state of the driver of a sink's last run. No decision hangs on it."""

    RELEASED = "released"
    """The run has ended in good order."""

    DEAD = "dead"
    """Its process has ended."""

    SILENT = "silent"
    """Nothing was heard of it for longer than a driver that lives can be silent."""

    ALIVE = "alive"
    """The driver may be alive: its process is there, or it gave a sign of life."""


@dataclass(frozen=True, slots=True)
class DriverLife(Shown):
    """The driver of a sink's last run.

    Attributes:
        state: alive, silent, dead or released.
        run: its run; None before the first.
        silent_millis: the time since its last sign of life; None where that does not matter.
        message: the same in one sentence.
    """

    state: DriverState
    run: str | None
    silent_millis: int | None
    message: str


@dataclass(frozen=True, slots=True)
class DriverNote:
    """The process of a driver, as it has noted it in its records.

    Attributes:
        space: the boot and the namespace of process numbers; empty where the system does not say.
        started_ticks: the start of the process in clock ticks since the boot, whatever the clock is set to.
        every_millis: the longest interval between two looks at its sink.
    """

    host: str
    space: str
    pid: int
    started_ticks: int
    every_millis: int

    @staticmethod
    def read(text: str) -> DriverNote | None:
        """The note of a text; None for a text that no release has written.

        >>> DriverNote.read("node-1 b/pid:[1] 17 1700000000000 60000").pid
        17
        >>> DriverNote.read("by hand") is None
        True
        """
        found = _NOTED.fullmatch(text)
        if found is None:
            return None
        host, space, *numbers = found.groups()
        return DriverNote(host, space, *map(int, numbers))

    @property
    def where(self) -> str:
        """The process and its machine, in words."""
        return f"process {self.pid} on {self.host}"


def driver_life(
    storage: Storage,
    sink_id: str,
    newest: LogRecord | None,
    now_millis: int,
    is_there: Callable[[DriverNote], bool | None] | None = None,
) -> DriverLife:
    """The life of a driver, by the newest record, the signs of life beside the log, and this machine's clock.

    Args:
        is_there: true if that process is there, None if only another machine knows; asks this machine by
            default.
    """
    if newest is None or newest.kind is RecordKind.RELEASE:
        ended = "no driver: the last run has ended in good order"
        return DriverLife(DriverState.RELEASED, newest.run if newest else None, None, ended)
    note = DriverNote.read(newest.state.settings.get(_NOTE, ""))
    there = None if note is None else (is_there or is_here)(note)
    if note is not None and there is False:
        gone = f"the driver of run {newest.run} is dead: there is no {note.where} any more"
        return DriverLife(DriverState.DEAD, newest.run, None, gone)
    every = max(note.every_millis, _SHORTEST_MILLIS) if note else USUAL_MILLIS
    patience = every * MISSED_BEATS
    _, files = storage.children(f"{ROOT}/{sink_id}/{DIRECTORIES['alive']}")
    beats = (file.modified_at_millis for file in files if file.name.startswith(f"{newest.run}-"))
    # By the storage's clock, as the beats: the driver's may be any time off.
    record = storage.info(CommitLog(storage, sink_id).path(newest.seq))
    written = newest.written_at_millis if record is None else record.modified_at_millis
    silent = max(0, now_millis - max((written, *beats)))
    if note is not None and there:
        words = (
            f"the process of the driver of run {newest.run}, {note.pid} on {note.host}, is there, "
            f"and its last sign of life is {silent // 1000} s old"
        )
        if silent // 1000 * 1000 >= patience:
            words += _HANGING
        return DriverLife(DriverState.ALIVE, newest.run, silent, words)
    if silent > patience:
        words = f"the driver of run {newest.run} is taken for dead: no sign of it for {silent // 1000} s"
        return DriverLife(DriverState.SILENT, newest.run, silent, words)
    place = f" ({note.where})" if note else ""
    words = (
        f"the driver of run {newest.run}{place} gave a sign of life {silent // 1000} s ago, "
        f"and counts as dead only after {patience // 1000} s without one"
    )
    return DriverLife(DriverState.ALIVE, newest.run, silent, words)


def is_here(note: DriverNote) -> bool | None:
    """True if the process is there; None unless it is one of this machine's and this machine has `/proc`."""
    space = _space()
    if not space or (note.host, note.space) != (socket.gethostname(), space):
        return None
    return _started_ticks(note.pid) == note.started_ticks


def _space() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _started_ticks(pid: int) -> int | None:
    """The start of a process in clock ticks since the boot; None if the process has ended."""
    try:
        # A process may have any bytes as its name, which ends with the last bracket.
        words = (_PROC / f"{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    # A process that has ended stays until its parent has asked for its exit code.
    return None if words[0] in (b"Z", b"X") else int(words[19])
