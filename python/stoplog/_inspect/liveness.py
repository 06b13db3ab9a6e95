# SPDX-License-Identifier: Apache-2.0
"""Checks whether a driver is running for a sink, by the rules of the jar's `Liveness`."""

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
from stoplog._shared.definitions import DIRECTORIES, ROOT, shared
from stoplog._storage import Storage

_RULES: dict[str, Any] = shared("core")["liveness"]
MISSED_BEATS: int = _RULES["missedBeats"]
"""The number of intervals for which a driver may be silent.

A heartbeat may be late, and a storage may lose one.
"""

USUAL_MILLIS: int = _RULES["usualMillis"]
"""The interval of a driver without an interval in its records, in milliseconds."""

_SHORTEST_MILLIS: int = _RULES["shortestMillis"]
_NOTE: str = _RULES["setting"]
_NOTED = re.compile(r"(\S*) (\S*) ([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})")
_PROC = Path("/proc")
_HANGING = ": its storage may hang (STOPLOG_STORAGE_HANGS), or the process has given up the sink"


class DriverState(Enum):
    """The state of the driver of a sink's last run.

    The state is informational: no decision depends on the state.
    """

    RELEASED = "released"
    """The run ended cleanly."""

    DEAD = "dead"
    """The process has ended."""

    SILENT = "silent"
    """The driver has been silent for longer than the limit for running drivers."""

    ALIVE = "alive"
    """The driver may be running: the process exists, or there is a recent heartbeat."""


@dataclass(frozen=True, slots=True)
class DriverLife(Shown):
    """The driver of a sink's last run.

    Attributes:
        state: alive, silent, dead or released.
        run: the run of the driver; None before the first run.
        silent_millis: the milliseconds since the last heartbeat; None if irrelevant.
        message: the state in one sentence.
        is_hanging: true if the process exists, and has missed its heartbeats.
    """

    state: DriverState
    run: str | None
    silent_millis: int | None
    message: str
    is_hanging: bool = False


@dataclass(frozen=True, slots=True)
class DriverNote:
    """The process of a driver, as recorded in the driver's log records.

    Attributes:
        space: the boot and the namespace of process numbers; empty if the system does not provide them.
        started_ticks: the start of the process in clock ticks since the boot, independent of the clock's
            setting.
        every_millis: the longest interval between two checks of the sink, in milliseconds.
    """

    host: str
    space: str
    pid: int
    started_ticks: int
    every_millis: int

    @staticmethod
    def read(text: str) -> DriverNote | None:
        """Parses a recorded process; returns None for a text that no release writes.

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
        """Returns a text that names the process and its machine."""
        return f"process {self.pid} on {self.host}"


def driver_life(
    storage: Storage,
    sink_id: str,
    newest: LogRecord | None,
    now_millis: int,
    is_there: Callable[[DriverNote], bool | None] | None = None,
) -> DriverLife:
    """Returns the state of a driver, from the newest record, the heartbeat files and this machine's clock.

    Args:
        is_there: returns true if the process exists, None if only another machine can check; checks this
            machine by default.
    """
    if newest is None or newest.kind is RecordKind.RELEASE:
        ended = "the log names no running driver: the last run has ended normally"
        return DriverLife(DriverState.RELEASED, newest.run if newest else None, None, ended)
    note = DriverNote.read(newest.state.settings.get(_NOTE, ""))
    there = None if note is None else (is_there or is_here)(note)
    if note is not None and there is False:
        gone = f"the driver of run {newest.run} is dead: {note.where} no longer exists"
        return DriverLife(DriverState.DEAD, newest.run, None, gone)
    every = max(note.every_millis, _SHORTEST_MILLIS) if note else USUAL_MILLIS
    patience = every * MISSED_BEATS
    _, files = storage.children(f"{ROOT}/{sink_id}/{DIRECTORIES['alive']}")
    beats = (file.modified_at_millis for file in files if file.name.startswith(f"{newest.run}-"))
    # The storage's clock, as for the heartbeats: the driver's clock may differ by any time. Some storages
    # have no times.
    record = storage.info(CommitLog(storage, sink_id).path(newest.seq))
    written = record.modified_at_millis if record is not None else 0
    silent = max(0, now_millis - max((written or newest.written_at_millis, *beats)))
    if note is not None and there:
        words = (
            f"the process of the driver of run {newest.run}, {note.pid} on {note.host}, exists, "
            f"and the last heartbeat is {silent // 1000} s old"
        )
        is_hanging = silent // 1000 * 1000 >= patience
        words += _HANGING if is_hanging else ""
        return DriverLife(DriverState.ALIVE, newest.run, silent, words, is_hanging)
    if silent > patience:
        words = f"the driver of run {newest.run} counts as dead: no heartbeat for {silent // 1000} s"
        return DriverLife(DriverState.SILENT, newest.run, silent, words)
    place = f" ({note.where})" if note else ""
    words = (
        f"the last heartbeat of run {newest.run}{place} is {silent // 1000} s old; "
        f"the driver counts as dead after {patience // 1000} s"
    )
    return DriverLife(DriverState.ALIVE, newest.run, silent, words)


def is_here(note: DriverNote) -> bool | None:
    """Returns true if the process exists; None if the process is on another machine, or hidden."""
    space = _space()
    if not space or (note.host, note.space) != (socket.gethostname(), space):
        return None
    try:
        return _started_ticks(note.pid) == note.started_ticks
    except OSError:
        return None


def _space() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _started_ticks(pid: int) -> int | None:
    """Returns the start of a process in clock ticks since the boot; None if the process has ended.

    Raises `OSError` if this process cannot know. A system may hide the processes of other users: then a
    missing process may be alive. The first process always exists, and shows whether processes are hidden.
    """
    try:
        # The name of a process may contain any bytes, and ends with the last bracket.
        words = (_PROC / f"{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except FileNotFoundError:
        if not (_PROC / "1/stat").exists():
            raise
        return None
    except ProcessLookupError:
        return None
    # An ended process remains until its parent has read the exit code.
    return None if words[0] in (b"Z", b"X") else int(words[19])
