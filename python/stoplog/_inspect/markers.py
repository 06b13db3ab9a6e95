# SPDX-License-Identifier: Apache-2.0
"""Whose a file `_SUCCESS` is: sinks mark complete buckets with it, and so do other programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from stoplog._inspect.explanation import Explanation, PartState
from stoplog._log.log import CommitLog, UnreadableRecord
from stoplog._log.records import Marker
from stoplog._storage import FileInfo, Storage

_MARKER = re.compile(r"_SUCCESS(?:\.(\d+))?")


def is_marker(name: str) -> bool:
    """Whether a sink marks complete buckets by this name.

    >>> is_marker("_SUCCESS"), is_marker("_SUCCESS.2"), is_marker("_SUCCESS.crc")
    (True, True, False)
    """
    return _MARKER.fullmatch(name) is not None


def marker(storage: Storage, sinks: Sequence[str], asked: str, file: FileInfo) -> Explanation | None:
    """What a marker says; `None` for any other file. Raises `CannotRead`."""
    found = _MARKER.fullmatch(file.name)
    if found is None:
        return None
    bucket = f"the bucket {file.directory}" if file.directory else "the path itself"
    sink_id = _named_inside(storage, file) or _named_in_log(storage, sinks, file, int(found[1] or 1))
    if sink_id is None:
        message = "It is empty, and no record that is kept names it: another program may have written it."
        return Explanation(asked, PartState.FOREIGN, f"{message} Readers pass over it.", file.path)
    message = f"It is a marker: sink {sink_id} says with it that {bucket} is complete. Readers pass over it."
    return Explanation(asked, PartState.OWN, message, file.path, sink_id)


def _named_inside(storage: Storage, file: FileInfo) -> str | None:
    try:
        said = json.loads(storage.read(file.path) or b"null")
    except (ValueError, RecursionError):
        return None
    sink_id = said.get("sinkId") if isinstance(said, dict) else None
    return sink_id if isinstance(sink_id, str) else None


def _named_in_log(storage: Storage, sinks: Sequence[str], file: FileInfo, version: int) -> str | None:
    """An empty marker says nothing of itself."""
    for sink_id in sinks:
        if any(each.bucket == file.directory and each.version == version for each in _all(storage, sink_id)):
            return sink_id
    return None


def _all(storage: Storage, sink_id: str) -> Iterator[Marker]:
    """The markers that kept records have decided, the newest first."""
    log = CommitLog(storage, sink_id)
    for seq in sorted(log.files().records, reverse=True):
        if not log.mentions(seq, b'"markers"'):
            continue
        try:
            record = log.read(seq)
        except UnreadableRecord:
            continue
        yield from record.markers if record is not None else ()
