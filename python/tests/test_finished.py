# SPDX-License-Identifier: Apache-2.0
"""The end of a query on Spark Connect, as its sink's log shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from stoplog import Finished, NotAStoplogQuery, finished, stopping
from stoplog.finished import Clock, finished_by_log, stopped_by_log

STOPLOG = "stoplog[/data/out#clicks]"


@dataclass
class Time:
    """A clock that only waits move."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list)

    def clock(self) -> Clock:
        return Clock(lambda: self.now, self._wait)

    def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


class Query:
    """A query that runs for some looks at it."""

    def __init__(self, active: int = 0, sink: str = STOPLOG, epochs: int = 1, error: object = None) -> None:
        self.name = "q"
        self.runId = "run-1"
        self._session = "session"
        self._active = active
        self._error = error
        metrics = {"openParts": "0", "epochsCommitted": str(epochs)} if sink.startswith("stoplog") else {}
        self.lastProgress: dict[str, Any] | None = {
            "batchId": 0,
            "sink": {"description": sink, "metrics": metrics},
        }
        self.status = {"isTriggerActive": True}
        self.stopped = False

    @property
    def isActive(self) -> bool:
        self._active -= 1
        return self._active >= 0 and not self.stopped

    def exception(self) -> object:
        return self._error

    def stop(self) -> None:
        self.stopped = True


class View:
    """A view whose first row is one of these, the last one for good; an exception is raised."""

    def __init__(self, *rows: Any) -> None:
        self._rows = list(rows)
        self.calls: list[tuple[object, ...]] = []

    def __call__(self, *named: object) -> View:
        self.calls.append(named)
        return self

    def selectExpr(self, *columns: str) -> View:
        return self

    select = orderBy = lambda self, *columns, **options: self

    def head(self) -> Any:
        row = self._rows.pop(0) if len(self._rows) > 1 else self._rows[0]
        if isinstance(row, Exception):
            raise row
        return row


def views(monkeypatch: pytest.MonkeyPatch, parts: View, newest: tuple[str, int] = ("epoch", 2)) -> None:
    monkeypatch.setattr(finished, "open_parts", parts)
    monkeypatch.setattr(finished, "epochs", View(newest))


def wait(query: Query, time: Time, timeout: float = 10) -> Finished:
    return finished_by_log(cast("Any", query), timeout, time.clock())


def test_waits_for_the_query_and_for_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = View((1, 3, 30), (2, 5, 50), (2, 5, 50), (0, 0, 0))
    views(monkeypatch, parts)
    time = Time()
    assert wait(Query(active=1), time) == Finished(in_time=True)
    assert len(time.waits) == 3
    assert set(parts.calls) == {("session", "/data/out", "clicks")}


def test_a_released_log_has_parts_that_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View((2, 5, 50)), newest=("release", 2))
    time = Time()
    found = wait(Query(), time)
    assert (found, bool(found), time.waits) == (Finished(True, 2, 5, 50), False, [])


def test_a_release_that_is_not_carried_out_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View((5, 50, 500), (0, 0, 0)), newest=("release", 0))
    time = Time()
    assert wait(Query(), time) == Finished(in_time=True)
    assert len(time.waits) == 1
    views(monkeypatch, View((5, 50, 500), (2, 5, 50)), newest=("release", 2))
    assert wait(Query(), Time()) == Finished(True, 2, 5, 50)


def test_a_release_of_an_earlier_run_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View((2, 5, 50), (0, 0, 0)), newest=("release", 2))
    assert wait(Query(epochs=0), Time()) == Finished(in_time=True)


def test_the_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View((2, 5, 50)))
    time = Time()
    assert wait(Query(), time, timeout=0.25) == Finished(False, 2, 5, 50)
    assert time.now == pytest.approx(0.25)
    running = Query(active=1000)
    running.lastProgress = None
    assert wait(running, Time(), timeout=0.25) == Finished(in_time=False)


def test_a_failed_query_is_not_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View((0, 0, 0)))
    assert wait(Query(error="failed"), Time()) == Finished(in_time=False)


def test_a_sink_without_a_log_has_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View(RuntimeError("[STOPLOG_SINK_UNKNOWN] There is no log of a sink clicks.")))
    assert wait(Query(epochs=0), Time()) == Finished(in_time=True)


@pytest.mark.parametrize(("epochs", "open_parts"), [(1, 0), (0, 2)])
def test_an_absent_log_of_a_committed_epoch_is_an_error(
    epochs: int, open_parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    views(monkeypatch, View(RuntimeError("[STOPLOG_SINK_UNKNOWN] There is no log of a sink clicks.")))
    query = Query(epochs=epochs)
    assert query.lastProgress is not None
    query.lastProgress["sink"]["metrics"]["openParts"] = str(open_parts)
    with pytest.raises(RuntimeError, match="STOPLOG_SINK_UNKNOWN"):
        wait(query, Time())


def test_a_failure_of_the_view_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View(RuntimeError("connection lost")))
    with pytest.raises(RuntimeError, match="connection lost"):
        wait(Query(), Time())


@pytest.mark.parametrize("sink", ["org.apache.spark.sql.noop", "ForeachBatchSink"])
def test_a_query_of_another_sink_is_refused_and_goes_on(sink: str) -> None:
    query = Query(active=1000, sink=sink)
    with pytest.raises(NotAStoplogQuery):
        wait(query, Time())
    with pytest.raises(NotAStoplogQuery):
        stopped_by_log(cast("Any", query), 10, Time().clock())
    assert not query.stopped


def test_a_query_that_has_ended_without_a_progress_is_refused() -> None:
    query = Query()
    query.lastProgress = None
    with pytest.raises(NotAStoplogQuery):
        wait(query, Time())


def test_a_stop_waits_for_the_end_of_a_trigger(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View((2, 5, 50)), newest=("release", 2))
    query = Query(active=1000)
    query.status = {"isTriggerActive": False}
    assert stopped_by_log(cast("Any", query), 10, Time().clock()) == Finished(True, 2, 5, 50)
    assert query.stopped


def test_a_stop_within_a_micro_batch_is_not_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    views(monkeypatch, View((0, 0, 0)))
    query, time = Query(active=1000), Time()
    assert stopped_by_log(cast("Any", query), 1, time.clock()) == Finished(in_time=False)
    assert query.stopped
    assert time.now == pytest.approx(1)


def test_await_finished_reads_the_log_on_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "is_connect", lambda: True)
    views(monkeypatch, View((0, 0, 0)))
    assert stopping.await_finished(cast("Any", Query()))
    assert stopping.stop_after_batch(cast("Any", Query()))
