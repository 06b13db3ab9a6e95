# SPDX-License-Identifier: Apache-2.0
"""Long commands show their progress: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
import os
import pty
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from stoplog.cli import progress
from stoplog.cli.main import main
from stoplog.cli.progress import Bar, Latest, Lines, watched
from stoplog.inspection import SinkDirectory


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_have_rate_and_time_left_and_appear_every_ten_seconds() -> None:
    out, clock = io.StringIO(), Clock()
    lines = Lines("check", "record", out, clock)
    for second in range(31):
        clock.now = second
        lines.to(second * 100, 6_000)
    assert out.getvalue().splitlines() == [
        "stoplog check: 1,000 of 6,000 records, 100/s, 50 s left",
        "stoplog check: 2,000 of 6,000 records, 100/s, 40 s left",
        "stoplog check: 3,000 of 6,000 records, 100/s, 30 s left",
    ]


def test_a_line_without_a_known_total_has_the_time() -> None:
    out, clock = io.StringIO(), Clock()
    lines = Lines("relocate", "step", out, clock)
    clock.now = 12
    lines.to(0, 0)
    assert out.getvalue() == "stoplog relocate: running for 12 s\n"


def test_the_rate_restarts_with_each_stage() -> None:
    out, clock = io.StringIO(), Clock()
    lines = Lines("compact", "task", out, clock)
    clock.now = 9
    lines.to(0, 0)  # files are listed
    for second, done in ((10, 0), (20, 100), (21, 0), (31, 20)):
        clock.now = second
        lines.to(done, 200)
    assert out.getvalue().splitlines() == [
        "stoplog compact: 0 of 200 tasks",
        "stoplog compact: 100 of 200 tasks, 10/s, 10 s left",
        "stoplog compact: 20 of 200 tasks, 2/s, 90 s left",
    ]


def test_a_tool_shows_the_parts_that_the_jar_reports() -> None:
    latest = Latest()
    assert latest.poll() == (0, 0)
    latest.to(3, 9)
    assert latest.poll() == (3, 9)


def test_a_short_check_prints_no_progress(sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "events"]) == 0
    assert capsys.readouterr().err == ""


def test_a_check_reports_each_record(sink: Path) -> None:
    seen: list[tuple[int, int]] = []
    SinkDirectory("events").check(watch=lambda done, total: seen.append((done, total)))
    assert seen[:2] == [(0, 6), (1, 6)]
    assert len(seen) % 6 == 0


def test_a_call_that_reports_nothing_is_polled_until_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_LOOK_SECONDS", 0.001)
    polled = threading.Event()

    def poll() -> tuple[int, int]:
        polled.set()
        raise RuntimeError("the session has ended")

    with watched("compact", "task", poll):
        assert polled.wait(60)
    assert progress._THREAD not in {each.name for each in threading.enumerate()}


def test_an_error_of_the_call_stays_as_it_is() -> None:
    with pytest.raises(ValueError, match="of the call"), watched("compact", "task", Latest().poll):
        raise ValueError("of the call")


def test_a_terminal_shows_a_bar_with_rate_and_time_left() -> None:
    pytest.importorskip("rich")
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as terminal:
        clock = Clock()
        bar = Bar("check", "record", terminal, clock)
        clock.now = 10
        bar.to(3_000, 6_000)
        bar._bar.refresh()
        bar.close()
    shown = os.read(leader, 65_536).decode()
    os.close(leader)
    assert "check" in shown
    assert "3,000 of 6,000 records, 300/s, 10 s left" in shown


def test_a_terminal_without_the_library_shows_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    terminal: Any = io.StringIO()
    terminal.isatty = lambda: True
    with progress.progress("check", "record", terminal) as shown:
        assert isinstance(shown, Lines)


def test_the_library_is_not_imported_without_a_terminal() -> None:
    with progress.progress("check", "record", io.StringIO()) as shown:
        assert isinstance(shown, Lines)
    assert sys.stderr is not None
