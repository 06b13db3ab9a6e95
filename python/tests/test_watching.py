# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
from typing import Any

import pytest
from fakes import FakeBridge, FakeQuery, progress_of

from stoplog import NotAStoplogQuery, SinkMetrics, SinkProgress, follow, progress


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def query(*progresses: dict[str, Any] | None) -> Any:
    return FakeQuery(*progresses)


def no_wait(seconds: float) -> None:
    """Lets no time pass."""


def test_each_progress_is_returned_once() -> None:
    waits: list[float] = []
    running = query(None, progress_of(0), progress_of(0), progress_of(1), progress_of(2))
    batches = [each.batch_id for each in progress(running, every=0.5, wait=waits.append)]
    assert batches == [0, 1, 2]
    assert set(waits) == {0.5}


def test_a_query_without_progress_returns_nothing() -> None:
    assert list(progress(query(None), wait=no_wait)) == []


def test_metrics_are_numbers_by_name() -> None:
    (only,) = progress(query(progress_of(3, openParts=4, rolledByOpenLimit=2, oldestOpenPartMillis=99)))
    assert only == SinkProgress(
        batch_id=3,
        timestamp="2026-01-01T00:00:03.000Z",
        input_rows=10,
        metrics=SinkMetrics(open_parts=4, rolled_by_open_limit=2, oldest_open_part_millis=99),
    )


def test_on_connect_the_sources_have_the_number_of_rows() -> None:
    of_connect = {
        **progress_of(3),
        "numInputRows": None,
        "sources": [{"numInputRows": 2}, {"numInputRows": 3}],
    }
    (only,) = progress(query(of_connect))
    assert only.input_rows == 5


def test_a_progress_of_another_sink_has_zeros() -> None:
    assert SinkProgress.parse({**progress_of(0), "sink": {"metrics": None}}).metrics == SinkMetrics()


@pytest.mark.parametrize("metrics", [None, {}, {"rowsSent": "3"}])
def test_a_query_of_another_sink_is_rejected(metrics: dict[str, str] | None) -> None:
    out = io.StringIO()
    with pytest.raises(
        NotAStoplogQuery, match="The query run-1 does not write to a sink of stoplog"
    ) as raised:
        follow(query({**progress_of(0), "sink": {"metrics": metrics}}), wait=no_wait, out=out)
    assert raised.value.condition == "STOPLOG_NOT_A_STOPLOG_QUERY"
    assert out.getvalue() == ""


def test_the_last_line_has_the_final_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = FakeBridge()
    bridge.final = {"openParts": "0", "publishedParts": "8", "publishedRows": "24000"}
    monkeypatch.setattr("stoplog.metrics.find_bridge", lambda: bridge)
    out = io.StringIO()
    follow(query(progress_of(0, openParts=4, publishedRows=12_000)), wait=no_wait, out=out)
    first, last = out.getvalue().splitlines()
    assert "12,000 rows" in first
    assert last == "batch 0: 10 rows in | open 0 parts, 0 B | pending 0 | published 8 parts, 0 B, 24,000 rows"
    assert bridge.awaited == [("run-1", 60_000)]


def test_unchanged_final_metrics_print_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = FakeBridge()
    monkeypatch.setattr("stoplog.metrics.find_bridge", lambda: bridge)
    for final in ({"openParts": "0"}, {}):
        bridge.final = final
        out = io.StringIO()
        follow(query(progress_of(0)), wait=no_wait, out=out)
        assert len(out.getvalue().splitlines()) == 1


def test_following_in_the_background_continues_until_the_query_ends() -> None:
    out = io.StringIO()
    following = follow(
        query(progress_of(0), progress_of(1, openParts=1)), wait=no_wait, out=out, background=True
    )
    assert following.join(30)
    assert not following.running
    assert "open 1 part," in out.getvalue().splitlines()[-1]


def test_following_in_the_background_can_be_stopped() -> None:
    out = io.StringIO()
    running = query(*(progress_of(batch) for batch in range(50)))
    following = follow(running, every=3600, out=out, background=True)
    following.stop()
    assert not following.running
    assert running.isActive


def test_an_error_in_the_background_is_raised_by_join() -> None:
    following = follow(
        query({**progress_of(0), "sink": {}}), wait=no_wait, out=io.StringIO(), background=True
    )
    with pytest.raises(NotAStoplogQuery):
        following.join()


def test_follow_writes_lines_to_a_file() -> None:
    out = io.StringIO()
    follow(query(progress_of(0), progress_of(1, openParts=2)), wait=no_wait, out=out)
    first, second = out.getvalue().splitlines()
    assert first.startswith("batch 0: 10 rows in | open 0 parts")
    assert second.startswith("batch 1: 10 rows in | open 2 parts")


def test_follow_rewrites_a_single_line_in_a_terminal() -> None:
    out = Screen()
    follow(query(progress_of(0), progress_of(1)), wait=no_wait, out=out)
    assert out.getvalue().count("\n") == 1
    assert out.getvalue().count("\r") == 2


def test_an_interrupt_ends_the_following_quietly() -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    out = io.StringIO()
    follow(query(progress_of(0), progress_of(1)), wait=interrupt, out=out)
    assert len(out.getvalue().splitlines()) == 1


def test_follow_prints_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    follow(query(progress_of(0)), wait=no_wait)
    assert "batch 0" in capsys.readouterr().out
