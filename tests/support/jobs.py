# SPDX-License-Identifier: Apache-2.0
"""Queries and batch writes in a process of their own, which a test may kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from servers.patience import patience
from stoplog.testing._process import kill
from support.jvm import EXECUTOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.place import Place

JOBS = Path(__file__).resolve().parent.parent / "jobs"
KILLED = 137
GIVE_UP_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Job:
    """The settings that the script of a job receives, as JSON.

    Args:
        fault: `<step>:<occurrence>:<halt|throw>` in the driver's JVM.
        executor_fault: the same in each executor's JVM.
        select: the columns, as SQL expressions over `value`.
        rows: for a batch write: the rows are the numbers up to this.
        source: the options of stoplog's source, for a query that reads with it.
        files: of a micro-batch, at most.
    """

    path: str
    input: str = ""
    checkpoint: str = ""
    options: dict[str, str] = field(default_factory=dict)
    trigger: dict[str, Any] = field(default_factory=lambda: {"availableNow": True})
    master: str = "local[2]"
    conf: dict[str, str] = field(default_factory=dict)
    select: list[str] = field(default_factory=lambda: ["value"])
    fault: str = ""
    executor_fault: str = ""
    mode: str = "append"
    rows: int = 0
    source: dict[str, str] = field(default_factory=dict)
    files: int = 2

    @classmethod
    def at(cls, place: Place, **more: Any) -> Job:
        """A query that reads the place's input and keeps its checkpoint."""
        return cls(**{"path": "", "input": str(place.input), "checkpoint": str(place.checkpoint)} | more)

    def run(self, script: str = "stream_job.py", **limits: Any) -> Outcome:
        """To its end, which must come by itself."""
        with self.running(script, **limits) as process:
            printed, _ = process.communicate(timeout=GIVE_UP_SECONDS)
        return Outcome(process.returncode, printed)

    @contextmanager
    def running(self, script: str = "stream_job.py", **limits: Any) -> Iterator[subprocess.Popen[str]]:
        """From its start to `kill -9`, which does no harm once it has ended.

        Its standard output is a pipe of the few lines that the script prints.
        """
        process = self._start(script, limits)
        try:
            yield process
        finally:
            kill(process)

    def _start(self, script: str, limits: dict[str, Any]) -> subprocess.Popen[str]:
        command = [sys.executable, str(JOBS / script), json.dumps(asdict(self) | {"conf": self._conf()})]
        environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True, **limits
        )

    def _conf(self) -> dict[str, str]:
        own = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            # One task for each input file.
            "spark.sql.files.openCostInBytes": "128m",
            "spark.driver.extraJavaOptions": _jvm(self.fault),
            "spark.executor.extraJavaOptions": f"{EXECUTOR} {_jvm(self.executor_fault)}",
        }
        return own | self.conf


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a process ended: its exit code, `KILLED` if a fault halted its JVM, and what it printed."""

    code: int
    printed: str


def first_line(process: subprocess.Popen[str]) -> str:
    """What a script prints first, without its end."""
    assert process.stdout is not None
    with patience(process):
        line = process.stdout.readline()
    assert line, "the script has ended, or printed nothing for minutes"
    return line.rstrip("\n")


def _jvm(fault: str) -> str:
    options = f"-Djava.io.tmpdir={tempfile.gettempdir()}"  # Java does not know TMPDIR
    return f"{options} -Dstoplog.faults={fault}" if fault else options
