# SPDX-License-Identifier: Apache-2.0
"""The files that a record names: handles, names of unfinished parts, and paths outside the sink's path."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stoplog._log.records import LogRecord


@dataclass(frozen=True, slots=True)
class Staged:
    """The files that a handle names.

    Attributes:
        paths: the files of the part, under the sink's path.
        lengths: the required length of each file, if the handle contains the length.
        total_bytes: the length of the whole part, if the handle contains the length.
    """

    paths: tuple[str, ...]
    lengths: tuple[int | None, ...]
    total_bytes: int | None = None

    @property
    def is_one_file(self) -> bool:
        """Returns true if the part is a single file that grows."""
        return self.total_bytes is None and len(self.paths) == 1


NOTHING_STAGED = Staged((), ())


def staged_of(handle: str) -> Staged:
    """Parses a handle. The handle of another kind of sink names no files.

    >>> staged_of("_stoplog/main/open/.a.inprogress.0-1").paths
    ('_stoplog/main/open/.a.inprogress.0-1',)
    """
    if handle.startswith("{"):
        return _on_s3(handle)
    if _OF_CHUNK.match(handle):
        return _chunk(handle)
    return Staged((handle,), (None,))


def _on_s3(handle: str) -> Staged:
    try:
        token: dict[str, Any] = json.loads(handle)
        uploaded = [int(part["bytes"]) for part in token.get("parts", [])]
        objects = [(str(piece["at"]), int(piece["bytes"])) for piece in token.get("waiting", [])]
        tail = token["tail"]
        in_record = len(base64.b64decode(tail if isinstance(tail, str) else tail.get("end", "")))
        if not isinstance(tail, str):
            objects.append((str(tail["at"]), int(tail["bytes"])))
        marker = [f"{token['base']}.upload"] if "upload" in token else []
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return NOTHING_STAGED
    return Staged(
        paths=(*marker, *(path for path, _ in objects)),
        lengths=(*(None for _ in marker), *(length for _, length in objects)),
        total_bytes=sum(uploaded) + sum(length for _, length in objects) + in_record,
    )


def _chunk(handle: str) -> Staged:
    """Parses the handle of a write-ahead sink: `<query>|<epoch><decision>|<partition>|<bytes>|<file>`."""
    found = _CHUNK.fullmatch(handle)
    return Staged((found["file"],), (int(found["bytes"]),)) if found else NOTHING_STAGED


# The start of a chunk's handle distinguishes the handle from the path of a part, because bucket names may
# contain bars.
_OF_CHUNK = re.compile(r"[^|/]+\|(-|[0-9]+(@[0-9]+)?)(#[^|/]+)?\|[0-9]+\|")
_CHUNK = re.compile(r"[^|]+\|[^|#]+(#[^|#]*){3}\|[0-9]+\|(?P<bytes>[0-9]+)\|(?P<file>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class InBucket:
    """The layout of `inProgress=bucket`: unfinished parts are in the directories of the finished parts."""

    sink_id: str
    in_progress: tuple[str, str]
    pending: tuple[str, str]

    @classmethod
    def of(cls, sink_id: str, settings: Mapping[str, str]) -> InBucket | None:
        """Returns the layout; `None` for a sink whose parts are in the staging directory."""
        if settings.get("inProgress") != "bucket":
            return None
        return cls(
            sink_id,
            (_marker(settings, "inProgressPrefix"), _marker(settings, "inProgressSuffix")),
            (_marker(settings, "pendingPrefix"), _marker(settings, "pendingSuffix")),
        )

    def pending_of(self, token: str) -> str | None:
        """Returns the path of a closed part, from its in-progress path.

        >>> layout = InBucket("main", ("_", ".in-progress"), ("_", ".pending"))
        >>> layout.pending_of("b/_a.in-progress.main-6f1c2f3e8a4b-00112233445566aa")
        'b/_a.pending.main-6f1c2f3e8a4b-00112233445566aa'
        """
        found = self._matched(self.in_progress, token)
        return f"{found[0]}{self.pending[0]}{found[1]}{self.pending[1]}{found[2]}" if found else None

    def token_of(self, path: str) -> str | None:
        """Returns the in-progress path of an unfinished file; `None` for any other file."""
        found = self._matched(self.in_progress, path) or self._matched(self.pending, path)
        if found is None:
            return None
        return f"{found[0]}{self.in_progress[0]}{found[1]}{self.in_progress[1]}{found[2]}"

    def finished_of(self, path: str) -> str | None:
        """Returns the finished path of an unfinished file; `None` for any other file."""
        found = self._matched(self.in_progress, path) or self._matched(self.pending, path)
        return f"{found[0]}{found[1]}" if found else None

    def _matched(self, markers: tuple[str, str], path: str) -> tuple[str, str, str] | None:
        directory, slash, name = path.rpartition("/")
        # The jar writes "~" for a dot of the sink id, so that no other id ends like this id.
        end = rf"\.{re.escape(self.sink_id.replace('.', '~'))}-[0-9a-f]{{12}}-[0-9a-f]{{16}}"
        pattern = f"{re.escape(markers[0])}(.+){re.escape(markers[1])}({end})"
        found = re.fullmatch(pattern, name, re.DOTALL)
        return (directory + slash, found.group(1), found.group(2)) if found else None


_DEFAULT_MARKERS = {
    "inProgressPrefix": "_",
    "inProgressSuffix": ".in-progress",
    "pendingPrefix": "_",
    "pendingSuffix": ".pending",
}


def _marker(settings: Mapping[str, str], name: str) -> str:
    return settings.get(name, _DEFAULT_MARKERS[name])


def leads_outside(path: str) -> bool:
    """Returns true for a path of the log that is not under the sink's path.

    >>> leads_outside("../a"), leads_outside("/a"), leads_outside("a..b/c")
    (True, True, False)
    """
    return path.startswith("/") or ".." in path.split("/") or "\0" in path


def hides(name: str) -> bool:
    """Returns true if readers ignore files and directories of this name, as Spark does.

    >>> hides("_SUCCESS"), hides(".a"), hides("a._COPYING_"), hides("_day=1")
    (True, True, True, False)
    """
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def is_no_name(name: str) -> bool:
    """Returns true for a text that is not the name of a single file in a directory."""
    return name in ("", ".") or "/" in name or leads_outside(name)


def paths_outside(record: LogRecord) -> tuple[str, ...]:
    """Returns the named paths outside the sink's path without duplicates, in the order of the record."""
    return tuple(dict.fromkeys(_outside(record)))


