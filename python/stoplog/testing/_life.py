# SPDX-License-Identifier: Apache-2.0
"""One life of a pipeline: from the start of its process to its end, by whatever cause."""

from __future__ import annotations

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
from typing import Any, Protocol

from stoplog.testing._function import FunctionName

KILLED = (137, -signal.SIGKILL)
"""How a halt inside the JVM and a `kill -9` look from outside."""

QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=128m -XX:+UseSerialGC"
"""A short life is over before the optimizing compiler and other collectors pay."""

_JVM_OPTIONS = "spark.driver.extraJavaOptions"
_LOOK_SECONDS = 0.01
_TAIL_BYTES = 8192
# What a session in this process has set for itself, and would make a child part of it.
_OF_THIS_SESSION = ("PYSPARK_GATEWAY_", "SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED")


@dataclass(frozen=True, slots=True)
class Life:
    """What the process is told.

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
    """How a life has ended.

    Attributes:
        code: of the process.
        said: the last of what it has printed.
    """

    code: int
    said: str

    @property
    def is_kill(self) -> bool:
        return self.code in KILLED


class OutOfTime(Exception):
    """A life that had to be cut off, with the last of what it has printed."""


class Lives(Protocol):
    """Who lets a pipeline live."""

    def __call__(self, life: Life, log: Path, is_doomed: Callable[[], bool]) -> End:
        """From start to end.

        Args:
            log: the file for what the process prints.
            is_doomed: asked again and again; once it says so the process is killed by `kill -9`.
        """


@dataclass(frozen=True, slots=True)
class ChildProcesses:
    """Each life in a process of its own, the leader of its session.

    Args:
        limit_seconds: a process that takes longer hangs.
        command: what the process is.
    """

    limit_seconds: float
    command: tuple[str, ...] = (sys.executable, "-m", "stoplog.testing._child")

    def __call__(self, life: Life, log: Path, is_doomed: Callable[[], bool]) -> End:
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
                # It stays open: its end tells the child that this process is gone.
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
    """`kill -9` of a process and all of its session; harmless when they have ended."""
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
    # Python workers import what a user's functions are made of from where this process does.
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return {"SPARK_LOCAL_IP": "127.0.0.1"} | own | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path}


def _tail(log: Path) -> str:
    with log.open("rb") as printed:
        printed.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return printed.read().decode(errors="replace").strip()
