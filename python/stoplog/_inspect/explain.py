# SPDX-License-Identifier: Apache-2.0
"""Explains why a file is visible or invisible to readers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from stoplog._html.shown import Shown
from stoplog._inspect.endings import why_called_off, why_replaced, why_skipped
from stoplog._inspect.names import (
    finished_name_of,
    is_hidden,
    is_replaced_file,
    marker_version,
    part_name,
)
from stoplog._inspect.places import paths_below
from stoplog._inspect.rolling import RollingFacts, forecast
from stoplog._log.log import CommitLog
from stoplog._log.paths import InBucket, leads_outside, staged_of
from stoplog._log.records import (
    FinishedPart,
    LogRecord,
    Marker,
    OpenPart,
    PendingPart,
    RecordKind,
    RecordOutcome,
)
from stoplog._shared.definitions import DIRECTORIES, GRACE_MILLIS, ROOT
from stoplog._storage import FileInfo, Storage
from stoplog._text.words import many, size
from stoplog.errors import UnreadableRecord


class PartState(Enum):
    """The relation of a file to a sink."""

    FINISHED = "finished"
    OPEN = "open"
    PENDING = "pending"
    REPLACED = "replaced"
    GONE = "gone"
    BESIDE = "beside"
    ORPHAN = "orphan"
    OWN = "own"
    BUCKET = "bucket"
    FOREIGN = "foreign"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Explanation(Shown):
    """The explanation of a file.

    Attributes:
        part: the name or path from the user.
        state: the relation of the file to the sink.
        message: the reason, in one or two sentences.
        path: the place of the file under the sink's path, now or after it is finished.
        sink_id: the sink of the file, if known.
        epoch: the last epoch of the record that closed the part.
        seq: the number of this record, or of the newest record for an open part.
    """

    part: str
    state: PartState
    message: str
    path: str | None = None
    sink_id: str | None = None
    epoch: int | None = None
    seq: int | None = None


def marker(storage: Storage, sinks: Sequence[str], subject: str, file: FileInfo) -> Explanation | None:
    """Explains a marker; returns `None` for any other file. Raises `CannotRead`."""
    version = marker_version(file.name)
    if version is None:
        return None
    bucket = f"the bucket {file.directory}" if file.directory else "the path itself"
    sink_id = _named_inside(storage, file) or _named_in_log(storage, sinks, file, version)
    if sink_id is None:
        message = "It is empty, and no retained record names it: another program may have written it."
        return Explanation(subject, PartState.FOREIGN, f"{message} Readers ignore the file.", file.path)
    message = f"Sink {sink_id} marks {bucket} as complete with this file. Readers ignore the file."
    return Explanation(subject, PartState.OWN, message, file.path, sink_id)


def _named_inside(storage: Storage, file: FileInfo) -> str | None:
    try:
        said = json.loads(storage.read(file.path) or b"null")
    except (ValueError, RecursionError):
        return None
    sink_id = said.get("sinkId") if isinstance(said, dict) else None
    return sink_id if isinstance(sink_id, str) else None


def _named_in_log(storage: Storage, sinks: Sequence[str], file: FileInfo, version: int) -> str | None:
    """Returns the sink whose log names the marker; an empty marker does not contain the name."""
    for sink_id in sinks:
        if any(each.bucket == file.directory and each.version == version for each in _all(storage, sink_id)):
            return sink_id
    return None


def _all(storage: Storage, sink_id: str) -> Iterator[Marker]:
    """Returns the markers that the kept records have decided, newest first."""
    log = CommitLog(storage, sink_id)
    for seq in sorted(log.files().records, reverse=True):
        if not log.mentions(seq, b'"markers"'):
            continue
        try:
            record = log.said(seq)
        except UnreadableRecord:
            continue
        yield from record.markers if record is not None else ()


def explain(storage: Storage, sinks: Sequence[str], subject: str, now_millis: int) -> Explanation:
    """Searches the logs first, then the directory. Raises `UnreadableRecord`, `CannotRead`.

    Args:
        subject: a name, a path, or a URI, with or without the storage's root.
    """
    path, *others = paths_below(storage.root, subject)
    found = _explained(storage, sinks, subject, path, now_millis)
    for other in others if found.state is PartState.UNKNOWN else ():
        explained = _explained(storage, sinks, subject, other, now_millis)
        found = found if explained.state is PartState.UNKNOWN else explained
    return found


def _explained(
    storage: Storage, sinks: Sequence[str], subject: str, path: str, now_millis: int
) -> Explanation:
    if leads_outside(path):
        message = f"The path is not under {storage.root}, which is the only directory that the command reads."
        return Explanation(subject, PartState.UNKNOWN, message)
    gone = None
    for sink_id in sinks:
        found = _in_log(storage, sink_id, subject, path, now_millis)
        if found is not None and found.state is not PartState.GONE:
            return found
        gone = gone or found  # unless the log of a batch job names the replacement
    if gone is not None:
        return gone
    file = storage.info(path) or _search(storage, path)
    if file is None:
        bucket = _bucket(storage, sinks, subject, path.rstrip("/"))
        if bucket is not None:
            return bucket
        message = "No retained record names the file, and no file with this name exists here."
        return Explanation(subject, PartState.UNKNOWN, message)
    return _by_its_place(storage, sinks, subject, file, now_millis)


def _in_log(storage: Storage, sink_id: str, subject: str, path: str, now_millis: int) -> Explanation | None:
    log = CommitLog(storage, sink_id)
    newest = log.newest()
    if newest is None:
        return None
    layout = InBucket.of(sink_id, newest.state.settings)
    wanted = _Wanted.of(path, layout, storage.info(path) is not None)
    for part in newest.state.open:
        for spooled in part.spooled.files:
            if path in (spooled.path, spooled.path.rpartition("/")[2]):
                message = (
                    f"It holds rows of {part.finished_path} that do not fill a block of the format yet. "
                    "They are written into the part before it is closed."
                )
                return Explanation(
                    subject, PartState.BESIDE, message, spooled.path, sink_id, None, newest.seq
                )
        if wanted.is_part(part):
            return _open(subject, sink_id, newest, part, now_millis)
    return _closed(storage, log, sink_id, subject, wanted, newest)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The file that the user named.

    Attributes:
        token: the file's name in a handle.
        finished_name: the final name of the file's part; `None` for an existing unfinished file. Several
            attempts may have started the part, and the part is only in one of their files.
        finished_path: the final path, if the user gave a final path.
    """

    token: str
    finished_name: str | None
    finished_path: str | None = None

    @classmethod
    def of(cls, path: str, layout: InBucket | None, is_there: bool) -> _Wanted:
        token = layout.token_of(path) if layout else None
        unfinished = token is not None or path.startswith(f"{ROOT}/")
        if is_there and unfinished:
            return cls(token or path, None)
        if "/" in path and not unfinished:
            return cls(path, path.rpartition("/")[2], path)
        name = ((layout.finished_of(path) if layout else None) or path).rpartition("/")[2]
        return cls(token or path, finished_name_of(name) or name)

    def is_part(self, part: OpenPart | PendingPart) -> bool:
        if self.finished_path is not None:
            return part.finished_path == self.finished_path
        # Part names are unique, except for rejected rows with the same name as a part of good rows.
        return part.name == self.finished_name or self.token in staged_of(part.handle).paths

    def is_replaced(self, part: FinishedPart) -> bool:
        # Jobs also replace files of other programs, which may have one name in several directories.
        return self.finished_path == part.path if self.finished_path else self.finished_name == part.name

    @property
    def may_be_in(self) -> bytes:
        """Returns bytes that every record with the file contains."""
        return json.dumps(self.finished_name or self.token, ensure_ascii=False)[1:-1].encode(
            errors="surrogatepass"
        )


