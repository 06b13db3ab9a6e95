# SPDX-License-Identifier: Apache-2.0
"""Rules for the parts that records have decided: each part is published or being published."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._inspect.check.facts import Facts
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.open_rules import missing_or_short
from stoplog._inspect.check.rules import finding
from stoplog._inspect.endings import why_replaced, why_skipped
from stoplog._inspect.names import is_hidden, is_replaced_file
from stoplog._inspect.sinks import SinkKind
from stoplog._log.paths import leads_outside, staged_of
from stoplog._log.records import LogRecord, PendingPart
from stoplog._shared.definitions import GRACE_MILLIS


def publish_findings(facts: Facts) -> Iterator[Finding]:
    newest = facts.newest
    if newest is not None and newest.has_to_be_settled and not facts.is_marked(newest.seq):
        yield from _unsettled(facts, facts.sketches[max(facts.sketches)])
    if facts.kind is SinkKind.CONNECTOR:
        return
    replaced = {part.path for sketch in facts.sketches.values() for part in sketch.replace}
    for seq, sketch in facts.sketches.items():
        if facts.is_marked(seq):
            for part in sketch.publish:
                if part.size_bytes > 0 and part.finished_path not in replaced:
                    yield from _published(facts, sketch, part)
            yield from _replaced(facts, sketch)


def _unsettled(facts: Facts, sketch: LogRecord) -> Iterator[Finding]:
    """Checks the newest record, which is being carried out or waits for the query's next start."""
    problems = False
    for part in sketch.publish:
        if part.size_bytes > 0:
            for found in _pending(facts, sketch, part):
                problems = True
                yield found
    age = facts.now_millis - sketch.written_at_millis
    if not problems and age > GRACE_MILLIS:
        batch = facts.kind is SinkKind.BATCH
        kind = FindingKind.BATCH_UNFINISHED if batch else FindingKind.PENDING_PART_WAITING
        message = (
            f"Record {sketch.seq} decided {len(sketch.publish)} parts {age // 60_000} min ago, "
            "and no mark confirms the publication."
        )
        yield finding(
            kind, message, facts.record_path(sketch.seq), facts.sink_id, None, sketch.state.last_epoch
        )


def _pending(facts: Facts, sketch: LogRecord, part: PendingPart) -> Iterator[Finding]:
    staged = staged_of(part.handle)
    # The tokens of other systems cannot be checked; only the tokens of a write-ahead sink name files.
    if facts.kind is SinkKind.CONNECTOR and not all(path.startswith("_stoplog/") for path in staged.paths):
        return
    for path in (*staged.paths, part.finished_path):
        if leads_outside(path):
            message = f"The decided part {part.finished_path} has a path outside of the sink: {path}."
            yield _about(facts, FindingKind.HANDLE_OUTSIDE, message, sketch, part, path)
            return
    there = facts.length(part.finished_path)
    if there is not None and there != part.size_bytes:
        message = (
            f"{part.finished_path} has {there} bytes; "
            f"the unpublished part of this name has {part.size_bytes}."
        )
        if facts.visible.valid_lengths.get(part.finished_path) != part.size_bytes:
            yield _about(facts, FindingKind.NAME_TAKEN, message, sketch, part, part.finished_path)
        return
    problem = missing_or_short(facts, staged, part.size_bytes) if there is None else None
    # Another process may have published the part since the first lookup.
    if problem is None or facts.storage.info(part.finished_path) is not None:
        return
    path, length, needed = problem
    if length is None:
        message = (
            f"{part.finished_path} ({part.records} rows) is missing, "
            f"and so is {path}, the file of the open part."
        )
        yield _about(facts, FindingKind.PENDING_PART_LOST, message, sketch, part, path)
    else:
        message = f"{part.finished_path} is to be published and has {length} of {needed} bytes in {path}."
        yield _about(facts, FindingKind.PENDING_PART_SHORT, message, sketch, part, path)


def _published(facts: Facts, sketch: LogRecord, part: PendingPart) -> Iterator[Finding]:
    there = facts.length(part.finished_path)
    if there is None:
        yield from _gone(facts, sketch, part)
    elif there == 0:
        pass  # reported once, for all empty files
    elif there < part.size_bytes:
        message = f"{part.finished_path} has {there} bytes; record {sketch.seq} published {part.size_bytes}."
        yield _about(facts, FindingKind.FINISHED_PART_SHORT, message, sketch, part, part.finished_path)
    elif (noted := facts.visible.valid_lengths.get(part.finished_path, there)) == part.size_bytes:
        pass
    elif part.finished_path in facts.visible.valid_lengths:
        message = (
            f"{part.finished_path} has {part.size_bytes} valid bytes, "
            f"but its valid-length file states {noted}."
        )
        yield _about(facts, FindingKind.VALID_LENGTH_WRONG, message, sketch, part, part.finished_path)
    else:
        message = f"{part.finished_path} has {there} bytes; record {sketch.seq} published {part.size_bytes}."
        yield _about(facts, FindingKind.FINISHED_PART_LONG, message, sketch, part, part.finished_path)


def _gone(facts: Facts, sketch: LogRecord, part: PendingPart) -> Iterator[Finding]:
    elsewhere = () if is_hidden(part.bucket) else facts.visible.copies_of(part.finished_path)
    if elsewhere:
        message = f"{part.finished_path} is at {elsewhere[0]} now."
        yield _about(facts, FindingKind.FINISHED_PART_MOVED, message, sketch, part, part.finished_path)
    elif part.finished_path in facts.skipped.get(sketch.seq, ()):
        message = why_skipped(sketch, part)
        yield _about(facts, FindingKind.FINISHED_PART_GONE, message, sketch, part, part.finished_path)
    else:
        message = f"{part.finished_path}, published by record {sketch.seq}, is no longer there."
        yield _about(facts, FindingKind.FINISHED_PART_GONE, message, sketch, part, part.finished_path)


def _replaced(facts: Facts, sketch: LogRecord) -> Iterator[Finding]:
    for part in sketch.replace:
        for path in facts.visible.copies_of(part.path):
            found = facts.storage.info(path)
            if found is not None and is_replaced_file(part, found.size_bytes):
                rewound = sketch.is_rewind
                yield finding(
                    FindingKind.REWOUND_PART_VISIBLE if rewound else FindingKind.REPLACED_PART_VISIBLE,
                    f"{path} is visible. {why_replaced(facts.sink_id, sketch)}",
                    path,
                    facts.sink_id,
                    path.rpartition("/")[0],
                    sketch.state.last_epoch,
                )


def _about(
    facts: Facts, kind: FindingKind, message: str, sketch: LogRecord, part: PendingPart, path: str
) -> Finding:
    return finding(kind, message, path, facts.sink_id, part.bucket, sketch.state.last_epoch)
