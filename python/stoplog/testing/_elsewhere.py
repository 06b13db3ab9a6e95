# SPDX-License-Identifier: Apache-2.0
"""Runs user code in another process, which can be killed or halted at each line of the user's code."""

from __future__ import annotations

import functools
import os
import pickle
import select
import signal
import site
import subprocess
import sys
import sysconfig
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoplog._python.model import WrongUse
from stoplog.testing.laws import LawBroken

if TYPE_CHECKING:
    from types import FrameType

_MEANWHILE_SECONDS = 0.3

_MOST_POINTS = 200
"""The number of points at which the processes of one method are killed: each takes about 50 milliseconds."""

_OWN = ("stoplog", "pyarrow", "pyspark")


@dataclass(frozen=True)
class Ended:
    """The end of a process.

    Attributes:
        value: what the function returned; `None` if the process was killed.
        line: the line at which the process was killed; `None` if the function has returned before.
    """

    value: Any
    line: str | None = None


@dataclass(frozen=True)
class Point:
    """A point in the run of a function: before the n-th execution of a line of user code."""

    file: str
    line: int
    method: str
    nth: int

    def __str__(self) -> str:
        return f"line {self.line} of {self.method}"


def elsewhere(function: Callable[[], Any]) -> Any:
    """Returns the result of a function in a process of its own, which is then killed.

    Raises:
        LawBroken: the function raised an exception.
    """
    return _Process(function, None).end().value


