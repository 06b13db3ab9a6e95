# SPDX-License-Identifier: Apache-2.0
"""Stops queries between two of their batches, and waits for their end."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stoplog._jvm.bridge import is_connect, require_bridge
from stoplog.errors import ConnectUnsupported
from stoplog.finished import Finished, finished_by_jar, finished_by_log, stopped_by_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from pyspark.sql.streaming.query import StreamingQuery

    from stoplog._jvm.bridge import JvmBridge


def await_finished(query: StreamingQuery, timeout: float = 60.0) -> Finished:
    """Waits until the sink has closed and published its last parts after the end of a query.

    Spark reports the end of a query before its sink has published these parts. Call this function after
    `awaitTermination()`, before the files are read or the process exits. On Spark Connect, the function reads
    the sink's log until the log shows the end. Rows of an interrupted micro-batch are unknown there; the next
    start repeats the micro-batch.

    Args:
        query: a query, classic or Connect, running or ended.
        timeout: the maximum seconds to wait.

    Returns:
        An object that is true only if no row of the query is left invisible, with the open parts, their rows
        and bytes. After `query.stop()`, open parts stay open for the next start, so the object is false. If
        the storage did not respond, the driver's log contains the cause, and the next start finishes the
        parts.

    Raises:
        NoSession: the session was stopped.
        NotAStoplogQuery: the query writes to another sink.
        ValueError: the timeout is negative.

    Example:
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=30)
    """
    millis = _millis(timeout)
    return finished_by_log(query, timeout) if is_connect() else finished_by_jar(query, millis)


_BETWEEN_BATCHES = "BetweenBatches"
_ON_CONNECT = (
    "Use query.stop(): no row is lost or repeated, and the next start repeats the interrupted batch."
)
_FINALIZE_ON_CONNECT = (
    "Build the sink with_finalize_on_termination('always'), or publish the parts after the stop by "
    "stoplog finalize."
)


def stop_after_batch(query: StreamingQuery, timeout: float = 60.0, *, finalize: bool = False) -> Finished:
    """Stops a query after the current micro-batch, and waits for the end of its sink.

    `query.stop()` alone interrupts the current batch. No row is lost, because the next start repeats the
    batch; but the batch's work is discarded.

    Args:
        query: a query, classic or Connect. No further batch starts meanwhile; on Spark Connect, the next
            batch may have started, and is interrupted.
        timeout: the maximum seconds for all steps; after this time, the query is stopped immediately.
        finalize: true to finish open parts, so that all rows become visible. By default the sink's
            `finalizeOnTermination` decides, which leaves the parts of an endless query open for the next
            start.

    Returns:
        An object that is true only if no row of the query is left invisible; so it is false if open parts
        stay open. `in_time` is true if all steps finished in time. In any case no row is lost or repeated:
        the next start resumes.

    Raises:
        ConnectUnsupported: `finalize` is true on Spark Connect.
        NoSession: the session was stopped.
        NotAStoplogQuery: the query writes to another sink; the query continues.
        ValueError: the timeout is negative.

    Example:
        stopped = stoplog.stop_after_batch(query, timeout=120)
        assert stopped.in_time
    """
    millis = _millis(timeout)
    if is_connect():
        if finalize:
            raise ConnectUnsupported("stoplog.stop_after_batch(finalize=True)", _FINALIZE_ON_CONNECT)
        return stopped_by_log(query, timeout)
    bridge = require_bridge("stoplog.stop_after_batch()", _ON_CONNECT)
    bridge.refuse_other(query)
    between = bridge.stop_after_batch(query, millis, _open_at_stop(finalize)) == _BETWEEN_BATCHES
    found = finished_by_jar(query, 0)
    return replace(found, in_time=between and found.in_time)


@contextmanager
def graceful_stop(
    query: StreamingQuery,
    timeout: float = 25.0,
    *,
    finalize: bool = False,
    marker: str | os.PathLike[str] | None = None,
    look_every: float = 5.0,
) -> Iterator[None]:
    """Stops the query gracefully on SIGTERM or on a marker file inside the block, like `stop_after_batch`.

    SIGTERM may be sent to this process or to Spark's JVM. Use the block in the main thread: in other threads,
    Python does not handle signals, and only signals to the JVM stop the query.

    Args:
        query: a query of a classic session.
        timeout: the maximum seconds for all steps. Must be less than the time from SIGTERM to SIGKILL, which
            is 30 seconds in Kubernetes.
        finalize: true to finish open parts, so that all rows become visible. By default the next start
            resumes the open parts, so that a deployment does not cut all files.
        marker: a path in any file system that Spark supports, outside the sink's path; the marker file that
            stopped the query is deleted.
        look_every: the seconds between two checks for the marker.

    Raises:
        ConnectUnsupported: the query runs on Spark Connect.
        NoSession: the session was stopped.
        ValueError: a time is negative.

    Example:
        with stoplog.graceful_stop(query, marker="/data/stop-events"):
            query.awaitTermination()
    """
    millis, every, at_stop = _millis(timeout), _millis(look_every), _open_at_stop(finalize)
    bridge = require_bridge("stoplog.graceful_stop()", _ON_CONNECT)
    with ExitStack() as undone:
        undone.callback(bridge.stop_on_shutdown(query, millis, at_stop))
        if marker is not None:
            undone.callback(bridge.stop_on_marker(query, os.fspath(marker), every, millis, at_stop))
        if threading.current_thread() is threading.main_thread():
            undone.enter_context(_on_sigterm(bridge, query, millis, at_stop))
        yield


@contextmanager
def _on_sigterm(bridge: JvmBridge, query: StreamingQuery, millis: int, at_stop: str) -> Iterator[None]:
    # Not in the handler itself, which may interrupt a call to the JVM and would share the call's connection.
    stop_requested = threading.Event()
    over = threading.Event()

    def stop() -> None:
        stop_requested.wait()
        if not over.is_set():
            bridge.stop_after_batch(query, millis, at_stop)

    stopper = threading.Thread(target=stop, name="stoplog-stop", daemon=True)
    stopper.start()
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, _Handler(stop_requested, before if isinstance(before, _Handler) else None))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)
        if not stop_requested.is_set():
            over.set()
            stop_requested.set()
        stopper.join()


@dataclass(frozen=True, slots=True)
class _Handler:
    """A signal handler that wakes the stoppers of this block and of all enclosing blocks."""

    stop_requested: threading.Event
    outer: _Handler | None

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        self.stop_requested.set()
        if self.outer is not None:
            self.outer(signum, frame)


def _millis(seconds: float) -> int:
    if seconds < 0:
        raise ValueError(f"a time must not be negative: {seconds}")
    return round(seconds * 1000)


def _open_at_stop(finalize: bool) -> str:
    return "finalize" if finalize else "asConfigured"
