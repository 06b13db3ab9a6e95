# SPDX-License-Identifier: Apache-2.0
"""Rules for the log alone: records are complete, dense and consistent with each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from stoplog._inspect.check.facts import Facts
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._inspect.sinks import SinkKind
from stoplog._log.codec import Elsewhere, RecordProblem, TooNew
from stoplog._log.records import LogRecord, RecordKind
from stoplog._shared.definitions import shared

_CLOCKS_DIFFER_MILLIS = 60_000
_RECORDS_KEPT: int = shared("core")["recordsKept"]


def log_findings(facts: Facts) -> Iterator[Finding]:
    yield from _unreadable(facts)
    yield from _places(facts)
    yield from _marks(facts)
    if facts.kind not in (SinkKind.BATCH, SinkKind.REPLACEMENTS):  # each record of a job has a run of its own
        for before, after in pairwise(facts.sketches.values()):
            yield from _step(facts, before, after)
    yield from _published_twice(facts)


def _unreadable(facts: Facts) -> Iterator[Finding]:
    newest = max(facts.log.records, default=None)
    for seq, problem in facts.unreadable.items():
        if isinstance(problem, Elsewhere):
            for path in problem.paths:
                message = f"Record {seq} of sink {facts.sink_id} names {path!r}, outside of the sink's path."
                yield finding(
                    FindingKind.HANDLE_OUTSIDE, message, path, facts.sink_id, None, problem.last_epoch
                )
            continue
        kind = _kind_of(problem) if seq == newest else FindingKind.OLD_RECORD_UNREADABLE
        message = f"Record {seq} of sink {facts.sink_id} cannot be used: {problem}."
        yield finding(kind, message, facts.record_path(seq), facts.sink_id)


def _kind_of(problem: RecordProblem) -> FindingKind:
    if isinstance(problem, TooNew):
        return FindingKind.RECORD_TOO_NEW
    if str(problem) == "it is empty":
        return FindingKind.RECORD_EMPTY
    return FindingKind.RECORD_CHECKSUM if "checksum" in str(problem) else FindingKind.RECORD_TORN


def _places(facts: Facts) -> Iterator[Finding]:
    for seq, sketch in facts.sketches.items():
        if sketch.seq != seq:
            message = f"The file of record {seq} contains record {sketch.seq}."
            yield _about(facts, FindingKind.RECORD_MISPLACED, message, sketch, seq)
    yield from _gap(facts)
    for other in facts.log.others:
        message = f"{other.name} is neither a record nor a mark."
        yield finding(FindingKind.LOG_FOREIGN_FILE, message, other.path, facts.sink_id)


def _gap(facts: Facts) -> Iterator[Finding]:
    """Finds the last gap, as the jar's `LogGap`.

    Records before the dense end of a log are not part of the log.

    The log of replacements keeps few records, and no state depends on older records.
    """
    if facts.kind is SinkKind.REPLACEMENTS:
        return
    records = sorted(facts.log.records)
    gaps = [at for at, (before, after) in enumerate(pairwise(records)) if after > before + 1]
    dense = records[gaps[-1] + 1 :] if gaps else records
    if not dense or dense[0] == 0 or len(dense) >= _RECORDS_KEPT or _is_begun_anew(facts, dense):
        return
    # Old records are trimmed during the check; only a record that still exists proves a gap.
    before = records[gaps[-1]] if gaps else None
    if facts.storage.info(facts.record_path(before if before is not None else dense[0])) is None:
        return
    first = 0 if before is None else before + 1
    missing = f"record {first}" if first == dense[0] - 1 else f"records {first} to {dense[0] - 1}"
    there = f"records {before} and {dense[0]}" if before is not None else f"record {dense[0]}"
    message = f"The log has {there}, and lacks {missing}."
    yield finding(FindingKind.LOG_GAP, message, facts.record_path(first), facts.sink_id)


def _is_begun_anew(facts: Facts, dense: list[int]) -> bool:
    return any(facts.sketches[seq].state.query_id == "" for seq in dense if seq in facts.sketches)


def _marks(facts: Facts) -> Iterator[Finding]:
    for seq, mark in facts.log.marks.items():
        if seq not in facts.log.records and facts.storage.info(facts.record_path(seq)) is None:
            message = f"Record {seq} has a mark, but the record is missing."
            yield finding(FindingKind.MARK_WITHOUT_RECORD, message, mark.path, facts.sink_id)
    # The oldest record may be in removal: its mark is removed first. The newest record may not be settled
    # yet.
    for seq, sketch in list(facts.sketches.items())[1:-1]:
        if sketch.has_to_be_settled and not facts.is_marked(seq):
            message = (
                f"Record {seq} publishes {len(sketch.publish)} parts, is not the newest, and has no mark."
            )
            yield _about(facts, FindingKind.MARK_MISSING, message, sketch, seq)


def _step(facts: Facts, before: LogRecord, after: LogRecord) -> Iterator[Finding]:
    """Compares a record with the preceding record."""
    old, new = before.state, after.state
    if new.query_id != old.query_id:
        message = (
            f"Record {after.seq} belongs to query {new.query_id}; "
            f"the earlier records belong to query {old.query_id}."
        )
        yield _about(facts, FindingKind.QUERY_CHANGED, message, after, after.seq)
    if after.written_at_millis < before.written_at_millis - _CLOCKS_DIFFER_MILLIS:
        seconds = (before.written_at_millis - after.written_at_millis) // 1000
        message = f"Record {after.seq} was written {seconds} s before record {before.seq}, by its own clock."
        yield _about(facts, FindingKind.CLOCK_BACKWARDS, message, after, after.seq)
    if after.seq != before.seq + 1:
        return
    if after.kind is not RecordKind.CLAIM and after.run != before.run:
        message = f"Record {after.seq} is of run {after.run}, which has no claim after run {before.run}."
        yield _about(facts, FindingKind.RUN_WITHOUT_CLAIM, message, after, after.seq)
    # Claims, releases and replacements may move back: a query may adopt or rewind the sink with such a
    # record.
    if after.kind not in (RecordKind.EPOCH, RecordKind.ROLL):
        return
    last, now = _number(old.last_epoch), _number(new.last_epoch)
    if now < last:
        message = f"Record {after.seq} ends with epoch {now}, the one before with epoch {last}."
        yield _about(facts, FindingKind.EPOCH_BACKWARDS, message, after, after.seq)
    elif now > last + 1:
        message = f"Record {after.seq} ends with epoch {now}, the one before with epoch {last}."
        yield _about(facts, FindingKind.EPOCH_SKIPPED, message, after, after.seq)
    if new.next_part < old.next_part:
        message = f"Record {after.seq} continues with part {new.next_part}, after part {old.next_part}."
        yield _about(facts, FindingKind.PART_NUMBER_BACKWARDS, message, after, after.seq)


def _published_twice(facts: Facts) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    jobs = facts.kind in (SinkKind.BATCH, SinkKind.CONNECTOR)  # the second record of a job repeats the first
    for seq, sketch in facts.sketches.items():
        for part in () if jobs else sketch.publish:
            earlier = seen.setdefault(part.finished_path, seq)
            if earlier != seq:
                message = f"Records {earlier} and {seq} both publish {part.finished_path}."
                yield _about(facts, FindingKind.PUBLISHED_TWICE, message, sketch, seq, part.bucket)
    for opened in facts.newest.state.open if facts.newest else ():
        if opened.finished_path in seen:
            message = f"{opened.finished_path} is open, and record {seen[opened.finished_path]} publishes it."
            yield finding(
                FindingKind.PUBLISHED_AND_OPEN, message, opened.brief_handle, facts.sink_id, opened.bucket
            )


def _number(epoch: int | None) -> int:
    return -1 if epoch is None else epoch


def _about(
    facts: Facts, kind: FindingKind, message: str, sketch: LogRecord, seq: int, bucket: str | None = None
) -> Finding:
    return finding(kind, message, facts.record_path(seq), facts.sink_id, bucket, sketch.state.last_epoch)