def _open(subject: str, sink_id: str, newest: LogRecord, part: OpenPart, now_millis: int) -> Explanation:
    roll = forecast(
        part, RollingFacts.of(newest.state.settings), newest.kind is RecordKind.RELEASE, now_millis
    )
    when = f" It will be closed in {max(0, roll.at_millis - now_millis) // 1000} s" if roll.at_millis else ""
    reason = f" ({roll.reason})" if roll.reason else ""
    message = (
        f"It is still open: its {part.records} rows become visible when it is closed.{when}{reason}"
        f"{'; ' if when else ' '}{roll.why_not_yet}."
    )
    return Explanation(subject, PartState.OPEN, message, part.finished_path, sink_id, None, newest.seq)


def _closed(
    storage: Storage, log: CommitLog, sink_id: str, subject: str, wanted: _Wanted, newest: LogRecord
) -> Explanation | None:
    """Searches from the newest record back for the record that closed or replaced the part."""
    files = log.files()
    for seq in sorted(files.records, reverse=True):
        if not log.mentions(seq, wanted.may_be_in):
            continue
        try:
            record = newest if seq == newest.seq else log.said(seq)
        except UnreadableRecord:
            continue
        if record is None:
            continue
        outcome = log.outcome(seq, files)
        for replaced in () if outcome.is_called_off else record.replace:
            if wanted.is_replaced(replaced):
                there = storage.info(replaced.path)
                if there is not None and not is_replaced_file(replaced, there.size_bytes):
                    continue
                until = " until the record is carried out" if not files.is_carried_out(seq) else ""
                seen = "" if there is None else f" Readers see the file{until}."
                message = why_replaced(sink_id, record) + seen
                epoch = record.state.last_epoch
                return Explanation(subject, PartState.REPLACED, message, replaced.path, sink_id, epoch, seq)
        for part in record.publish:
            if wanted.is_part(part):
                if not outcome.shows(part):
                    return _never_shown(sink_id, subject, record, part, outcome)
                return _published(storage, sink_id, subject, record, part, files.is_carried_out(seq))
    return None


def _never_shown(
    sink_id: str, subject: str, record: LogRecord, part: PendingPart, outcome: RecordOutcome
) -> Explanation:
    cause = outcome.called_off
    why = why_skipped(record, part) if cause is None else why_called_off(record, cause)
    message = f"The part was never visible. {why}"
    return Explanation(
        subject, PartState.GONE, message, part.finished_path, sink_id, record.state.last_epoch, record.seq
    )


