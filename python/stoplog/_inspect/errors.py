# SPDX-License-Identifier: Apache-2.0
"""Errors of requests for things that are not there, or not clear."""

from __future__ import annotations

from collections.abc import Sequence

from stoplog.errors import StoplogError


class NotFound(StoplogError):
    """A request for a sink, an epoch or a part that is not there."""

    def __init__(self, message: str) -> None:
        super().__init__("STOPLOG_NOT_FOUND", message)


class WhichSink(StoplogError):
    """A request without a sink id, for a path with several sinks.

    >>> print(WhichSink("/data/out", ["a", "b"]))
    /data/out has several sinks: a, b. Name one of them: --sink-id, or sink_id in Python.
    """

    def __init__(self, path: str, sink_ids: Sequence[str]) -> None:
        super().__init__(
            "STOPLOG_WHICH_SINK",
            f"{path} has several sinks: {', '.join(sink_ids)}. "
            "Name one of them: --sink-id, or sink_id in Python.",
        )
