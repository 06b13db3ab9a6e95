# SPDX-License-Identifier: Apache-2.0
"""Rules for open parts: all their committed bytes exist."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._inspect.check.facts import Facts
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._log.paths import Staged, staged_of
from stoplog._log.records import OpenPart


def open_findings(facts: Facts) -> Iterator[Finding]:
    if facts.newest is None:
        return
    seen: dict[str, OpenPart] = {}
    for part in facts.newest.state.open:
        other = seen.setdefault(part.finished_path, part)
        same_file = seen.setdefault(part.handle, part)
        if other is not part or same_file is not part:
            message = f"{part.finished_path} is open twice, or is in the file of {same_file.finished_path}."
            yield _about(facts, FindingKind.OPEN_PART_DOUBLED, message, part, part.brief_handle)
        yield from _part(facts, part)
        yield from _spool(facts, part)


def _part(facts: Facts, part: OpenPart) -> Iterator[Finding]:
    staged = staged_of(part.handle)
    problem = missing_or_short(facts, staged, part.valid_bytes)
    if problem is not None:
        path, there, needed = problem
        if there is None:
            message = (
                f"The open part {part.finished_path} ({part.records} rows) was in {path}, "
                "which no longer exists."
            )
            yield _about(facts, FindingKind.OPEN_PART_MISSING, message, part, path)
        else:
            message = f"The open part {part.finished_path} has {there} of {needed} committed bytes in {path}."
            yield _about(facts, FindingKind.OPEN_PART_SHORT, message, part, path)
    if part.finished_path in facts.visible.parts and facts.storage.info(part.finished_path) is not None:
        message = f"{part.finished_path} is still open, and readers see a file of this name."
        yield _about(facts, FindingKind.OPEN_PART_VISIBLE, message, part, part.finished_path)


def _spool(facts: Facts, part: OpenPart) -> Iterator[Finding]:
    for spooled in part.spooled.files:
        there = facts.length(spooled.path)
        if there is None:
            message = (
                f"Rows of the open part {part.finished_path} were in {spooled.path}, which no longer exists."
            )
            yield _about(facts, FindingKind.SIDE_FILE_MISSING, message, part, spooled.path)
        elif there < spooled.size_bytes:
            message = (
                f"Rows of {part.finished_path}: {there} of {spooled.size_bytes} bytes are in {spooled.path}."
            )
            yield _about(facts, FindingKind.SIDE_FILE_SHORT, message, part, spooled.path)


def missing_or_short(facts: Facts, staged: Staged, size_bytes: int) -> tuple[str, int | None, int] | None:
    """Returns a part's first missing (`None` bytes) or short file, its length and the required length."""
    for staged_path, length in zip(staged.paths, staged.lengths, strict=True):
        needed = size_bytes if staged.is_one_file and length is None else length or 0
        path, there = _located(facts, staged_path)
        if there is None:
            return path, None, needed
        if there < needed and facts.storage.knows_open_lengths:
            return path, there, needed
    if staged.total_bytes is not None and staged.total_bytes < size_bytes:
        return staged.paths[0] if staged.paths else "the record", staged.total_bytes, size_bytes
    return None


def _located(facts: Facts, path: str) -> tuple[str, int | None]:
    """Returns the current path and the length of a part's file: a publisher may have renamed the file."""
    there = facts.length(path)
    if there is None and facts.layout is not None:
        pending = facts.layout.pending_of(path)
        if pending is not None and (length := facts.length(pending)) is not None:
            return pending, length
    return path, there


def _about(facts: Facts, kind: FindingKind, message: str, part: OpenPart, path: str) -> Finding:
    epoch = facts.newest.state.last_epoch if facts.newest else None
    return finding(kind, message, path, facts.sink_id, part.bucket, epoch)