def published_outside(record: LogRecord) -> tuple[str, ...]:
    """Returns the names and handles outside the sink's path of published parts without a bucket.

    Only for file sinks.
    """
    parts = [part for part in record.publish if not part.bucket]
    handles = (path for part in parts for path in staged_of(part.handle).paths if leads_outside(path))
    return tuple(dict.fromkeys((*handles, *(part.name for part in parts if is_no_name(part.name)))))


def _outside(record: LogRecord) -> Iterator[str]:
    yield from filter(leads_outside, _paths(record))
    # Parts without a bucket may belong to a connector with its own names and handles. For file sinks,
    # published_outside checks such parts.
    in_buckets = (part for part in record.publish if part.bucket)
    named = (
        *((part.name, part.finished_path) for part in record.state.open),
        *((part.name, part.finished_path) for part in in_buckets),
        *((part.name, part.path) for part in (*record.state.small, *record.replace)),
    )
    yield from (path for name, path in named if is_no_name(name))
    # The files that a batch job replaces: visible names at the top of the path.
    if "replaced" in record.state.settings:
        for entry in record.state.settings["replaced"].split("/"):
            if not entry or hides(entry):
                yield entry


def _paths(record: LogRecord) -> Iterator[str]:
    for opened in record.state.open:
        yield opened.bucket
        yield from staged_of(opened.handle).paths
        yield from (spooled.path for spooled in opened.spooled.files)
    for pending in record.publish:
        yield pending.bucket
        if pending.bucket:
            yield from staged_of(pending.handle).paths
    yield from (part.bucket for part in (*record.state.small, *record.replace))
    yield from (live.bucket for live in record.state.live)
    yield from (marker.bucket for marker in record.markers)
    if record.manifest is not None:
        yield record.manifest
