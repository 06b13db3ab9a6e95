# SPDX-License-Identifier: Apache-2.0
"""The end of a query: whether readers see all rows that the query has committed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stoplog._html.shown import Shown
from stoplog._jvm import bridge
from stoplog.errors import NotAStoplogQuery, condition_of
from stoplog.metrics import sink_of
from stoplog.views import epochs, open_parts

if TYPE_CHECKING:
    from pyspark.sql import Row
    from pyspark.sql.streaming.query import StreamingQuery
    from typing_extensions import Self

_LOOK_SECONDS = 0.1
_DESCRIPTION = re.compile(r"stoplog\[(?P<path>.*?)(#(?P<sink_id>[^#]*))?\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finished(Shown):
    """The result of waiting for the end of a query. True only if no row of the query is left invisible.

    Attributes:
        in_time: true if the query and its sink have ended in time, and no micro-batch was interrupted.
        open_parts: the parts that readers do not see yet. A part counts until it has its final name.
        rows: the rows in these parts.
        bytes: the bytes of these parts.

    >>> bool(Finished(in_time=True))
    True
    >>> bool(Finished(in_time=True, open_parts=2, rows=10, bytes=4096))
    False
    """

    in_time: bool
    open_parts: int = 0
    rows: int = 0
    bytes: int = 0

    def __bool__(self) -> bool:
        return self.in_time and self.open_parts == 0

    @classmethod
    def of_jar(cls, found: Any) -> Self:
        """Converts the jar's `stoplog.Finished`."""
        return cls(
            in_time=bool(found.inTime()),
            open_parts=int(found.openParts()),
            rows=int(found.rows()),
            bytes=int(found.bytes()),
        )


@dataclass(frozen=True, slots=True)
class Clock:
    """The time, for a wait with a limit; tests may pass another clock.

    Attributes:
        seconds: returns the current time in seconds.
        wait: waits for the given number of seconds.
    """

    seconds: Callable[[], float] = time.monotonic
    wait: Callable[[float], object] = time.sleep


def finished_by_log(query: StreamingQuery, timeout: float, clock: Clock | None = None) -> Finished:
    """Waits for the end of a query by the sink's log, which a Connect client reads as a table.

    Raises:
        NotAStoplogQuery: the query writes to another sink, or has ended without a progress.
    """
    at = clock or Clock()
    deadline = at.seconds() + timeout
    while True:
        # Read before the log: a query that ends after this line is checked once more.
        ended = not query.isActive
        progress: Any = query.lastProgress
        if ended or progress:
            found, over = _look(query, progress, ended)
            if over or at.seconds() >= deadline:
                return found
        elif at.seconds() >= deadline:
            return Finished(in_time=False)
        at.wait(min(_LOOK_SECONDS, max(deadline - at.seconds(), 0.0)))


def stopped_by_log(query: StreamingQuery, timeout: float, clock: Clock | None = None) -> Finished:
    """Stops a query between two micro-batches; a Connect client sees only micro-batches in the log.

    Raises:
        NotAStoplogQuery: the query writes to another sink; the query continues.
    """
    at = clock or Clock()
    deadline = at.seconds() + timeout
    first = _batch(query)
    between = _is_between(query, first)
    while not between and at.seconds() < deadline:
        at.wait(min(_LOOK_SECONDS, max(deadline - at.seconds(), 0.0)))
        between = _is_between(query, first)
    query.stop()
    found = finished_by_log(query, max(deadline - at.seconds(), 0.0), at)
    return replace(found, in_time=between and found.in_time)


def _is_between(query: StreamingQuery, first: int | None) -> bool:
    return not query.isActive or not query.status["isTriggerActive"] or _batch(query) != first


def _batch(query: StreamingQuery) -> int | None:
    progress: Any = query.lastProgress
    if not progress:
        return None
    _sink_of(query, progress)
    return int(progress["batchId"])


def _look(query: StreamingQuery, progress: Any, ended: bool) -> tuple[Finished, bool]:
    """Returns the state of the log, and whether the state is final."""
    path, sink_id = _sink_of(query, progress)
    # Read before the parts: after this record, the run of the query only publishes the parts of the record.
    left_open = _open_at_release(query, path, sink_id) if ended and _has_begun(progress) else 0
    parts, rows, size = _counts(query, path, sink_id, has_log=_has_log(progress))
    over = ended and parts == (left_open or 0)
    return Finished(over and query.exception() is None, parts, rows, size), over


def _counts(query: StreamingQuery, path: str, sink_id: str, *, has_log: bool) -> tuple[int, int, int]:
    session: Any = query
    counted = _head(
        lambda: open_parts(session._session, path, sink_id).selectExpr(
            "count(*) AS parts", "coalesce(sum(records), 0) AS rows", "coalesce(sum(bytes), 0) AS size"
        ),
        has_log=has_log,
    )
    return (0, 0, 0) if counted is None else (int(counted[0]), int(counted[1]), int(counted[2]))


def _open_at_release(query: StreamingQuery, path: str, sink_id: str) -> int | None:
    """Returns the parts that the last record of a run leaves open; `None` before this record."""
    session: Any = query
    newest = _head(
        lambda: (
            epochs(session._session, path, sink_id)
            .orderBy("seq", ascending=False)
            .select("kind", "open_parts")
        ),
        has_log=True,
    )
    return int(newest[1]) if newest is not None and newest[0] == "release" else None


def _head(view: Callable[[], Any], *, has_log: bool) -> Row | None:
    """Returns the first row; `None` also for a sink without a log, whose query has committed nothing.

    A log that must exist and is not found is an error: the description of a sink has no secrets, so its path
    may not be the path of the sink.
    """
    try:
        found: Row | None = view().head()
    except Exception as error:
        if condition_of(error) == "STOPLOG_SINK_UNKNOWN" and not has_log:
            return None
        raise
    return found


def _has_log(progress: Mapping[str, Any]) -> bool:
    metrics = progress["sink"].get("metrics") or {}
    return _has_begun(progress) or int(metrics.get("openParts", 0)) > 0


def _has_begun(progress: Mapping[str, Any]) -> bool:
    return int((progress["sink"].get("metrics") or {}).get("epochsCommitted", 0)) > 0


def _sink_of(query: StreamingQuery, progress: Any) -> tuple[str, str]:
    described = _DESCRIPTION.fullmatch(str(sink_of(query, progress).get("description", "")))
    if described is None:
        raise NotAStoplogQuery(str(query.name or query.runId))
    return described["path"], described["sink_id"] or "main"


def finished_by_jar(query: StreamingQuery, millis: int) -> Finished:
    """Waits for the end of a query of a classic session.

    Raises:
        NoSession: the session was stopped.
        NotAStoplogQuery: the query writes to another sink.
    """
    return Finished.of_jar(
        bridge.require_bridge("stoplog.await_finished()", "").await_finished(query, millis)
    )
