# SPDX-License-Identifier: Apache-2.0
"""The ways in which the guide's quick start gets the jar to Spark, each followed in an empty folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empty_environment import CommandFailed, EmptyEnvironment, last_words
from quick_start import QuickStart, commands_from_a_template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_SERVER_STARTS_WITHIN_SECONDS = 120
_SERVER_ENDS_WITHIN_SECONDS = 30
_LOCALHOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Visit:
    """One reader of the quick start.

    Args:
        environment: with pyspark and the wheel.
        spark: the version of pyspark.
        repository: a Maven repository that has the jar.
        folder: empty, where the reader works.
    """

    environment: EmptyEnvironment
    spark: str
    repository: Path
    folder: Path

    def shell(self, command: str) -> str:
        return self.environment.shell(self.folder, command)


def with_configure(visit: Visit) -> None:
    """The wheel's own jar, through `stoplog.configure`."""
    page = QuickStart()
    page.feed(visit.shell)
    (visit.folder / "job.py").write_text(page.job(), encoding="utf-8")
    visit.shell(page.run())
    page.look(visit.shell, visit.folder)


def with_packages(visit: Visit) -> None:
    """The jar of the repository, through `spark-submit --packages`; the wheel's is out of reach."""
    page = QuickStart()
    page.feed(visit.shell)
    (visit.folder / "job.py").write_text(page.job(), encoding="utf-8")
    # Ivy's caches in the folder: nothing of an earlier run may be found.
    options = f"--repositories {visit.repository.as_uri()} --conf spark.jars.ivy={visit.folder / 'ivy'} "
    command = page.run_without_wheel().replace("job.py", f"{options} job.py")
    nowhere = str(visit.folder / "no.jar")
    visit.environment.shell(visit.folder, command, STOPLOG_JAR=nowhere)
    page.look(visit.shell, visit.folder)


def over_connect(visit: Visit) -> None:
    """A Spark Connect server that has the jar, and a client that has the wheel."""
    page = QuickStart()
    visit.environment.install(f"pyspark[connect]=={visit.spark}")
    page.feed(visit.shell)
    port = _free_port()
    at_port = f"sc://{_LOCALHOST}:{port}"
    job = page.job_of_client().replace("sc://localhost", at_port)
    assert at_port in job, job
    (visit.folder / "job.py").write_text(job, encoding="utf-8")
    options = (
        f"--master 'local[2]' --conf spark.connect.grpc.binding.port={port} --conf spark.ui.enabled=false"
    )
    with _serving(visit, f"{page.serve().strip()} {options}", port):
        visit.shell(page.run())
        page.look(visit.shell, visit.folder)


def with_init(visit: Visit) -> None:
    """A project of `stoplog init`, by the three commands of its page; the wheel is installed already."""
    printed = visit.shell(commands_from_a_template())
    assert "2026-01-31" in printed, printed
    assert list((visit.folder / "clicks" / "output").glob("day=*/part-*.parquet"))


WAYS: dict[str, Callable[[Visit], None]] = {
    "configure": with_configure,
    "packages": with_packages,
    "connect": over_connect,
    "init": with_init,
}


@contextmanager
def _serving(visit: Visit, command: str, port: int) -> Iterator[None]:
    """A server while the block runs, in a process group of its own that ends with it."""
    said = visit.folder / "server.log"
    with said.open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            ["bash", "-c", command],
            cwd=visit.folder,
            env=visit.environment.variables(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _await_port(server, port, said)
        yield
    finally:
        _end(server)


def _await_port(server: subprocess.Popen[bytes], port: int, said: Path) -> None:
    deadline = time.monotonic() + _SERVER_STARTS_WITHIN_SECONDS
    while not _answers(port):
        if server.poll() is not None or time.monotonic() > deadline:
            text = said.read_text(encoding="utf-8", errors="replace")
            raise CommandFailed(f"the Connect server did not start: {last_words(text)}")
        time.sleep(0.2)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((_LOCALHOST, port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_LOCALHOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _end(server: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, how)
        except ProcessLookupError:
            break
        try:
            server.wait(timeout=_SERVER_ENDS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    server.wait()
