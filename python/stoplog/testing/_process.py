# SPDX-License-Identifier: Apache-2.0
"""A process of a query, and the user's function that the process runs."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

_MAIN = "__main__"
_MAIN_AGAIN = "__stoplog_pipeline__"


@dataclass(frozen=True, slots=True)
class FunctionName:
    """The identity of a function: its module's name and file, and its own name."""

    module: str
    file: str
    name: str

    @classmethod
    def of(cls, function: Callable[..., Any]) -> FunctionName:
        """Returns the name by which another process finds this function.

        Raises:
            TypeError: the function is a lambda, a method, or defined inside another function.
        """
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        name = getattr(function, "__qualname__", repr(function))
        file = getattr(module, "__file__", None)
        if module is None or file is None or getattr(module, name, None) is not function:
            raise TypeError(
                f"{name} is not a top-level function of a module. A pipeline runs in another process, which "
                "finds only such functions. Define the function outside of classes and functions, and pass "
                "its other values as arguments={…}."
            )
        return cls(module.__name__, str(Path(file).resolve()), name)

    def find(self) -> Callable[..., Any]:
        """Returns the function in this process."""
        found: Callable[..., Any] = getattr(self._module(), self.name)
        return found

    def _module(self) -> ModuleType:
        if self.module != _MAIN and self._is_importable():
            return importlib.import_module(self.module)
        name = _MAIN_AGAIN if self.module == _MAIN else self.module
        spec = importlib.util.spec_from_file_location(name, self.file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{self.file} is not a Python source file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where pickles and dataclasses look
        spec.loader.exec_module(module)
        return module

    def _is_importable(self) -> bool:
        """Returns true if the module's name resolves to this file instead of another file."""
        try:
            spec = importlib.util.find_spec(self.module)
        except (ImportError, ValueError):
            return False
        return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == Path(self.file)


KILLED = (137, -signal.SIGKILL)
"""The exit codes of a halt inside the JVM and of `kill -9`."""

QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=128m -XX:+UseSerialGC"
"""In a short run, the optimizing compiler and other collectors cost more than they save."""

_JVM_OPTIONS = "spark.driver.extraJavaOptions"
_LOOK_SECONDS = 0.01
_TAIL_BYTES = 8192
# The settings of a session in this process, which would connect a child to this session.
_OF_THIS_SESSION = ("PYSPARK_GATEWAY_", "SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED")


@dataclass(frozen=True, slots=True)
class ProcessRun:
    """The instructions for a process.

    Attributes:
        fault: `<step>:<occurrence>:halt`, or nothing.
    """

    build: FunctionName
    arguments: Mapping[str, Any]
    conf: Mapping[str, str]
    source: str
    sink: str
    checkpoint: str
    trigger: Mapping[str, Any]
    fault: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"conf": self._conf()})

    def _conf(self) -> dict[str, str]:
        fault = f"-Dstoplog.faults={self.fault}" if self.fault else ""
        own = {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": f"{self.checkpoint}-warehouse",
        }
        options = " ".join(filter(None, [QUICK_JVM, fault, self.conf.get(_JVM_OPTIONS)]))
        return own | dict(self.conf) | {_JVM_OPTIONS: options}


@dataclass(frozen=True, slots=True)
class End:
    """The end of a process.

    Attributes:
        code: the exit code of the process.
        said: the last lines of the process's output.
    """

    code: int
    said: str

    @property
    def is_kill(self) -> bool:
        return self.code in KILLED


class OutOfTime(Exception):
    """A process exceeded its time limit; contains the last lines of the process's output."""


class ProcessRunner(Protocol):
    """A runner of pipelines."""

    def __call__(self, life: ProcessRun, log: Path, is_doomed: Callable[[], bool]) -> End:
        """Runs a process from start to end.

        Args:
            log: the file for the process's output.
            is_doomed: polled; `kill -9` ends the process once the function returns true.
        """


@dataclass(frozen=True, slots=True)
class ChildProcesses:
    """Runs each life in a separate process, which is the leader of its own session.

    Args:
        limit_seconds: the time limit of a process.
        command: the command line of the process.
    """

    limit_seconds: float
    command: tuple[str, ...] = (sys.executable, "-m", "stoplog.testing._child")

    def __call__(self, life: ProcessRun, log: Path, is_doomed: Callable[[], bool]) -> End:
        deadline = time.monotonic() + self.limit_seconds
        with log.open("wb") as printed:
            process = subprocess.Popen(
                self.command,
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                assert process.stdin is not None
                # Kept open: the end of the stream signals the end of this process to the child.
                with suppress(BrokenPipeError):
                    process.stdin.write(f"{life.to_json()}\n".encode())
                    process.stdin.flush()
                while not _has_ended(process) and not is_doomed():
                    if time.monotonic() > deadline:
                        raise OutOfTime(_tail(log))
            finally:
                kill(process)
        return End(process.returncode, _tail(log))


def kill(process: subprocess.Popen[Any]) -> None:
    """Kills a process and its session by `kill -9`; no effect if they have ended."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with suppress(BrokenPipeError):
                pipe.close()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_LOOK_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _environment() -> dict[str, str]:
    own = {key: value for key, value in os.environ.items() if not key.startswith(_OF_THIS_SESSION)}
    # Python workers import the modules of a user's functions from the same locations as this process.
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return {"SPARK_LOCAL_IP": "127.0.0.1"} | own | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path}


def _tail(log: Path) -> str:
    with log.open("rb") as printed:
        printed.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return printed.read().decode(errors="replace").strip()
