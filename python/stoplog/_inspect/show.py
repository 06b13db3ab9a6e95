# SPDX-License-Identifier: Apache-2.0
"""The view of one epoch or of any other record of the log."""

from __future__ import annotations

from dataclasses import dataclass

from stoplog._html.shown import Shown
from stoplog._log.log import CommitLog
from stoplog._log.records import LogRecord
from stoplog._storage import Storage
from stoplog.errors import NotFound


@dataclass(frozen=True, slots=True)
class RecordView(Shown):
    """A record and the progress of its decisions.

    Attributes:
        path: the path of the record, under the sink's path.
        published: true if all decisions of the record are known to be carried out.
        called_off: true for a called-off merge: its inputs stay visible, and its part is never published.
        record: the contents of the record.
    """

    path: str
    published: bool
    called_off: bool
    record: LogRecord


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
    published = not found.has_to_be_settled or log.files().is_carried_out(seq)
    return RecordView(log.path(seq), published, log.is_called_off(found), found)


def newest(storage: Storage, sink_id: str) -> RecordView:
    """Returns the newest record. Raises `NotFound`, `UnreadableRecord`."""
    found = CommitLog(storage, sink_id).newest()
    if found is None:
        raise NotFound(f"The log of sink {sink_id} is empty.")
    return record(storage, sink_id, found.seq)
