# SPDX-License-Identifier: Apache-2.0
"""The ids of tasks, which name the query: queries with one target find the output of each other."""

from __future__ import annotations

import re
import uuid

_ID = re.compile(rb"(q[0-9a-f]{12}-[0-9]+|batch)-[0-9]+-[0-9a-f]{32}")


def task_id(query: str | None, epoch: int | None, partition: int) -> str:
    """Returns an id that no other attempt has.

    Args:
        query: the id of the streaming query, which restarts keep.

    >>> task_id("d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60", 7, 3).rpartition("-")[0]
    'qd3b07384d9a0-7-3'
    >>> task_id(None, None, 3).rpartition("-")[0]
    'batch-3'
    """
    owner = "batch" if query is None or epoch is None else f"{_owner(query)}-{epoch}"
    return f"{owner}-{partition}-{uuid.uuid4().hex}"


def is_of_other(token: bytes, query: str) -> bool:
    """Returns whether a token has the id of a task, and the task belongs to another query or to a batch."""
    owners = [each.rpartition(b"-")[0] for each in _ID.findall(token)]
    return bool(owners) and _owner(query).encode() not in owners


def _owner(query: str) -> str:
    return f"q{query.replace('-', '')[:12]}"
