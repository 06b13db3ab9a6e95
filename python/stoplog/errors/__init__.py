# SPDX-License-Identifier: Apache-2.0
"""Errors of this package, as exceptions with a named condition. Each message contains advice.

The module has every class that a caller may catch; all of them are a `StoplogError`.
"""

from __future__ import annotations

from stoplog.errors.base import StoplogError, condition_of
from stoplog.errors.calls import BadAnswer, CallFailed, CallTimeout
from stoplog.errors.directories import CannotRead, NotFound, UnreadableRecord, WhichSink
from stoplog.errors.session import (
    ConnectUnsupported,
    InvalidOptions,
    JarMissing,
    NoSession,
    NotAStoplogQuery,
    NotFinished,
    SparkUnsupported,
    StartRefused,
    ToolFailed,
    VersionMismatch,
)

__all__ = [
    "BadAnswer",
    "CallFailed",
    "CallTimeout",
    "CannotRead",
    "ConnectUnsupported",
    "InvalidOptions",
    "JarMissing",
    "NoSession",
    "NotAStoplogQuery",
    "NotFinished",
    "NotFound",
    "SparkUnsupported",
    "StartRefused",
    "StoplogError",
    "ToolFailed",
    "UnreadableRecord",
    "VersionMismatch",
    "WhichSink",
    "condition_of",
]
