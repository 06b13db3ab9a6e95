# SPDX-License-Identifier: Apache-2.0
"""What a process and all below it take, by the system's account."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# Linux keeps the first 15 characters of a name. In Spark, "launch" or "idle" follows for a thread of tasks.
_KINDS = ("Executor task", "C2 CompilerThre", "C1 CompilerThre")


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    ticks: int


def cpu_seconds(root: int) -> float:
    """User and system time of the process and all below it, those counted that have ended meanwhile."""
    return sum(process.ticks for _, process in _tree(root)) / _TICKS


@dataclass(frozen=True, slots=True)
class ThreadTimes:
    """CPU seconds of a process and all below it, by the kind of thread.

    Attributes:
        executor_user: of the threads that run Spark's tasks, in user mode: what a sink can influence.
        executor_sys: of the same threads, in the kernel. New pages of the page cache cost all sinks the same.
        optimizing: of the JVM's optimizing compiler, C2.
        quick: of the JVM's quick compiler, C1.
        rest: of all others, such as the driver's threads and the garbage collector.
    """

    executor_user: float
    executor_sys: float
    optimizing: float
    quick: float
    rest: float

    @property
    def all(self) -> float:
        return self.executor_user + self.executor_sys + self.optimizing + self.quick + self.rest

    def since(self, before: ThreadTimes) -> ThreadTimes:
        pairs = zip(astuple(self), astuple(before), strict=True)
        return ThreadTimes(*(now - then for now, then in pairs))


def thread_times(root: int) -> ThreadTimes:
    """The times so far. The time of a thread that has ended belongs to the rest."""
    user = dict.fromkeys(_KINDS, 0)
    system = dict.fromkeys(_KINDS, 0)
    for number, _ in _tree(root):
        for name, in_user, in_system in _threads(number):
            kind = next((each for each in _KINDS if name.startswith(each)), None)
            if kind:
                user[kind] += in_user
                system[kind] += in_system
    executors, optimizing, quick = _KINDS
    known = sum(user.values()) + sum(system.values())
    return ThreadTimes(
        user[executors] / _TICKS,
        system[executors] / _TICKS,
        (user[optimizing] + system[optimizing]) / _TICKS,
        (user[quick] + system[quick]) / _TICKS,
        rest=cpu_seconds(root) - known / _TICKS,
    )


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


def _threads(number: int) -> Iterator[tuple[str, int, int]]:
    """The name of each thread, and its ticks in user mode and in the kernel."""
    try:
        folders = list(Path(f"/proc/{number}/task").iterdir())
    except OSError:
        return  # the process has ended meanwhile
    for folder in folders:
        try:
            text = (folder / "stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        head, _, tail = text.rpartition(")")
        fields = tail.split()
        yield head.partition("(")[2], int(fields[11]), int(fields[12])


def _peak_kib(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0  # it has ended meanwhile
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
