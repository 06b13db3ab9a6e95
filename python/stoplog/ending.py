# SPDX-License-Identifier: Apache-2.0
"""The end of a query, which for its sink comes a little later than for Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoplog._jvm import require_bridge

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery


def await_finished(query: StreamingQuery, timeout: float = 60.0) -> bool:
    """Waits until the sink has closed and published what it does when a query ends.

    Spark calls a query ended before its sink has done so. Call this after `awaitTermination()` and
    before the files are read or the process exits.

    Args:
        query: a query of a classic session, running or ended.
        timeout: seconds to wait at most.

    Returns:
        Whether it was done in time.

    Raises:
        ConnectUnsupported: the query runs on Spark Connect.
        NoSession: the session was stopped.
        ValueError: the timeout is negative.

    Example:
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=30)
    """
    if timeout < 0:
        raise ValueError(f"timeout must not be negative: {timeout}")
    bridge = require_bridge(
        "stoplog.await_finished()",
        "Wait until stoplog.open_parts(spark, path) has no rows instead.",
    )
    return bridge.await_finished(str(query.runId), round(timeout * 1000))
