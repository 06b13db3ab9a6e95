# SPDX-License-Identifier: Apache-2.0
"""A process that runs jobs of one contender, and what each job takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.engines.paths import ROOT, class_path, java
from bench.engines.plan import HEAP, Contender, Job
from bench.engines.processes import ThreadTimes, cpu_seconds, peak_bytes

ANSWER = "answer: "
_FLINK_MAIN = "stoplog.bench.flink.Main"
# What Flink's own scripts open on Java 17.
_OPENED = ("java.lang", "java.net", "java.io", "java.nio", "java.text", "java.time", "java.util")


@dataclass(frozen=True, slots=True)
class Steady:
    """What the last commits of a job took.

    Attributes:
        threads: by the kind of thread; `None` for an engine without Spark's threads.
    """

    rows: int
    commits: int
    seconds: float
    cpu_seconds: float
    threads: ThreadTimes | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """What a job took.

    Attributes:
        seconds: from its start until all its rows were visible.
        cpu_seconds: of the whole process tree.
        commit_millis: of each commit, as the engine tells it.
        steady: the commits after the first ones of the query; of Flink, which does not tell them apart, all.
    """

    seconds: float
    cpu_seconds: float
    commit_millis: tuple[float, ...]
    steady: Steady

    @property
    def commits(self) -> int:
        """Flink makes one or two more than it is told: before the first row, and after the last."""
        return len(self.commit_millis)


class Worker:
    """Started by `worker`."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def root(self) -> int:
        return self._process.pid

    def run(self, contender: Contender, job: Job) -> Ran:
        before = cpu_seconds(self.root)
        words = [contender.word, job.rows, job.commits, job.interval_millis, job.pace, job.out, job.state]
        said = self._ask(" ".join(map(str, [*words, job.dropped])))
        used = cpu_seconds(self.root) - before
        millis = tuple(said["commit_millis"])
        return Ran(said["seconds"], used, millis, _steady(said, job, used))

    def peak_bytes(self) -> int:
        """The most memory that it has held so far, with all processes below it."""
        return peak_bytes(self.root)

    def wait(self) -> dict[str, Any]:
        """For its next answer."""
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(ANSWER):
                answer: dict[str, Any] = json.loads(line.removeprefix(ANSWER))
                return answer
        code = self._process.wait()
        raise RuntimeError(f"{self._process.args!r} ended with {code}:\n{tail(self._log)}")

    def _ask(self, job: str) -> dict[str, Any]:
        assert self._process.stdin
        print(job, file=self._process.stdin, flush=True)
        return self.wait()


@contextmanager
def worker(
    engine: str, folder: Path, settings: Mapping[str, str], environment: Mapping[str, str]
) -> Iterator[Worker]:
    """One for `engine`, with settings of its own, that ends with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log"
    command = (_flink if engine == "Flink" else _spark)([f"{key}={value}" for key, value in settings.items()])
    with (
        log.open("ab") as errors,
        subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **environment},
        ) as process,
    ):
        try:
            started = Worker(process, log)
            started.wait()
            yield started
        finally:
            _end(process)


def _steady(said: Mapping[str, Any], job: Job, cpu_seconds: float) -> Steady:
    if "steady" not in said:
        return Steady(job.all_rows, len(said["commit_millis"]), said["seconds"], cpu_seconds)
    threads = ThreadTimes(**said["steady"]["threads"])
    commits = job.commits - job.dropped
    return Steady(job.rows * commits, commits, said["steady"]["seconds"], threads.all, threads)


def tail(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-30:])


def _spark(settings: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "bench.engines.spark_worker", *settings]


def _flink(settings: Sequence[str]) -> list[str]:
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    return [java(), f"-Xmx{HEAP}", *opened, "-cp", class_path("flink"), _FLINK_MAIN, *settings]


def _end(process: subprocess.Popen[str], patience_seconds: float = 20.0) -> None:
    """The end of its input ends it; what is left of it after a while is killed."""
    assert process.stdin
    process.stdin.close()
    deadline = time.monotonic() + patience_seconds
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
