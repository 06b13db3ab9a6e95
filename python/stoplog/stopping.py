# SPDX-License-Identifier: Apache-2.0
"""Stops queries between two of their batches, and waits for their end."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._jvm import require_bridge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from pyspark.sql.streaming.query import StreamingQuery

    from stoplog._jvm import JvmBridge


def await_finished(query: StreamingQuery, timeout: float = 60.0) -> bool:
    """Waits until the sink has closed and published its last parts after the end of a query.

    Spark reports the end of a query before its sink has published these parts. Call this function after
    `awaitTermination()`, before the files are read or the process exits.

    Args:
        query: a query of a classic session, running or ended.
        timeout: the maximum seconds to wait.

    Returns:
        True if the sink finished in time. False also if the sink could not finish its parts, for example
        because the storage did not respond. The driver's log contains the cause, and the next start finishes
        the parts.

    Raises:
        ConnectUnsupported: the query runs on Spark Connect.
        NoSession: the session was stopped.
        ValueError: the timeout is negative.

    Example:
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=30)
    """
    millis = _millis(timeout)
    bridge = require_bridge(
        "stoplog.await_finished()",
        "Wait until stoplog.open_parts(spark, path) has no rows instead.",
    )
    return bridge.await_finished(str(query.runId), millis)


_BETWEEN_BATCHES = "BetweenBatches"
_ON_CONNECT = (
    "Use query.stop(): no row is lost or repeated, and the next start does the interrupted batch again."
)


def stop_after_batch(query: StreamingQuery, timeout: float = 60.0, *, finalize: bool = True) -> bool:
    """Stops a query after the current micro-batch, and waits for the end of its sink.

    `query.stop()` alone interrupts the current batch. No row is lost, because the next start repeats the
    batch; but the batch's work is discarded, and open parts stay open.

    Args:
        query: a query of a classic session. With a stoplog sink, no further batch starts meanwhile; with
            another sink, the next batch may have started.
        timeout: the maximum seconds for all steps; after this time, the query is stopped immediately.
        finalize: true to finish open parts, so that all rows become visible; otherwise the sink's
            `finalizeOnTermination` decides.

    Returns:
        True if all steps finished in time. If not, no row is lost or repeated: the next start resumes.

    Raises:
        ConnectUnsupported: the query runs on Spark Connect.
        NoSession: the session was stopped.
        ValueError: the timeout is negative.

    Example:
        stoplog.stop_after_batch(query, timeout=120)
    """
    millis = _millis(timeout)
    bridge = require_bridge("stoplog.stop_after_batch()", _ON_CONNECT)
    return bridge.stop_after_batch(query, millis, _open_at_stop(finalize)) == _BETWEEN_BATCHES


@contextmanager
def graceful_stop(
    query: StreamingQuery,
    timeout: float = 25.0,
    *,
    finalize: bool = True,
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
        finalize: true to finish open parts, so that all rows become visible.
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
