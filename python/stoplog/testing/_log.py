# SPDX-License-Identifier: Apache-2.0
"""How far the sinks of a directory are, by their logs."""

from __future__ import annotations

import json
from pathlib import Path


def committed_epochs(directory: Path) -> int:
    """How many epochs the newest records know of, those of all sink ids together."""
    return sum(_epochs(log) for log in directory.glob("_stoplog/*/log"))


def _epochs(log: Path) -> int:
    # Names are sequence numbers of fixed width. A record that is gone was trimmed after a newer one came.
    for record in sorted(log.glob("*.json"), reverse=True):
        try:
            last = json.loads(record.read_bytes())["record"]["state"].get("lastEpoch")
        except FileNotFoundError:
            continue
        return 0 if last is None else int(last) + 1
    return 0
