# SPDX-License-Identifier: Apache-2.0
"""Rules for visible files other than decided parts: foreign files, markers and manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from stoplog._inspect.check.facts import Facts, Visible
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._inspect.names import is_hidden, part_name, uid_of
from stoplog._inspect.sinks import SinkKind
from stoplog._log.records import LogRecord, Marker
from stoplog._storage.files import join


def note_findings(facts: Facts) -> Iterator[Finding]:
    for seq, sketch in facts.sketches.items():
        if facts.is_marked(seq):
            if sketch.manifest is not None:
                yield from _manifest(facts, sketch, sketch.manifest)
            for marker in sketch.markers:
                yield from _marker(facts, sketch, marker)


def _manifest(facts: Facts, sketch: LogRecord, path: str) -> Iterator[Finding]:
    found = facts.storage.read(path)
    if found is None:
        message = f"The list of the files of record {sketch.seq} is no longer there."
        yield finding(FindingKind.MANIFEST_GONE, message, path, facts.sink_id, None, sketch.state.last_epoch)
        return
    files = _object(found).get("files")
    named = (
        [file.get("path") for file in files if isinstance(file, dict)] if isinstance(files, list) else None
    )
    lost = facts.skipped.get(sketch.seq, frozenset())
    published = [part.finished_path for part in sketch.publish if part.size_bytes > 0]
    if named != [path for path in published if path not in lost]:
        message = f"{path} does not list the files that record {sketch.seq} has published."
        yield finding(
            FindingKind.MANIFEST_CHANGED, message, path, facts.sink_id, None, sketch.state.last_epoch
        )


def _marker(facts: Facts, sketch: LogRecord, marker: Marker) -> Iterator[Finding]:
    name = "_SUCCESS" if marker.version == 1 else f"_SUCCESS.{marker.version}"
    path = join(marker.bucket, name)
    found = facts.storage.read(path)
    epoch = sketch.state.last_epoch
    if found is None:
        message = (
            f"The marker of bucket {marker.bucket or '.'}, version {marker.version}, is no longer there."
        )
        yield finding(FindingKind.MARKER_GONE, message, path, facts.sink_id, marker.bucket, epoch)
    elif marker.form == "json":
        # Another sink may have taken the name, so that this sink's marker has a later version.
        content = _object(found)
        if content.get("bucket") != marker.bucket:
            message = f"{path} does not state that bucket {marker.bucket or '.'} is complete."
            yield finding(FindingKind.MARKER_CHANGED, message, path, facts.sink_id, marker.bucket, epoch)


def _object(data: bytes) -> dict[str, object]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def visible_findings(visible: Visible, sinks: Sequence[Facts]) -> Iterator[Finding]:
    """Finds problems that concern all sinks of the path."""
    published = {path for sink in sinks for path in sink.published} if visible.copies else frozenset()
    for path, size_bytes in visible.parts.items():
        if size_bytes == 0:
            message = f"{path} has no bytes."
            yield finding(FindingKind.FINISHED_PART_EMPTY, message, path, None, _bucket(path))
    for copies in visible.copies.values():
        message = f"{' and '.join(copies)} have the name of one part."
        # Without a record of the part, the longest name is most likely the name of a copy.
        path = max(reversed(copies), key=lambda each: (each not in published, len(each.rpartition("/")[2])))
        yield finding(FindingKind.FINISHED_PART_DOUBLED, message, path, None, _bucket(path))
    for file in visible.hidden:
        checked = file.name.removeprefix(".").removesuffix(".crc")
        if file.name == f".{checked}.crc" and part_name(checked) is not None:
            message = f"{file.path} is a checksum of {checked}."
            yield finding(FindingKind.CHECKSUM_FILE, message, file.path, None, file.directory)


def foreign_findings(visible: Visible) -> Iterator[Finding]:
    """Finds files of other programs among the parts."""
    for file in visible.foreign.values():
        if not is_hidden(file.path):
            message = f"{file.path} does not have the name of a part."
            yield finding(FindingKind.FOREIGN_FILE, message, file.path, None, file.directory)


def number_findings(facts: Facts) -> Iterator[Finding]:
    """Finds files with part numbers that the newest run has not assigned yet.

    Records of batch jobs and of replacements have no next number.
    """
    newest = facts.newest
    if newest is None or not newest.state.settings or facts.kind is not SinkKind.FILES:
        return
    uid = uid_of(newest.run)
    for path in facts.visible.parts:
        if uid not in path:
            continue
        name = part_name(path.rpartition("/")[2])
        if name is None or name.uid != uid or name.merged or name.number < newest.state.next_part:
            continue
        message = (
            f"{path} has number {name.number}, "
            f"but its run assigned no number above {newest.state.next_part - 1}."
        )
        yield finding(
            FindingKind.FINISHED_PART_UNKNOWN,
            message,
            path,
            facts.sink_id,
            _bucket(path),
            newest.state.last_epoch,
        )


def _bucket(path: str) -> str:
    return path.rpartition("/")[0]
