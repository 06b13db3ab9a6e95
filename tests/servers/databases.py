# SPDX-License-Identifier: Apache-2.0
"""Databases of tests and benchmarks, each in processes of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .jars import class_path
from .starting import _answer, _process

_STOP_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Database:
    """One that runs.

    Args:
        url: for JDBC.
        conf: what Spark must be told: the jar of the connector, and drivers.
    """

    url: str
    conf: dict[str, str]
    _process: subprocess.Popen[str]

    def crash(self) -> None:
        """`kill -9` of all its processes."""
        _answer(self._process, "crash")

    def start(self) -> None:
        """Again, on the same port and data; returns when it takes connections."""
        _answer(self._process, "start")

    def execute(self, sql: str) -> None:
        _answer(self._process, sql)

    def rows(self, sql: str) -> list[list[str]]:
        """By plain JDBC. Values must have no comma and no semicolon."""
        text = _answer(self._process, sql)
        return [row.split(",") for row in text.split(";")] if text else []


@contextlib.contextmanager
def postgres(directory: Path) -> Iterator[Database]:
    """PostgreSQL over a directory, which keeps its data over crashes."""
    with _process("jdbcServers", "stoplog.servers.Postgres", directory) as process:
        jars = [jar for name in ("jdbc", "jdbcDrivers") for jar in class_path(name).split(os.pathsep)]
        try:
            yield Database(_answer(process), {"spark.jars": ",".join(jars)}, process)
        finally:
            # Its processes are not children of this one: it ends them itself, at the end of its input.
            assert process.stdin
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
