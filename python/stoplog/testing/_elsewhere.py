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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoplog._python.model import WrongUse
from stoplog.testing.laws import LawBroken

if TYPE_CHECKING:
    from types import FrameType

_MEANWHILE_SECONDS = 0.3

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


def elsewhere(function: Callable[[], Any]) -> Any:
    """Returns the result of a function in a process of its own, which is then killed.

    Raises:
        LawBroken: the function raised an exception.
    """
    return _Process(function, None).end().value


def killed_at(line: int, function: Callable[[], Any], of: object) -> Ended:
    """Runs a function in a process that is killed before its n-th line of user code.

    Args:
        of: the object of the user, whose package is user code even if the package is installed.
    """
    return _Process(function, _Stop(line, signal.SIGKILL, _package(of))).end()


def halted_at(line: int, function: Callable[[], Any], meanwhile: Callable[[], Any], of: object) -> Ended:
    """Runs a function in a process that is halted before its n-th line while another process runs another.

    The halted process may hold a lock of the target, so the other process waits only for a short time.
    """
    process = _Process(function, _Stop(line, signal.SIGSTOP, _package(of)))
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


@dataclass(frozen=True)
class _Stop:
    """Where a process stops: before the n-th line of user code, by a signal.

    Attributes:
        package: a package whose code is user code.
    """

    line: int
    signal: int
    package: str


def _package(of: object) -> str:
    return type(of).__module__.partition(".")[0]


class _Process:
    """A copy of this process, which runs one function and returns the result."""

    def __init__(self, function: Callable[[], Any], at: _Stop | None) -> None:
        self._pipe, output = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._pipe)
            _run(function, at, output)
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


def _run(function: Callable[[], Any], at: _Stop | None, output: int) -> None:
    try:
        if at is not None:
            sys.settrace(_tracer(at, output))
        try:
            result: tuple[str, Any] = ("value", function())
        finally:
            sys.settrace(None)
    except WrongUse as error:
        result = ("error", ("user code returns valid results", str(error)))
    except BaseException as error:
        last = f"{type(error).__name__}: {error}"
        result = ("error", ("user code does not fail", f"{last}\n{traceback.format_exc()}"))
    os.write(output, _MARK + pickle.dumps(result))
    os.kill(os.getpid(), signal.SIGKILL)  # nothing is closed, as if the machine had failed


def _tracer(at: _Stop, output: int) -> Callable[..., Any]:
    left = at.line

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if not _is_users(frame, at.package):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.write(output, f"line {frame.f_lineno} of {frame.f_code.co_name}\n".encode())
                os.kill(os.getpid(), at.signal)
        return trace

    return trace


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
