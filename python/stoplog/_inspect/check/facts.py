# SPDX-License-Identifier: Apache-2.0
"""The facts of a check, read once: the names of files, and the fields of records that rules ask for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from stoplog._inspect.names import part_name
from stoplog._inspect.sinks import SinkKind, kind_of
from stoplog._inspect.visible import listed_files
from stoplog._log.codec import BaseGone, RecordProblem
from stoplog._log.log import CommitLog, LogFiles, UnreadableRecord
from stoplog._log.paths import InBucket
from stoplog._log.records import LogRecord
from stoplog._shared import LOG, ROOT, shared
from stoplog._storage import NO_OPTIONS, FileInfo, Storage

_MARKS_KEPT: int = shared("core")["marksKept"]
"""A run may remove the mark of a record with so many newer ones, which say that it was carried out."""


@dataclass(frozen=True, slots=True)
class Visible:
    """The files outside the directory of logs.

    Attributes:
        parts: the lengths of files that are named like parts, by their paths.
        valid_lengths: the numbers of their committed bytes, where a file next to a part notes one.
        first_directory: by the names of parts that readers see, one of the directories that they are in.
        directories_of: for names that are in several directories, which these are.
        foreign: other files that readers see.
        hidden: files that readers pass over.
    """

    parts: dict[str, int]
    valid_lengths: dict[str, int]
    first_directory: dict[str, str]
    directories_of: dict[str, list[str]]
    foreign: list[FileInfo]
    hidden: list[FileInfo]


@dataclass(frozen=True, slots=True)
class Facts:
    """One sink id.

    Attributes:
        log: the files of its log.
        sketches: the records whose files can be read, without the parts that they leave open, by the numbers
            in their files' names, in ascending order. That of a merge that was called off decides nothing.
        called_off: the numbers of such merges.
        unreadable: the others, and those that rest on one which cannot be used.
        newest: the newest record, whole; `None` if it cannot be read or there is none.
        staged: the files in its own directory, but for the log, by their paths.
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

    @property
    def kind(self) -> SinkKind:
        """The kind of program that writes the log."""
        return kind_of(self.sink_id, self.newest) if self.newest else SinkKind.UNKNOWN

    def is_marked(self, seq: int) -> bool:
        """True if the record is known to be carried out: a run keeps the marks of its newest records."""
        return seq in self.log.marks or sum(later > seq for later in self.log.records) >= _MARKS_KEPT

    def record_path(self, seq: int) -> str:
        found = self.log.records.get(seq)
        return found.path if found else CommitLog(self.storage, self.sink_id).path(seq)

    def moved_to(self, name: str) -> str | None:
        """The directory of a file of this name."""
        return self.visible.first_directory.get(name)

    def length(self, path: str) -> int | None:
        """The length of a file; asks again for one that the listing did not have, for it may be new."""
        known = self.staged.get(path)
        if known is not None:
            return known.size_bytes
        if path in self.visible.parts:
            return self.visible.parts[path]
        found = self.storage.info(path)
        return None if found is None else found.size_bytes


def visible_files(storage: Storage) -> Visible:
    """Lists everything but the logs."""
    parts: dict[str, int] = {}
    valid_lengths: dict[str, int] = {}
    first: dict[str, str] = {}
    rejected: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    foreign, hidden = [], []
    for listed in listed_files(storage):
        file = listed.file
        if listed.is_hidden:
            hidden.append(file)
        elif part_name(file.name) is None:
            foreign.append(file)
        else:
            parts[file.path] = file.size_bytes
            if listed.valid_bytes is not None:
                valid_lengths[file.path] = listed.valid_bytes
            # Rejected rows have parts of the same names, in a directory that readers of the data pass over.
            seen = rejected if listed.is_below_hidden else first
            before = seen.setdefault(file.name, file.directory)
            if before != file.directory:
                several.setdefault(file.name, [before]).append(file.directory)
    return Visible(parts, valid_lengths, first, several, foreign, hidden)


def facts(storage: Storage, sink_id: str, visible: Visible, now_millis: int) -> Facts:
    """Lists the staged files before it reads the log: the log must name no file younger than the list."""
    own = f"{ROOT}/{sink_id}"
    log_directory = f"{own}/{LOG}"
    staged = {file.path: file for file in storage.files(own, lambda directory: directory != log_directory)}
    log = CommitLog(storage, sink_id)
    files = log.files()
    sketches: dict[int, LogRecord] = {}
    called_off: set[int] = set()
    unreadable: dict[int, RecordProblem] = {}
    newest = None
    for seq in files.records:
        try:
            stored = log.stored(seq)
            if stored is None:
                continue  # trimmed meanwhile
            sketches[seq] = _sketch(stored.said)
            if seq in files.noted and log.is_called_off(stored.said):
                called_off.add(seq)
                sketches[seq] = replace(sketches[seq], publish=(), replace=(), manifest=None, markers=())
            newest = log.read(seq)
        except UnreadableRecord as error:
            newest = None
            if not _is_leaving(error.problem, files):
                unreadable[seq] = error.problem
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
    )


def _is_leaving(problem: RecordProblem, files: LogFiles) -> bool:
    """True if what a record rests on has been removed before the list was made: the record is next."""
    return isinstance(problem, BaseGone) and problem.seq < min(files.records) and len(files.records) > 1


def _sketch(record: LogRecord) -> LogRecord:
    """The record without the parts that it leaves open, of which a long log would have millions."""
    return replace(record, state=replace(record.state, open=(), live=(), small=(), settings=NO_OPTIONS))
