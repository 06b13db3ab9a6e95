# SPDX-License-Identifier: Apache-2.0
"""Tests that an earlier piece of a long run has passed (`scripts/long_run.py`), in a plugin of pytest."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_NOTHING_COLLECTED = 5
_DIRECTORY = os.environ.get("STOPLOG_LONG_RUN")


def deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what has passed before this run began; each worker finds the same."""
    if _DIRECTORY and (known := Path(_DIRECTORY, "tests.txt")).exists():
        before = set(known.read_text().splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
        items[:] = [item for item in items if item.nodeid not in before]


class Recorder:
    """Notes each test that has passed, in the process that hears of all of them."""

    def __init__(self) -> None:
        self._called = set[str]()

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """That all tests have passed before is no failure."""
        if exitstatus == _NOTHING_COLLECTED:
            session.exitstatus = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test has passed once what it used is put away."""
        if report.when == "call" and report.passed:
            self._called.add(report.nodeid)
        elif report.when == "teardown" and report.passed and report.nodeid in self._called and _DIRECTORY:
            with Path(_DIRECTORY, "passed-tests.txt").open("a") as out:
                out.write(f"{report.nodeid}\n")


def record(config: pytest.Config) -> None:
    """Not in a worker, whose tests the process hears of that started it."""
    if _DIRECTORY and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder())