def _published(
    storage: Storage, sink_id: str, subject: str, record: LogRecord, part: PendingPart, marked: bool
) -> Explanation:
    epoch = record.state.last_epoch
    by = f"record {record.seq} ({record.kind.value}, last epoch {epoch}), roll reason {part.reason}"
    there = storage.info(part.finished_path) is not None
    if part.size_bytes == 0:
        state, message = PartState.FINISHED, f"The part has no bytes and is never visible. Closed by {by}."
    elif there:
        # The compaction of a directory records no rows, because their number is unknown.
        rows = f"{part.records} rows, " if part.records else ""
        state, message = PartState.FINISHED, f"Readers see the part: {rows}closed by {by}."
    elif marked:
        state, message = (
            PartState.GONE,
            f"It was finished by {by}, and another program has moved or deleted the file since, which is no "
            "error.",
        )
    else:
        state, message = (
            PartState.PENDING,
            f"It is decided by {by}, and becomes visible as soon as the driver, or the query's next start, "
            "has carried that out.",
        )
    return Explanation(subject, state, message, part.finished_path, sink_id, epoch, record.seq)


def _search(storage: Storage, name: str) -> FileInfo | None:
    if "/" in name:
        return None
    return next((file for file in storage.files() if file.name == name), None)


def _bucket(storage: Storage, sinks: Sequence[str], subject: str, path: str) -> Explanation | None:
    """Explains a directory with finished or open parts; returns `None` for any other directory."""
    files = storage.children(path)[1] if path != ROOT and not path.startswith(f"{ROOT}/") else []
    finished = [file for file in files if part_name(file.name) is not None]
    newest = [record for record in (CommitLog(storage, each).newest() for each in sinks) if record]
    open_parts = [part for record in newest for part in record.state.open if part.bucket == path]
    if not finished and not open_parts:
        return None
    held = sum(part.records for part in open_parts)
    markers = [file.name for file in files if marker_version(file.name) is not None]
    message = (
        f"It is a bucket: readers see {many(len(finished), 'part')} with "
        f"{size(sum(file.size_bytes for file in finished))}, and "
        f"{many(len(open_parts), 'open part')} with {many(held, 'row')} that they do not see yet. "
        + (f"Marked as complete: {', '.join(sorted(markers))}." if markers else "It has no marker.")
    )
    return Explanation(subject, PartState.BUCKET, message, path or ".")


def _by_its_place(
    storage: Storage, sinks: Sequence[str], subject: str, file: FileInfo, now_millis: int
) -> Explanation:
    """Explains an existing file that no kept record names."""
    pieces = file.path.split("/")
    if pieces[0] == ROOT and len(pieces) > 3:
        sink_id, place = pieces[1], pieces[2]
        if place in (DIRECTORIES["open"], DIRECTORIES["spool"]):
            return Explanation(subject, PartState.ORPHAN, _orphan(file, now_millis), file.path, sink_id)
        message = f"It belongs to the log of sink {sink_id} ({place}). Do not change the file."
        if place == DIRECTORIES["manifests"]:
            message = f"It is a manifest: sink {sink_id} lists the files of one commit in it, for loaders."
        return Explanation(subject, PartState.OWN, message, file.path, sink_id)
    for sink_id in sinks:
        newest = CommitLog(storage, sink_id).newest()
        layout = InBucket.of(sink_id, newest.state.settings) if newest else None
        if layout and layout.token_of(file.path):
            return Explanation(subject, PartState.ORPHAN, _orphan(file, now_millis), file.path, sink_id)
    found = marker(storage, sinks, subject, file)
    if found is not None:
        return found
    if part_name(file.name) is not None:
        hidden = " Readers ignore its directory." if is_hidden(file.path) else " Readers see the part."
        message = f"The part is finished. No record names the part: {_origin(storage, sinks)}.{hidden}"
        return Explanation(subject, PartState.FINISHED, message, file.path)
    if is_hidden(file.path):
        return Explanation(
            subject, PartState.FOREIGN, "No sink wrote the file. Readers ignore the file.", file.path
        )
    return Explanation(subject, PartState.FOREIGN, "No sink wrote the file. Readers see the file.", file.path)


def _origin(storage: Storage, sinks: Sequence[str]) -> str:
    """Returns the possible origins of a part without a record. An ended batch job deletes its log."""
    if any(min(CommitLog(storage, sink_id).files().records, default=0) > 0 for sink_id in sinks):
        return "a trimmed record or an ended batch job has published the part"
    return "an ended batch job has published the part, or another program has copied the file"


def _orphan(file: FileInfo, now_millis: int) -> str:
    age = now_millis - file.modified_at_millis
    if age <= GRACE_MILLIS:
        return (
            "No record names it. A task may be writing it now; if not, the driver removes it in "
            f"{(GRACE_MILLIS - age) // 60_000 + 1} min or later, when it sweeps."
        )
    return (
        "No record names it: a failed attempt left it. The driver removes it, at its start or within an hour."
    )
