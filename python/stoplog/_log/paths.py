# SPDX-License-Identifier: Apache-2.0
"""Which files a record names, as far as they may not lie under the sink's path: the jar's `PathBelow`."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._log.handles import staged_of
from stoplog._log.records import LogRecord


def leads_outside(path: str) -> bool:
    """Whether a path of the log is none under the sink's path.

    >>> leads_outside("../a"), leads_outside("/a"), leads_outside("a..b/c")
    (True, True, False)
    """
    return path.startswith("/") or ".." in path.split("/") or "\0" in path


def is_no_name(name: str) -> bool:
    """Whether it is not the name of one file in a directory."""
    return name in ("", ".") or "/" in name or leads_outside(name)


def paths_outside(record: LogRecord) -> tuple[str, ...]:
    """Each once, in the order in which the record names them."""
    return tuple(dict.fromkeys(_outside(record)))


def _outside(record: LogRecord) -> Iterator[str]:
    yield from filter(leads_outside, _paths(record))
    # Parts without a bucket may be those of a connector, whose names and handles are its own.
    in_buckets = (part for part in record.publish if part.bucket)
    named = (
        *((part.name, part.finished_path) for part in record.state.open),
        *((part.name, part.finished_path) for part in in_buckets),
        *((part.name, part.path) for part in (*record.state.small, *record.replace)),
    )
    yield from (path for name, path in named if is_no_name(name))
    # What a batch job takes out of sight: names that readers see, at the top of the path.
    if "replaced" in record.state.settings:
        for entry in record.state.settings["replaced"].split("/"):
            if not entry or entry.startswith(("_", ".")):
                yield entry


def _paths(record: LogRecord) -> Iterator[str]:
    for opened in record.state.open:
        yield opened.bucket
        yield from staged_of(opened.handle).paths
        yield from (side.path for side in opened.beside.files)
    for pending in record.publish:
        yield pending.bucket
        if pending.bucket:
            yield from staged_of(pending.handle).paths
    yield from (part.bucket for part in (*record.state.small, *record.replace))
    yield from (live.bucket for live in record.state.live)
    yield from (marker.bucket for marker in record.markers)
    if record.manifest is not None:
        yield record.manifest
