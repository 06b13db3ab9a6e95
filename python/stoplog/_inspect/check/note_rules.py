# SPDX-License-Identifier: Apache-2.0
"""Markers and manifests of the records that are kept."""

from __future__ import annotations

import json
from collections.abc import Iterator

from stoplog._inspect.check.facts import Facts, Sketch
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._log.records import Marker
from stoplog._storage.files import join


def note_findings(facts: Facts) -> Iterator[Finding]:
    for seq, sketch in facts.sketches.items():
        if facts.is_marked(seq):
            if sketch.manifest is not None:
                yield from _manifest(facts, sketch, sketch.manifest)
            for marker in sketch.markers:
                yield from _marker(facts, sketch, marker)


def _manifest(facts: Facts, sketch: Sketch, path: str) -> Iterator[Finding]:
    found = facts.storage.read(path)
    if found is None:
        message = f"The list of the files of record {sketch.seq} is no longer there."
        yield finding(FindingKind.MANIFEST_GONE, message, path, facts.sink_id, None, sketch.last_epoch)
        return
    files = _object(found).get("files")
    named = (
        [file.get("path") for file in files if isinstance(file, dict)] if isinstance(files, list) else None
    )
    if named != [part.finished_path for part in sketch.publish if part.size_bytes > 0]:
        message = f"{path} does not list the files that record {sketch.seq} has published."
        yield finding(FindingKind.MANIFEST_CHANGED, message, path, facts.sink_id, None, sketch.last_epoch)


def _marker(facts: Facts, sketch: Sketch, marker: Marker) -> Iterator[Finding]:
    name = "_SUCCESS" if marker.version == 1 else f"_SUCCESS.{marker.version}"
    path = join(marker.bucket, name)
    found = facts.storage.read(path)
    epoch = sketch.last_epoch
    if found is None:
        message = (
            f"The marker of bucket {marker.bucket or '.'}, version {marker.version}, is no longer there."
        )
        yield finding(FindingKind.MARKER_GONE, message, path, facts.sink_id, marker.bucket, epoch)
    elif marker.form == "json":
        # Another sink may have taken the name, so that this one's marker has a later version.
        content = _object(found)
        if content.get("bucket") != marker.bucket:
            message = f"{path} does not say that bucket {marker.bucket or '.'} is complete."
            yield finding(FindingKind.MARKER_CHANGED, message, path, facts.sink_id, marker.bucket, epoch)


def _object(data: bytes) -> dict[str, object]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
