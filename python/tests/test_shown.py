# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of this package's objects."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from fakes import FakeQuery, progress_of
from made_sink import NOW, healthy
from test_report import Nesting

from stoplog import SinkProgress, follow
from stoplog.inspection import SinkDirectory
from stoplog.live import LiveLine


class Cell:
    """IPython with a kernel: what one cell shows, one after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kernel: object) -> None:
        self.shown: list[Any] = []
        self.displays = 0
        ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
        ipython.get_ipython = lambda: SimpleNamespace(kernel=kernel)  # type: ignore[attr-defined]
        display.display = self._display  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def _display(self, shown: object, *, display_id: bool) -> Any:
        assert display_id is True
        self.displays += 1
        self.shown.append(shown)
        return SimpleNamespace(update=self.shown.append)


def no_wait(seconds: float) -> None:
    """Lets no time pass."""


def query(*numbers: int) -> Any:
    return FakeQuery(*(progress_of(number, openParts=number) for number in numbers))


def test_follow_updates_one_output_of_a_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = Cell(monkeypatch, kernel=object())
    follow(query(1, 2), wait=no_wait)
    assert cell.displays == 1
    assert [(one.progress.batch_id, one.ended) for one in cell.shown] == [
        (1, ""),
        (2, ""),
        (2, "the query has ended"),
    ]
    assert "batch 2: 10 rows in | open 2 parts" in repr(cell.shown[-1])
    Nesting(cell.shown[-1]._repr_html_())
    assert "the query has ended" in cell.shown[-1]._repr_html_()
    assert capsys.readouterr().out == ""


def test_an_interrupt_ends_only_the_display(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    cell = Cell(monkeypatch, kernel=object())
    follow(query(1, 2), wait=interrupt)
    assert cell.shown[-1].ended == "no longer followed"


def test_a_query_without_progress_leaves_a_cell_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(monkeypatch, kernel=object())
    follow(FakeQuery(None), wait=no_wait)  # type: ignore[call-overload]
    assert cell.shown == []


def test_a_terminal_of_ipython_is_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = Cell(monkeypatch, kernel=None)
    follow(query(1), wait=no_wait)
    assert cell.shown == []
    assert "batch 1" in capsys.readouterr().out


def test_results_of_an_inspection_have_html(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write("day=3/<script>.txt", b"x")
    directory = SinkDirectory(tmp_path, clock=lambda: NOW)
    status = directory.status()
    each: list[Any] = [
        status,
        status.buckets[0],
        status.open[0],
        status.open[0].roll,
        status.rolling,
        directory.sinks()[0],
        directory.check(),
        directory.check().findings[0],
        directory.newest_record(),
        directory.explain("part-6f1c2f3e8a4b-5.json"),
    ]
    for one in each:
        html = one._repr_html_()
        assert "script" not in Nesting(html).tags, one
        assert "<caption>" in html
    assert "&lt;script&gt;.txt" in directory.check()._repr_html_()
    assert "open (2)" in status._repr_html_()
    assert "idle 60s of 5m" in status._repr_html_()


def test_long_lists_are_truncated_with_the_name_of_the_attribute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoplog._html.shown.LIMIT", 1)
    healthy(tmp_path)
    shown = SinkDirectory(tmp_path, clock=lambda: NOW).status()._repr_html_()
    assert "… and 1 more: the attribute open has them all" in shown


def test_a_progress_shows_the_metrics() -> None:
    progress = SinkProgress.parse(progress_of(7, openBytes=2048, oldestOpenPartMillis=61_000))
    shown = progress._repr_html_()
    Nesting(shown)
    assert "2 KiB" in shown
    assert "1m 1s" in shown
    assert "2 KiB" in progress.metrics._repr_html_()
    assert repr(LiveLine(progress)).startswith("batch 7: ")
