# SPDX-License-Identifier: Apache-2.0
"""The sinks of a path, from the newest record of each sink."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stoplog._html.shown import Shown
from stoplog._log.log import CommitLog, LogFiles, is_connector
from stoplog._log.records import LogRecord, RecordKind
from stoplog._shared.definitions import LOG, REPLACEMENTS, ROOT
from stoplog._storage import Storage
from stoplog.errors import CannotRead, NotFound, UnreadableRecord, WhichSink


class SinkKind(Enum):
    """The kind of program that writes a log."""

    FILES = "files"
    """A streaming file sink."""

    BATCH = "batch"
    """A batch job that appends rows; the job is running or died."""

    REPLACEMENTS = "replacements"
    """Jobs that replace files: overwrites, and `stoplog.compact` over a directory."""

    CONNECTOR = "connector"
    """A sink that commits to another system, such as the Kafka sink or a write-ahead sink."""

    UNKNOWN = "unknown"
    """The newest record is unreadable, or the log is empty."""


@dataclass(frozen=True, slots=True)
class SinkSummary(Shown):
    """A sink id under a path.

    Attributes:
        sink_id: the name of the sink.
        kind: the kind of program that writes to the sink.
        query_id: the Spark query that owns the sink.
        records: the number of records in its log.
        newest_seq: the sequence number of the newest record.
        newest_kind: the event of the newest record; `release` after a clean end.
        newest_at_millis: the time at which the newest record was written.
        age_millis: the milliseconds since this time.
        last_epoch: the last committed epoch.
        open_parts: the number of parts with rows that readers do not see yet.
        pending_parts: the number of decided parts that are not known to be published.
        problem: the reason if the log cannot be read.
    """

    sink_id: str
    kind: SinkKind
    query_id: str | None
    records: int
    newest_seq: int | None
    newest_kind: RecordKind | None
    newest_at_millis: int | None
    age_millis: int | None
    last_epoch: int | None
    open_parts: int
    pending_parts: int
    problem: str | None = None


def sink_ids(storage: Storage) -> list[str]:
    """Returns the names of all sinks with a log. Raises `CannotRead` if the path is not a directory."""
    if not storage.exists():
        raise CannotRead(storage.root, "the directory does not exist", "Check the path.")
    return sorted(name for name in storage.children(ROOT)[0] if _has_log(storage, name))


def _has_log(storage: Storage, name: str) -> bool:
    try:
        return LOG in storage.children(f"{ROOT}/{name}")[0]
    except CannotRead:  # a job of another user must not hide the other sinks
        return True


def chosen(storage: Storage, sink_id: str | None) -> str:
    """Returns the sink with this id.

    Without an id, returns the only sink, or the only file sink among several.

    Raises `NotFound`, `WhichSink`, `CannotRead`.
    """
    known = sink_ids(storage)
    if sink_id is None and len(known) == 1:
        return known[0]
    if sink_id is None and known:
        # `stoplog.compact`, a batch job or a connector may have a log in the same path.
        of_files = [each for each in known if _is_of_files(storage, each)]
        if len(of_files) == 1:
            return of_files[0]
        raise WhichSink(storage.root, of_files or known)
    if sink_id is None:
        raise _no_sink(storage)
    if sink_id not in known:
        there = f"The path has {', '.join(known)}" if known else "The path has no sink"
        raise NotFound(f"{storage.root} has no sink {sink_id}. {there}.")
    return sink_id


def selected(storage: Storage, sink_id: str | None) -> list[str]:
    """Returns the sink with this id, or all sinks.

    Raises `CannotRead`, or `NotFound` if there is no such sink.
    """
    if sink_id is not None:
        return [chosen(storage, sink_id)]
    known = sink_ids(storage)
    if not known:
        raise _no_sink(storage)
    return known


def summary(storage: Storage, sink_id: str, now_millis: int) -> SinkSummary:
    """Returns the summary of a sink, from its newest record."""
    log = CommitLog(storage, sink_id)
    records = 0
    try:
        files = log.files()
        records = len(files.records)
        newest = log.newest()
    except (CannotRead, UnreadableRecord) as error:
        return _nothing(sink_id, records, str(error))
    return summary_of(sink_id, newest, files, now_millis)


def summary_of(sink_id: str, newest: LogRecord | None, files: LogFiles, now_millis: int) -> SinkSummary:
    """Returns the summary of a sink from a record that was read before."""
    if newest is None:
        return _nothing(sink_id, 0, None)
    return SinkSummary(
        sink_id=sink_id,
        kind=kind_of(sink_id, newest),
        query_id=newest.state.query_id,
        records=len(files.records),
        newest_seq=newest.seq,
        newest_kind=newest.kind,
        newest_at_millis=newest.written_at_millis,
        age_millis=max(0, now_millis - newest.written_at_millis),
        last_epoch=newest.state.last_epoch,
        open_parts=len(newest.state.open),
        pending_parts=0 if newest.seq in files.marks else len(newest.publish),
    )


def kind_of(sink_id: str, newest: LogRecord) -> SinkKind:
    """Returns the kind of a sink, from the reserved ids of batch jobs and replacements, or the settings."""
    known = _kind_by_id(sink_id)
    if known is not None:
        return known
    return SinkKind.CONNECTOR if is_connector(sink_id, newest.state) else SinkKind.FILES


def _kind_by_id(sink_id: str) -> SinkKind | None:
    if sink_id.startswith("batch-"):
        return SinkKind.BATCH
    return SinkKind.REPLACEMENTS if sink_id == REPLACEMENTS else None


def _is_of_files(storage: Storage, sink_id: str) -> bool:
    """Returns true for a file sink, and for a sink with an unreadable log, which may be a file sink."""
    if _kind_by_id(sink_id) is not None:
        return False
    try:
        newest = CommitLog(storage, sink_id).newest()
    except (CannotRead, UnreadableRecord):
        return True
    return newest is None or kind_of(sink_id, newest) is SinkKind.FILES


def _nothing(sink_id: str, records: int, problem: str | None) -> SinkSummary:
    return SinkSummary(sink_id, SinkKind.UNKNOWN, None, records, None, None, None, None, None, 0, 0, problem)


def _no_sink(storage: Storage) -> NotFound:
    return NotFound(f"No sink has written to {storage.root}: there is no log. Check the path.")
