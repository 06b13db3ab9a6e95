# SPDX-License-Identifier: Apache-2.0
"""The metrics that a running query reports about its sink."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from stoplog._html.shown import Shown
from stoplog._jvm.bridge import find_bridge
from stoplog.errors import NotAStoplogQuery

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

Wait: TypeAlias = Callable[[float], object]
"""Waits for the given number of seconds."""


@dataclass(frozen=True, slots=True)
class SinkMetrics(Shown):
    """The sink's metrics after an epoch: times in milliseconds, counts since the query's start.

    `open_…` and `pending_parts` are current counts. `rolled_by_…` count closed parts by their roll reason.
    `recovery_millis` is the duration of the recovery at the start of the query. `fenced_runs` is 1 if a newer
    run has replaced this run. `announcement_lag_…` are the records that wait for the slowest target of
    announcements, and the age of the oldest of these records.

    >>> SinkMetrics.parse({"openParts": "3", "publishedRows": "1000"}).open_parts
    3
    """

    open_parts: int = 0
    open_bytes: int = 0
    oldest_open_part_millis: int = 0
    pending_parts: int = 0
    published_parts: int = 0
    published_bytes: int = 0
    published_rows: int = 0
    epochs_committed: int = 0
    rejected_rows: int = 0
    buckets_complete: int = 0
    late_buckets: int = 0
    rolled_by_size: int = 0
    rolled_by_records: int = 0
    rolled_by_age: int = 0
    rolled_by_inactivity: int = 0
    rolled_by_event_time: int = 0
    rolled_by_checkpoint: int = 0
    rolled_by_open_limit: int = 0
    rolled_by_complete: int = 0
    rolled_by_end: int = 0
    rolled_by_custom: int = 0
    compactions: int = 0
    compacted_parts: int = 0
    compacted_bytes: int = 0
    publish_millis: int = 0
    record_millis: int = 0
    recovery_millis: int = 0
    fenced_runs: int = 0
    announced: int = 0
    announcement_lag_records: int = 0
    announcement_lag_millis: int = 0
    announcement_failures: int = 0
    announcement_gaps: int = 0

    @staticmethod
    def parse(metrics: Mapping[str, str]) -> SinkMetrics:
        """Parses a progress's `sink.metrics`; missing metrics are 0."""
        return SinkMetrics(
            **{
                field.name: int(metrics[_camel_case(field.name)])
                for field in fields(SinkMetrics)
                if _camel_case(field.name) in metrics
            }
        )


@dataclass(frozen=True, slots=True)
class SinkProgress(Shown):
    """A progress of a query that writes to stoplog.

    Attributes:
        batch_id: the micro-batch, whose number is the sink's epoch.
        timestamp: the start of the micro-batch, in Spark's format (ISO 8601, UTC).
        input_rows: the number of rows that the micro-batch read.
        metrics: the sink's metrics after the micro-batch.

    >>> SinkProgress.parse(
    ...     {"batchId": 7, "timestamp": "t", "numInputRows": 10, "sink": {"metrics": {"openParts": "3"}}}
    ... ).metrics.open_parts
    3
    """

    batch_id: int
    timestamp: str
    input_rows: int
    metrics: SinkMetrics

    @staticmethod
    def parse(progress: Mapping[str, Any]) -> SinkProgress:
        """Parses a progress of Spark, as returned by `StreamingQuery.lastProgress`."""
        return SinkProgress(
            batch_id=int(progress["batchId"]),
            timestamp=str(progress["timestamp"]),
            input_rows=_input_rows(progress),
            metrics=SinkMetrics.parse(progress["sink"].get("metrics") or {}),
        )


def _input_rows(progress: Mapping[str, Any]) -> int:
    """Returns the rows that all sources read. On Spark Connect, only the sources have numbers.

    >>> _input_rows({"numInputRows": None, "sources": [{"numInputRows": 2}, {"numInputRows": 3}]})
    5
    """
    total = progress["numInputRows"]
    return int(sum(each["numInputRows"] for each in progress["sources"]) if total is None else total)


def progress(query: StreamingQuery, every: float = 1.0, wait: Wait = time.sleep) -> Iterator[SinkProgress]:
    """Returns each new progress of a query, until the query ends.

    If a newer progress replaces a progress between two polls, the replaced progress is skipped; the metrics
    of later progresses include its counts. Parts that the sink publishes at the query's end are in no
    progress, because Spark's last progress precedes the publication. `follow` shows these parts.

    Args:
        query: a streaming query, classic or Connect.
        every: the seconds between two polls.
        wait: waits for the given seconds; tests may pass a function that returns at once.

    Raises:
        TypeError: the argument is not a query, such as a writer without `start()`.
        NotAStoplogQuery: the query writes to another sink.

    Example:
        for each in stoplog.progress(query):
            if each.metrics.open_parts > 10_000:
                alert(each)
    """
    # on the class, because the attribute of the query would call Spark
    if not hasattr(type(query), "lastProgress"):
        kind = type(query).__name__
        raise TypeError(f"a streaming query is needed, and got a {kind}: pass the result of start()")
    last: SinkProgress | None = None
    running = True
    while running:
        # Read before the progress: a query that ends after this line is polled once more.
        running = query.isActive
        current = newest_progress(query)
        if current is not None and current != last:
            yield current
            last = current
        if running:
            wait(every)


def newest_progress(query: StreamingQuery) -> SinkProgress | None:
    """Returns the newest progress of a query; `None` before the first progress.

    Raises:
        NotAStoplogQuery: the query writes to another sink.
    """
    latest = query.lastProgress
    return _of_stoplog(query, latest) if latest else None


def sink_of(query: StreamingQuery, progress: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Returns the entry `sink` of a progress.

    Raises:
        NotAStoplogQuery: the query writes to another sink, or has no progress.
    """
    sink: Mapping[str, Any] = progress["sink"] if progress else {}
    if "openParts" not in (sink.get("metrics") or {}):
        raise NotAStoplogQuery(str(query.name or query.runId))
    return sink


def _of_stoplog(query: StreamingQuery, progress: Mapping[str, Any]) -> SinkProgress:
    sink_of(query, progress)
    return SinkProgress.parse(progress)


def at_the_end(query: StreamingQuery, last: SinkProgress, timeout: float = 60.0) -> SinkProgress:
    """Returns the last progress of an ended query, with metrics that include the end of its sink.

    Returns the unchanged progress on Spark Connect and in a stopped session, which do not report final
    metrics.

    Args:
        timeout: the maximum seconds to wait for the sink.
    """
    bridge = find_bridge()
    if bridge is None:
        return last
    bridge.await_finished(query, round(timeout * 1000))
    metrics = bridge.final_metrics(str(query.runId))
    return replace(last, metrics=SinkMetrics.parse(metrics)) if metrics else last


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
