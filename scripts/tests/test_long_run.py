# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import long_run
from junit import Counts


@pytest.fixture
def run(tmp_path: Path) -> long_run.LongRun:
    (tmp_path / "sbt").mkdir()
    return long_run.LongRun(tmp_path / "long", (tmp_path / "sbt",))


def reports(run: long_run.LongRun, suite: str, failures: int = 0) -> Path:
    written = run.reports[0] / f"TEST-{suite}.xml"
    written.write_text(f'<testsuite name="{suite}" tests="3" failures="{failures}" errors="0"/>')
    return written


def passes(run: long_run.LongRun, test: str) -> None:
    with (run.directory / "passed-tests.txt").open("a") as out:
        out.write(f"{test}\n")


def left_out(run: long_run.LongRun) -> list[str]:
    return [line for name in ("suites.txt", "tests.txt") for line in long_run._lines(run.directory / name)]


def test_a_run_skips_the_tests_passed_by_earlier_pieces(run: long_run.LongRun) -> None:
    assert run.begin("state") == Counts()
    reports(run, "a.OneSuite")
    reports(run, "a.TwoSuite", failures=1)
    reports(run, "a.TornSuite").write_text("<testsuite")
    passes(run, "test_a.py::test_one")
    assert run.begin("state") == Counts(passed=4)
    assert left_out(run) == ["a.OneSuite", "test_a.py::test_one"]
    (run.reports[0] / "TEST-a.OneSuite.xml").unlink()  # as the runner of a step does
    reports(run, "a.TwoSuite")
    passes(run, "test_a.py::test_two")
    assert run.begin("state") == Counts(passed=8)
    assert left_out(run) == ["a.OneSuite", "a.TwoSuite", "test_a.py::test_one", "test_a.py::test_two"]


def test_changed_sources_restart_the_run(run: long_run.LongRun) -> None:
    run.begin("state")
    reports(run, "a.OneSuite")
    passes(run, "test_a.py::test_one")
    assert run.begin("another") == Counts()
    assert left_out(run) == []


def test_the_time_of_all_pieces_counts_up_to_the_last_report_of_each(run: long_run.LongRun) -> None:
    run.begin("state")
    begun = float((run.directory / "begun").read_text())
    os.utime(reports(run, "a.OneSuite"), (begun + 100, begun + 100))
    run.begin("state")
    (run.directory / "begun").write_text(str(float((run.directory / "begun").read_text()) - 20))
    assert 120 <= run.end() < 130
    assert not run.directory.exists()


def test_the_state_covers_committed_and_uncommitted_sources(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=test", "-c", "user.email=test@localhost")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "a.txt").write_text("1")
    git("add", "a.txt")
    git("commit", "-m", "first")
    first = long_run.state_of(tmp_path)
    assert long_run.state_of(tmp_path) == first
    (tmp_path / "a.txt").write_text("2")
    assert long_run.state_of(tmp_path) != first
    seen = set()
    for text in ("3", "4"):  # of a file that git does not know yet
        (tmp_path / "new.txt").write_text(text)
        seen.add(long_run.state_of(tmp_path))
    assert len(seen) == 2
