# SPDX-License-Identifier: Apache-2.0
"""The records of one sink id in the storage."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from stoplog._log.codec import BaseGone, Elsewhere, RecordProblem, TooNew, Torn, decode_stored
from stoplog._log.delta import StoredRecord, WrongBase, last_of
from stoplog._log.paths import published_outside
from stoplog._log.records import LogRecord, RecordKind, RecordOutcome, SinkState
from stoplog._shared.definitions import LOG, NOTE_END, RECORD_END, REPLACEMENTS, ROOT, shared
from stoplog._storage import FileInfo, Storage
from stoplog.errors import UnreadableRecord

_HEAD = re.compile(
    rb'\{"version":\d+,"crc32c":"[0-9a-f]{8}","record":\{"seq":\d+,"kind":"'
    rb'(claim|epoch|roll|compact|release)"(?:,"epoch":(-?\d+))?'
)
_CONTENT: str = shared("core")["contentSetting"]
_LOOKS = 3
_MARK = ".published"
_NAME = re.compile(
    rf"([0-9]{{20}})({'|'.join(map(re.escape, (RECORD_END, _MARK)))}|{re.escape(NOTE_END)}(?:-[0-9]+)?)"
)


def unreadable(path: str, problem: RecordProblem) -> UnreadableRecord:
    """Creates the error for a record that cannot be used."""
    advice = (
        "Use the release of stoplog that wrote the record, or a newer release."
        if isinstance(problem, TooNew)
        else "Run 'stoplog check' on the directory, which prints the damage and the remedy."
    )
    return UnreadableRecord(_condition(problem), path, problem, advice)


def _condition(problem: RecordProblem) -> str:
    if isinstance(problem, TooNew):
        return "STOPLOG_RECORD_TOO_NEW"
    return "STOPLOG_PATH_ELSEWHERE" if isinstance(problem, Elsewhere) else "STOPLOG_RECORD_TORN"


def _decoded(note: bytes) -> dict[str, object]:
    """Returns the fields of a note; a list of visible files has no fields."""
    try:
        found = json.loads(note)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _skipped_in(note: dict[str, object]) -> list[str]:
    paths = note.get("skipped")
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []


@dataclass(frozen=True, slots=True)
class LogFiles:
    """The files in a log's directory.

    Attributes:
        records: the records by sequence number, in ascending order.
        marks: the marks of carried out records, by sequence number.
        noted: the sequence numbers of records with a note of the visible files, or of the end of a merge.
        others: all other files.
    """

    records: dict[int, FileInfo]
    marks: dict[int, FileInfo]
    noted: frozenset[int]
    others: tuple[FileInfo, ...]

    def is_carried_out(self, seq: int) -> bool:
        """Returns true for a marked record, and for all records before the newest record."""
        return seq in self.marks or seq < max(self.records, default=seq)


@dataclass(frozen=True, slots=True)
class RecordHead:
    """The kind and the epoch of a record."""

    kind: RecordKind
    epoch: int | None


def is_connector(sink_id: str, state: SinkState) -> bool:
    """Returns true for the log of a sink that writes no files.

    Decided by the sink's id, or by the setting with the contents of the sink's files.
    """
    if sink_id.startswith("batch-") or sink_id == REPLACEMENTS:
        return False
    # 'stoplog reset' restarted the log; this command only supports file sinks
    has_no_owner = not state.query_id
    return not has_no_owner and not state.settings.get(_CONTENT)


class CommitLog:
    """The log of a sink id."""

    def __init__(self, storage: Storage, sink_id: str) -> None:
        self._storage = storage
        self._sink_id = sink_id
        self._directory = f"{ROOT}/{sink_id}/{LOG}"
        self._listed: dict[int, FileInfo] = {}
        # The state of the last read record, identified by its checksum. A reader of consecutive records does
        # not read the base of each record again.
        self._known: tuple[int, str, SinkState] | None = None

    def files(self) -> LogFiles:
        """Lists the directory of the log."""
        records: dict[int, FileInfo] = {}
        marks: dict[int, FileInfo] = {}
        noted = set()
        others = []
        directories, files = self._storage.children(self._directory)
        for file in files:
            found = _NAME.fullmatch(file.name)
            if found is None:
                others.append(file)
            elif found.group(2) == RECORD_END:
                records[int(found.group(1))] = file
            elif found.group(2) == _MARK:
                marks[int(found.group(1))] = file
            else:
                noted.add(int(found.group(1)))
        others += [FileInfo(f"{self._directory}/{name}", 0, 0) for name in directories]
        self._listed = dict(sorted(records.items()))
        return LogFiles(self._listed, marks, frozenset(noted), tuple(others))

    def newest(self) -> LogRecord | None:
        """Returns the newest record; `None` for an empty log. Raises `UnreadableRecord`."""
        before, looks = -1, _LOOKS
        while (files := self.files()).records:
            seq = max(files.records)
            problem = Torn("the directory lists the record, but the file is missing")
            try:
                found = self.read(seq)
            except UnreadableRecord as error:
                if not isinstance(error.problem, BaseGone):
                    raise
                found, problem = None, error.problem
            if found is not None:
                return self._leaving(found, files)
            # The record or its base was trimmed, and there is a newer record; otherwise the record stays
            # unreadable.
            before, looks = seq, _LOOKS if seq > before else looks - 1
            if not looks:
                raise unreadable(self._absolute(seq), problem)
        return None

    def _leaving(self, record: LogRecord, files: LogFiles) -> LogRecord:
        """Returns the record with the valid state: for a called-off rewind, the state before the rewind."""
        if not record.is_rewind or not self.outcome(record.seq, files).is_called_off:
            return record
        before = self.read(record.seq - 1)
        return record if before is None else replace(record, state=before.state)

    def read(self, seq: int) -> LogRecord | None:
        """Returns a record with its state; `None` if the record does not exist. Raises `UnreadableRecord`."""
        stored = self.stored(seq)
        if stored is None:
            return None
        try:
            return self._whole(stored)
        except RecordProblem as problem:
            raise unreadable(self._absolute(seq), problem) from problem

    def stored(self, seq: int) -> StoredRecord | None:
        """Returns a record as stored in its file; `None` if the record does not exist.

        Raises `UnreadableRecord`.
        """
        try:
            return self._stored(seq)
        except RecordProblem as problem:
            raise unreadable(self._absolute(seq), problem) from problem

    def said(self, seq: int) -> LogRecord | None:
        """Returns the contents of a record's file. The state may contain only the difference from the base.

        Returns `None` if the record does not exist. Raises `UnreadableRecord`.
        """
        stored = self.stored(seq)
        return None if stored is None else stored.said

    def _stored(self, seq: int) -> StoredRecord | None:
        data = self._bytes(seq)
        return None if data is None else decode_stored(data)

    def _whole(self, stored: StoredRecord) -> LogRecord:
        """Returns the record with the state that all records of its base define. Raises `RecordProblem`."""
        behind: list[StoredRecord] = []
        known = self._known
        while stored.base is not None:
            seq = stored.said.seq - 1
            behind.append(stored)
            if known is not None and known[:2] == (seq, stored.base.checksum):
                state = known[2]
                break
            stored = self._base(stored, seq)
        else:
            state = stored.said.state
        if not behind:
            return self._remember(stored.said, stored.checksum)
        try:
            return self._remember(last_of(state, behind[::-1]), behind[0].checksum)
        except WrongBase as error:
            raise Torn(f"its base records are inconsistent: {error}") from error

    def _remember(self, record: LogRecord, checksum: str) -> LogRecord:
        outside = () if is_connector(self._sink_id, record.state) else published_outside(record)
        if outside:
            raise Elsewhere(outside, record.state.last_epoch)
        self._known = (record.seq, checksum, record.state)
        return record

    def _base(self, stored: StoredRecord, seq: int) -> StoredRecord:
        try:
            base = self._stored(seq)
        except RecordProblem as problem:
            raise Torn(f"its base, record {seq}, cannot be used: {problem}") from problem
        if base is None:
            raise BaseGone(seq)
        assert stored.base is not None
        rests_on = base.said.seq if base.base is None else base.base.whole
        if (base.checksum, base.said.seq, rests_on) != (stored.base.checksum, seq, stored.base.whole):
            raise Torn(f"its base, record {seq}, is a different record now")
        return base

    def outcome(self, seq: int, files: LogFiles) -> RecordOutcome:
        """Returns how a record ended, as the jar does. Reads only notes that the list of files contains.

        The first note of a called-off record is an object with the reason.
        """
        notes = list(self._notes(seq)) if seq in files.noted else []
        if notes and "why" in notes[0]:
            return RecordOutcome(called_off=str(notes[0]["why"]))
        return RecordOutcome(skipped=frozenset(path for note in notes for path in _skipped_in(note)))

    def _notes(self, seq: int) -> Iterator[dict[str, object]]:
        for number in count():
            note = self._storage.read(self._path(seq, f"{NOTE_END}-{number}" if number else NOTE_END))
            if note is None:
                return
            yield _decoded(note)

    def head(self, seq: int) -> RecordHead | None:
        """Reads only the start of a record; returns `None` if the record is missing or torn."""
        data = self._bytes(seq)
        found = _HEAD.match(data) if data else None
        if found is None:
            return None
        epoch = found.group(2)
        return RecordHead(RecordKind(found.group(1).decode()), int(epoch) if epoch else None)

    def mentions(self, seq: int, text: bytes) -> bool:
        """Returns true if the record contains these bytes. Callers decode only such records."""
        return text in (self._bytes(seq) or b"")

    def _bytes(self, seq: int) -> bytes | None:
        return self._storage.read(self.path(seq))

    def _absolute(self, seq: int) -> str:
        return f"{self._storage.root.rstrip('/')}/{self.path(seq)}"

    def path(self, seq: int) -> str:
        """Returns the path of a record, under the sink's path."""
        return self._path(seq, RECORD_END)

    def _path(self, seq: int, end: str) -> str:
        return f"{self._directory}/{seq:020d}{end}"