def kill_points(function: Callable[[], Any], of: object) -> list[Point]:
    """Runs a function to its end in another process, and returns the points at which to stop other runs.

    A line of user code has up to two points, before its first and its last execution: a loop over many rows
    must not hide the lines after the loop. Warns if points are left out, because there are too many.

    Args:
        of: the object of the user, whose package is user code even if the package is installed.
    """
    points: list[Point] = _Process(function, _Watch(_package(of))).end().value
    if len(points) <= _MOST_POINTS:
        return points
    half = _MOST_POINTS // 2
    first, last = points[:-half], points[-half:]
    warnings.warn(
        f"Processes are killed at {_MOST_POINTS} of {len(points)} points of user code, which include the "
        f"last {half}. The laws are not checked at the other points.",
        stacklevel=2,
    )
    return [first[number * len(first) // half] for number in range(half)] + last


def killed_at(point: Point, function: Callable[[], Any], of: object) -> Ended:
    """Runs a function in a process that is killed at a point; `of` is that of `kill_points`."""
    return _Process(function, _Stop(point, signal.SIGKILL, _package(of))).end()


def halted_at(point: Point, function: Callable[[], Any], meanwhile: Callable[[], Any], of: object) -> Ended:
    """Runs a function in a process that is halted at a point while another process runs another function.

    The halted process may hold a lock of the target, so the other process waits only for a short time.
    """
    process = _Process(function, _Stop(point, signal.SIGSTOP, _package(of)))
    where = process.halt()
    if where is not None:
        other = _Process(meanwhile, None)
        other.wait(_MEANWHILE_SECONDS)
        os.kill(process.pid, signal.SIGCONT)
        other.end()
    return Ended(process.end().value, where)


def in_another_python(call: Callable[[], Any]) -> Any:
    """Returns the result of a call in a new Python, in which a set of texts has another order.

    Args:
        call: contains the code of the user as a pickle.

    Raises:
        LawBroken: the call raised this error.
        RuntimeError: the new Python has failed.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    ended = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import _answer; _answer()"],
        input=pickle.dumps(call),
        env=os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=False,
    )
    _, mark, result = ended.stdout.partition(_MARK)
    if not mark:
        raise RuntimeError(f"another Python has failed: {ended.stderr.decode(errors='replace')}")
    kind, value = pickle.loads(result)
    if kind == "error":
        raise LawBroken(*value)
    return value


_MARK = b"\n\0"


def _answer() -> None:
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # user code may print
    try:
        result = ("value", pickle.load(sys.stdin.buffer)())
    except LawBroken as error:
        result = ("error", (error.law, str(error).removeprefix(f"{error.law}: ")))
    with output:
        output.write(_MARK + pickle.dumps(result))


class _Watch:
    """Notes the first and the last execution of each line of user code in a process.

    Args:
        package: a package whose code is user code.

    Attributes:
        output: the pipe to the parent process.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.output = -1
        self._executed = 0
        self._counts: Counter[tuple[str, int]] = Counter()
        self._first: list[tuple[int, Point]] = []
        self._last: dict[tuple[str, int], tuple[int, Point]] = {}

    def trace(self, frame: FrameType, event: str, _: object) -> Any:
        """Implements the function of `sys.settrace`."""
        if not _is_users(frame, self.package):
            return None
        if event == "line":
            code = frame.f_code
            self._executed += 1
            self._counts[code.co_filename, frame.f_lineno] += 1
            nth = self._counts[code.co_filename, frame.f_lineno]
            self.at(Point(code.co_filename, frame.f_lineno, code.co_name, nth))
        return self.trace

    def at(self, point: Point) -> None:
        noted = (self._executed, point)
        if point.nth == 1:
            self._first.append(noted)
        else:
            self._last[point.file, point.line] = noted

    def result(self, _: object) -> Any:
        """Returns the answer of the process in place of the result of its function: the points, in order."""
        return [point for _, point in sorted([*self._first, *self._last.values()], key=itemgetter(0))]


class _Stop(_Watch):
    """Stops this process at a point, by a signal."""

    def __init__(self, point: Point, by: int, package: str) -> None:
        super().__init__(package)
        self._point = point
        self._by = by

    def at(self, point: Point) -> None:
        if point == self._point:
            os.write(self.output, f"{point}\n".encode())
            os.kill(os.getpid(), self._by)

    def result(self, value: object) -> Any:
        return value


def _package(of: object) -> str:
    return type(of).__module__.partition(".")[0]


class _Process:
    """A copy of this process, which runs one function and returns the result."""

    def __init__(self, function: Callable[[], Any], watch: _Watch | None) -> None:
        self._pipe, output = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._pipe)
            _run(function, watch, output)
        os.close(output)
        self._said = b""
        self._status: int | None = None

    def halt(self) -> str | None:
        """Waits for a halt; returns the line, or `None` if the process has ended."""
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            return _line_of(os.read(self._pipe, 1 << 16))
        self._status = status
        return None

    def wait(self, seconds: float) -> None:
        """Waits for the result, and not for long."""
        select.select([self._pipe], [], [], seconds)

    def end(self) -> Ended:
        """Waits for the end."""
        with os.fdopen(self._pipe, "rb") as pipe:
            said = pipe.read()
        if self._status is None:
            os.waitpid(self.pid, 0)
        text, _, result = said.partition(_MARK)
        if not result:
            return Ended(None, _line_of(text))
        kind, value = pickle.loads(result)
        if kind == "error":
            raise LawBroken(*value)
        return Ended(value)


def _run(function: Callable[[], Any], watch: _Watch | None, output: int) -> None:
    try:
        if watch is not None:
            watch.output = output
            sys.settrace(watch.trace)
        try:
            value = function()
        finally:
            sys.settrace(None)
        result: tuple[str, Any] = ("value", value if watch is None else watch.result(value))
    except WrongUse as error:
        result = ("error", ("user code returns valid results", str(error)))
    except BaseException as error:
        last = f"{type(error).__name__}: {error}"
        result = ("error", ("user code does not fail", f"{last}\n{traceback.format_exc()}"))
    os.write(output, _MARK + pickle.dumps(result))
    os.kill(os.getpid(), signal.SIGKILL)  # nothing is closed, as if the machine had failed


def _is_users(frame: FrameType, package: str) -> bool:
    name = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return name == package or (name not in _OWN and not _is_installed(frame.f_code.co_filename))


@functools.cache
def _is_installed(file: str) -> bool:
    """Not by the name of a directory: the home of a user may be below a directory `lib`."""
    named = [sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    places = {Path(place).resolve() for place in (*named, *site.getsitepackages())}
    return file.startswith("<frozen") or not places.isdisjoint(Path(file).resolve().parents)


def _line_of(said: bytes) -> str | None:
    return said.decode().strip() or None
