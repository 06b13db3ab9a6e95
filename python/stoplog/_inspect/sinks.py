# SPDX-License-Identifier: Apache-2.0
"""The sinks of a path, from the newest record of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from stoplog._html.shown import Shown
from stoplog._log.log import CommitLog, LogFiles, UnreadableRecord, is_connector
from stoplog._log.records import LogRecord, RecordKind
from stoplog._shared import LOG, REPLACEMENTS, ROOT
from stoplog._storage import Storage
from stoplog._storage.files import CannotRead
from stoplog.errors import StoplogError


class NotFound(StoplogError):
    """A request for a sink, an epoch or a part that is not there."""

    def __init__(self, message: str) -> None:
        super().__init__("STOPLOG_NOT_FOUND", message)


class WhichSink(StoplogError):
    """A request without a sink id, for a path with several sinks.

    >>> print(WhichSink("/data/out", ["a", "b"]))
    /data/out has several sinks: a, b. Name one of them: --sink-id, or sink_id in Python.
    """

    def __init__(self, path: str, sink_ids: Sequence[str]) -> None:
        super().__init__(
            "STOPLOG_WHICH_SINK",
            f"{path} has several sinks: {', '.join(sink_ids)}. "
            "Name one of them: --sink-id, or sink_id in Python.",
        )


class SinkKind(Enum):
    """The kind of program that writes a log."""

    FILES = "files"
    """A streaming file sink."""

    BATCH = "batch"
    """A batch job that adds rows, and is at work or died."""

    REPLACEMENTS = "replacements"
    """The jobs that replace files: overwrites, and `stoplog.compact` over a directory."""

    CONNECTOR = "connector"
    """A sink that commits elsewhere, as that for Kafka or a write-ahead sink."""

    UNKNOWN = "unknown"
    """Its newest record cannot be read, or it has none."""


@dataclass(frozen=True, slots=True)
class SinkSummary(Shown):
    """One sink id under a path.

    Attributes:
        sink_id: its name.
        kind: the kind of program that writes to it.
        query_id: the Spark query that owns it.
        records: the number of records that its log keeps.
        newest_seq: the place of the newest one in the log.
        newest_kind: the event of the newest record; `release` after a clean end.
        newest_at_millis: the time at which the newest record was written.
        age_millis: the time since then.
        last_epoch: the last committed epoch.
        open_parts: parts whose rows readers do not see yet.
        pending_parts: parts that are decided, and not known to be published.
        problem: the reason why its log cannot be read, if so.
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
    """The names of all sinks that have a log. Raises `CannotRead` if the path is no directory."""
    if not storage.exists():
        raise CannotRead(storage.root, "there is no such directory", "Look at the path.")
    return sorted(name for name in storage.children(ROOT)[0] if LOG in storage.children(f"{ROOT}/{name}")[0])


def chosen(storage: Storage, sink_id: str | None) -> str:
    """The sink of this id, or the only one; beside others, the only one of files.

    Raises `NotFound`, `WhichSink`, `CannotRead`.
    """
    known = sink_ids(storage)
    if sink_id is None and len(known) == 1:
        return known[0]
    if sink_id is None and known:
        # `stoplog.compact`, a batch job or a connector may have a log beside the sink's.
        of_files = [each for each in known if _is_of_files(storage, each)]
        if len(of_files) == 1:
            return of_files[0]
        raise WhichSink(storage.root, of_files or known)
    if sink_id is None:
        raise _no_sink(storage)
    if sink_id not in known:
        there = f"It has {', '.join(known)}" if known else "It has none"
        raise NotFound(f"{storage.root} has no sink {sink_id}. {there}.")
    return sink_id


def asked(storage: Storage, sink_id: str | None) -> list[str]:
    """The sink of this id, or all sinks. Raises `NotFound` where there is none, `CannotRead`."""
    if sink_id is not None:
        return [chosen(storage, sink_id)]
    known = sink_ids(storage)
    if not known:
        raise _no_sink(storage)
    return known


def summary(storage: Storage, sink_id: str, now_millis: int) -> SinkSummary:
    """The summary of one sink, from its newest record."""
    log = CommitLog(storage, sink_id)
    files = log.files()
    try:
        newest = log.newest()
    except UnreadableRecord as error:
        return _nothing(sink_id, len(files.records), str(error))
    return summary_of(sink_id, newest, files, now_millis)


def summary_of(sink_id: str, newest: LogRecord | None, files: LogFiles, now_millis: int) -> SinkSummary:
    """The same from a record that has been read."""
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
    """The kind by the id, which for batch jobs and replacements is no sink's, or by the settings."""
    if sink_id.startswith("batch-"):
        return SinkKind.BATCH
    if sink_id == REPLACEMENTS:
        return SinkKind.REPLACEMENTS
    return SinkKind.CONNECTOR if is_connector(sink_id, newest.state) else SinkKind.FILES


def _is_of_files(storage: Storage, sink_id: str) -> bool:
    """True for a sink of files, and for one whose log cannot be read: the user may mean it."""
    try:
        newest = CommitLog(storage, sink_id).newest()
    except UnreadableRecord:
        return True
    return newest is None or kind_of(sink_id, newest) is SinkKind.FILES


def _nothing(sink_id: str, records: int, problem: str | None) -> SinkSummary:
    return SinkSummary(sink_id, SinkKind.UNKNOWN, None, records, None, None, None, None, None, 0, 0, problem)


def _no_sink(storage: Storage) -> NotFound:
    return NotFound(f"No sink has written to {storage.root}: there is no log. Look at the path.")
