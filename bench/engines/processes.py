# SPDX-License-Identifier: Apache-2.0
"""What a process and all below it take, by the system's account."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    ticks: int


def cpu_seconds(root: int) -> float:
    """User and system time of the process and all below it, those counted that have ended meanwhile."""
    return sum(process.ticks for _, process in _tree(root)) / _TICKS


def peak_bytes(root: int) -> int:
    """The most memory that each process which still runs has ever held, added up.

    What the kernel noted of each: samples would count one that is being forked with its parent's memory.
    """
    return sum(_peak_kib(number) for number, _ in _tree(root)) << 10


def _tree(root: int) -> Iterator[tuple[int, _Process]]:
    processes = dict(_all())
    children: dict[int, list[int]] = {}
    for number, process in processes.items():
        children.setdefault(process.parent, []).append(number)
    waiting = [root]
    while waiting:
        number = waiting.pop()
        waiting += children.get(number, [])
        if number in processes:
            yield number, processes[number]


def _all() -> Iterator[tuple[int, _Process]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text(encoding="ascii", errors="replace")
            except OSError:
                continue  # it has ended meanwhile
            fields = text.rpartition(")")[2].split()
            own_and_ended = sum(int(fields[at]) for at in range(11, 15))
            yield int(folder.name), _Process(int(fields[1]), own_and_ended)


def _peak_kib(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0  # it has ended meanwhile
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
