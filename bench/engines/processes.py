"""What a process and all below it take, by the system's account."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_SAMPLE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    ticks: int
    pages: int


def cpu_seconds(root: int) -> float:
    """User and system time of the process and all below it, those counted that have ended meanwhile."""
    return sum(process.ticks for process in _tree(root)) / _TICKS


def resident_bytes(root: int) -> int:
    return sum(process.pages for process in _tree(root)) * _PAGE_BYTES


class PeakMemory:
    """The most memory that a process and all below it held together, looked at ten times a second."""

    def __init__(self, root: int) -> None:
        self.bytes = 0
        self._root = root
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(_SAMPLE_SECONDS):
            self.bytes = max(self.bytes, resident_bytes(self._root))


def _tree(root: int) -> Iterator[_Process]:
    processes = dict(_all())
    children: dict[int, list[int]] = {}
    for number, process in processes.items():
        children.setdefault(process.parent, []).append(number)
    waiting = [root]
    while waiting:
        number = waiting.pop()
        waiting += children.get(number, [])
        if number in processes:
            yield processes[number]


def _all() -> Iterator[tuple[int, _Process]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text(encoding="ascii", errors="replace")
            except OSError:
                continue  # it has ended meanwhile
            fields = text.rpartition(")")[2].split()
            own_and_ended = sum(int(fields[at]) for at in range(11, 15))
            yield int(folder.name), _Process(int(fields[1]), own_and_ended, int(fields[21]))
