# SPDX-License-Identifier: Apache-2.0
"""The view of one epoch or of any other record of the log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stoplog._html.shown import Shown
from stoplog._inspect.endings import why_called_off, why_skipped
from stoplog._log.log import CommitLog
from stoplog._log.records import LogRecord, RecordOutcome
from stoplog._storage import Storage
from stoplog.errors import NotFound


@dataclass(frozen=True, slots=True)
class RecordView(Shown):
    """A record and the progress of its decisions.

    Attributes:
        path: the path of the record, under the sink's path.
        published: true if all decisions of the record are known to be carried out.
        called_off: true for a called-off record: the files that it replaces stay, and its parts are never
            published.
        record: the contents of the record.
        remarks: sentences on decisions that did not take effect: the cause for which the record was called
            off, and the lost parts without which the query has continued.
    """

    path: str
    published: bool
    called_off: bool
    record: LogRecord
    remarks: tuple[str, ...] = ()


def epoch(storage: Storage, sink_id: str, number: int) -> RecordView:
    """Returns the record of an epoch. Raises `NotFound`, `UnreadableRecord`."""
    log = CommitLog(storage, sink_id)
    records = log.files().records
    heads = ((seq, log.head(seq)) for seq in sorted(records, reverse=True))
    last = None
    for seq, head in heads:
        if head is None or head.epoch is None:
            continue  # the record is unreadable, or has no epoch
        if head.epoch == number:
            return record(storage, sink_id, seq)
        last = last if last is not None else head.epoch
    there = "none of them of an epoch" if last is None else f"the newest epoch among them is {last}"
    raise NotFound(
        f"Epoch {number} of sink {sink_id} is not in the log: the log has {len(records)} records, {there}."
    )


def record(storage: Storage, sink_id: str, seq: int) -> RecordView:
    """Returns the record with this sequence number. Raises `NotFound`, `UnreadableRecord`."""
    log = CommitLog(storage, sink_id)
    found = log.read(seq)
    if found is None:
        kept = sorted(log.files().records)
        there = f"the log has records {kept[0]} to {kept[-1]}" if kept else "the log is empty"
        raise NotFound(f"Record {seq} of sink {sink_id} is not in the log: {there}.")
    files = log.files()
    published = not found.has_to_be_settled or files.is_carried_out(seq)
    outcome = log.outcome(seq, files)
    return RecordView(log.path(seq), published, outcome.is_called_off, found, tuple(_remarks(found, outcome)))


def _remarks(record: LogRecord, outcome: RecordOutcome) -> Iterator[str]:
    if outcome.called_off is not None:
        yield why_called_off(record, outcome.called_off)
    skipped = (part for part in record.publish if part.finished_path in outcome.skipped)
    yield from (why_skipped(record, part) for part in skipped)


def newest(storage: Storage, sink_id: str) -> RecordView:
    """Returns the newest record. Raises `NotFound`, `UnreadableRecord`."""
    found = CommitLog(storage, sink_id).newest()
    if found is None:
        raise NotFound(f"The log of sink {sink_id} is empty.")
    return record(storage, sink_id, found.seq)
