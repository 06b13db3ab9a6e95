# SPDX-License-Identifier: Apache-2.0
"""A step of a test run: one runner in a process of its own, what it printed, counted and cost."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import junit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
MEASURED = Path(__file__).with_name("measured.py")
KEPT_LINES = 20_000
LAST_LINES = 12
REMOVALS = 5
IN_MEMORY = Path("/dev/shm")
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a step ended.

    Attributes:
        seconds: by the clock.
        core_seconds: of processors, by the runner and all processes that it started.
    """

    name: str
    counts: junit.Counts
    seconds: float
    core_seconds: float

    def __str__(self) -> str:
        return f"{self.name:<8} {self.seconds:5.0f} s  {self.core_seconds:5.0f} core s   {self.counts}"


@dataclass(frozen=True, slots=True)
class Step:
    """One runner.

    Attributes:
        reports: the folders of its JUnit XML, if it writes any.
        variables: of its environment, besides those of this process.
        python: of Spark's workers.
    """

    name: str
    command: list[str]
    reports: tuple[Path, ...] = ()
    variables: Mapping[str, str] | None = None
    python: str = sys.executable

    def run(self) -> Outcome:
        """A runner that fails without naming a failed test still counts as one failure."""
        for directory in self.reports:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
        begun = time.monotonic()
        code, printed, core_seconds = self._execute()
        counts = junit.read(report for directory in self.reports for report in directory.glob("*.xml"))
        if code != 0 and counts.failed == 0:
            lines = (f"the runner itself ended with exit code {code}", *last_lines(printed))
            counts += junit.Counts(failed=1, failures=tuple(f"{self.name}: {each}" for each in lines))
        return Outcome(self.name, counts, time.monotonic() - begun, core_seconds)

    def _execute(self) -> tuple[int, deque[str], float]:
        """The exit code, the last lines of what goes to the screen meanwhile, and the core seconds."""
        lines: deque[str] = deque(maxlen=KEPT_LINES)
        show(self.name, " ".join(self.command))
        with temporary_directory() as temporary:
            cost = Path(temporary, "core-seconds")
            with subprocess.Popen(
                [sys.executable, str(MEASURED), str(cost), *self.command],
                cwd=ROOT,
                env=environment(self.python, temporary) | dict(self.variables or {}),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            ) as process:
                for line in process.stdout or ():
                    show(self.name, line.rstrip())
                    lines.append(line.rstrip())
            core_seconds = float(cost.read_text()) if cost.exists() else 0.0
        return process.returncode, lines, core_seconds


def pytest(name: str, arguments: list[str], marked: str, python: str = sys.executable) -> Step:
    """A pytest run of the tests with these marks, whose report lies under build/reports/NAME."""
    reports = REPORTS / name
    report = [f"--junitxml={reports / 'junit.xml'}", "--durations=20", "--durations-min=5"]
    command = [python, "-m", "pytest", *arguments, "-m", marked, *report]
    return Step(name, command, (reports,), python=python)


def show(name: str, line: str) -> None:
    """One write for each line, because steps that run side by side share the screen."""
    sys.stdout.write(f"{name:<8}| {line}\n")
    sys.stdout.flush()


def last_lines(printed: Iterable[str]) -> list[str]:
    """The errors that a runner printed which named no failed test, or else its last lines."""
    lines = [line for line in printed if line]
    errors = [line for line in lines if line.startswith("[error]")]
    return (errors or lines)[-LAST_LINES:]


@contextlib.contextmanager
def temporary_directory(pause: Callable[[], None] = lambda: time.sleep(1)) -> Iterator[str]:
    """For all that tests leave behind, those most of all that are killed; it is removed in the end.

    It lies in memory where that can hold it: to force a file to disk costs a core about a millisecond, and no
    test of a process that dies needs a disk, since memory keeps what the process wrote as well.

    Its path is short: a Unix socket, which servers have in there, has a name of 107 letters at most.

    Args:
        pause: servers outlive their tests a little, and write meanwhile.
    """
    directory = tempfile.mkdtemp(prefix="stoplog-", dir=place())
    try:
        yield directory
    finally:
        for _ in range(REMOVALS):
            shutil.rmtree(directory, ignore_errors=True)
            if not Path(directory).exists():
                break
            pause()


def place() -> Path | None:
    """The parent of temporary directories; `None` is where Python or the environment puts them."""
    return IN_MEMORY if "TMPDIR" not in os.environ and has_room(IN_MEMORY) else None


@functools.cache
def has_room(directory: Path, files: int = 8 * GIB, processes: int = 8 * GIB) -> bool:
    """Whether the directory, which lies in memory, can hold the files of a run beside its processes.

    All steps of a run get the same answer, though some begin when others already use the memory.

    Args:
        files: bytes that a run has there at a time.
        processes: bytes of memory that a run needs besides.
    """
    try:
        system = os.statvfs(directory)
        memory = Path("/proc/meminfo").read_text()
    except OSError:
        return False
    available = re.search(r"^MemAvailable: +(\d+) kB$", memory, re.MULTILINE)
    loads_libraries = not system.f_flag & os.ST_NOEXEC  # as JVMs do from there
    return (
        loads_libraries
        and os.access(directory, os.W_OK)
        and system.f_bavail * system.f_frsize >= files
        and available is not None
        and int(available[1]) * 1024 >= files + processes
    )


def environment(python: str, temporary: str | None = None) -> dict[str, str]:
    """Without a Spark of the machine's own: the one under test is that of the interpreter, on loopback.

    Args:
        python: of Spark's workers.
        temporary: where temporary files go, instead of where they go by themselves.
    """
    own = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    directory = temporary or tempfile.gettempdir()
    return own | {
        "PYSPARK_PYTHON": python,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "TMPDIR": directory,
        # Java does not know TMPDIR. JAVA_TOOL_OPTIONS would have each JVM write a line to its standard error.
        "SPARK_SUBMIT_OPTS": f"-Djava.io.tmpdir={directory}",
    }
