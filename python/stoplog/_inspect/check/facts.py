# SPDX-License-Identifier: Apache-2.0
"""The facts of a check, read once: the names of files, and the fields of records that rules need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stoplog._inspect.names import identity_of, part_name
from stoplog._inspect.sinks import SinkKind, kind_of
from stoplog._inspect.visible import listed_files
from stoplog._log.codec import BaseGone, RecordProblem
from stoplog._log.log import CommitLog, LogFiles
from stoplog._log.paths import InBucket
from stoplog._log.records import LogRecord
from stoplog._shared.definitions import LOG, ROOT, shared
from stoplog._storage import NO_OPTIONS, FileInfo, Storage
from stoplog.errors import UnreadableRecord

_MARKS_KEPT: int = shared("core")["marksKept"]
"""A run may remove the mark of a record if the log has this number of newer records.

The newer records imply that the record was carried out.
"""


@dataclass(frozen=True, slots=True)
class Visible:
    """The files outside the directory of logs.

    Attributes:
        parts: the lengths of files that are named like parts, by path.
        valid_lengths: the numbers of committed bytes, from the files that record valid lengths, by path of
            the part.
        first_copy: one of the files of each visible part, by the part's identity.
        copies: all files of the parts with several files, by the part's identity.
        foreign: other files, by path. Readers see these files unless a directory is hidden.
        hidden: files that readers ignore.
    """

    parts: dict[str, int]
    valid_lengths: dict[str, int]
    first_copy: dict[str, str]
    copies: dict[str, list[str]]
    foreign: dict[str, FileInfo]
    hidden: list[FileInfo]

    def __contains__(self, path: str) -> bool:
        """Returns true if the path is a listed file that is not hidden by its name."""
        return path in self.parts or path in self.foreign

    def copies_of(self, path: str) -> Sequence[str]:
        """Returns the visible files with the rows of a finished file, which may itself be gone."""
        identity = identity_of(path)
        if identity is None:
            return [path] if path in self else []
        first = self.first_copy.get(identity)
        return self.copies.get(identity, [] if first is None else [first])


@dataclass(frozen=True, slots=True)
class Facts:
    """One sink id.

    Attributes:
        log: the files of its log.
        sketches: the readable records by sequence number, ascending, without their open parts. The sketch of
            a called-off record has no decisions.
        called_off: the sequence numbers of called-off records.
        unreadable: the unreadable records, and the records whose base cannot be used.
        newest: the newest record with all fields; `None` if the record is unreadable or does not exist.
        staged: the files in the sink's own directory except the log, by path.
        skipped: the paths of the parts that were lost, and without which the query continued, by record.
    """

    storage: Storage
    sink_id: str
    now_millis: int
    visible: Visible
    log: LogFiles
    sketches: dict[int, LogRecord]
    called_off: frozenset[int]
    unreadable: dict[int, RecordProblem]
    newest: LogRecord | None
    staged: dict[str, FileInfo]
    layout: InBucket | None = field(default=None)
    skipped: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @property
    def kind(self) -> SinkKind:
        """Returns the kind of program that writes the log."""
        return kind_of(self.sink_id, self.newest) if self.newest else SinkKind.UNKNOWN

    @property
    def published(self) -> Iterator[str]:
        """Returns the paths of the parts that the retained records publish."""
        return (part.finished_path for sketch in self.sketches.values() for part in sketch.publish)

    def is_marked(self, seq: int) -> bool:
        """Returns true if the record was carried out. A run keeps the marks of its newest records only."""
        return seq in self.log.marks or sum(later > seq for later in self.log.records) >= _MARKS_KEPT

    def record_path(self, seq: int) -> str:
        found = self.log.records.get(seq)
        return found.path if found else CommitLog(self.storage, self.sink_id).path(seq)

    def length(self, path: str) -> int | None:
        """Returns the length of a file.

        Queries the storage for a file that is not listed, because the file may be new.
        """
        known = self.staged.get(path)
        if known is not None:
            return known.size_bytes
        if path in self.visible.parts:
            return self.visible.parts[path]
        found = self.storage.info(path)
        return None if found is None else found.size_bytes


Watch = Callable[[int, int], object]
"""Receives the number of finished units of work and the number of all units."""


def unwatched(done: int, total: int) -> None:
    """Ignores the progress."""


def visible_files(storage: Storage) -> Visible:
    """Lists all files outside the logs."""
    parts: dict[str, int] = {}
    valid_lengths: dict[str, int] = {}
    first: dict[str, str] = {}
    copies: dict[str, list[str]] = {}
    foreign: dict[str, FileInfo] = {}
    hidden = []
    for listed in listed_files(storage):
        file = listed.file
        if listed.is_hidden:
            hidden.append(file)
        elif part_name(file.name) is None:
            foreign[file.path] = file
        else:
            parts[file.path] = file.size_bytes
            if listed.valid_bytes is not None:
                valid_lengths[file.path] = listed.valid_bytes
            identity = identity_of(file.path)
            if identity is not None and (before := first.setdefault(identity, file.path)) != file.path:
                copies.setdefault(identity, [before]).append(file.path)
    return Visible(parts, valid_lengths, first, copies, foreign, hidden)


def facts(
    storage: Storage, sink_id: str, visible: Visible, now_millis: int, watch: Watch = unwatched
) -> Facts:
    """Collects the facts of a sink.

    Lists the staged files before the log is read: the log must not name a file that is newer than the list.

    Args:
        watch: receives the number of records that were read, and the number of all records.
    """
    own = f"{ROOT}/{sink_id}"
    log_directory = f"{own}/{LOG}"
    staged = {file.path: file for file in storage.files(own, lambda directory: directory != log_directory)}
    log = CommitLog(storage, sink_id)
    files = log.files()
    sketches: dict[int, LogRecord] = {}
    called_off: set[int] = set()
    skipped: dict[int, frozenset[str]] = {}
    unreadable: dict[int, RecordProblem] = {}
    newest = None
    for number, seq in enumerate(files.records):
        watch(number, len(files.records))
        try:
            stored = log.stored(seq)
            if stored is None:
                # Returns true if the base of a record was removed before the listing: the
                # record is removed next.
                continue
            sketches[seq] = _sketch(stored.said)
            outcome = log.outcome(seq, files)
            skipped[seq] = outcome.skipped
            if outcome.is_called_off:
                called_off.add(seq)
                sketches[seq] = replace(sketches[seq], publish=(), replace=(), manifest=None, markers=())
            newest = log.read(seq)
        except UnreadableRecord as error:
            newest = None
            problem = error.problem
            if isinstance(problem, RecordProblem) and not _is_leaving(seq, problem, files):
                unreadable[seq] = problem
    layout = InBucket.of(sink_id, newest.state.settings) if newest else None
    return Facts(
        storage,
        sink_id,
        now_millis,
        visible,
        files,
        sketches,
        frozenset(called_off),
        unreadable,
        newest,
        staged,
        layout,
        skipped,
    )


def _is_leaving(seq: int, problem: RecordProblem, files: LogFiles) -> bool:
    """Returns true if a record lost its base before the listing: the record itself is removed next.

    A trim keeps the newest record.
    """
    return isinstance(problem, BaseGone) and problem.seq < min(files.records) and seq < max(files.records)


def _sketch(record: LogRecord) -> LogRecord:
    """Returns the record without its open parts, which would be millions in a long log."""
    return replace(record, state=replace(record.state, open=(), live=(), small=(), settings=NO_OPTIONS))
