# SPDX-License-Identifier: Apache-2.0
"""The records of one sink id, where they lie."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from stoplog._log.codec import BaseGone, Elsewhere, RecordProblem, TooNew, Torn, decode_stored
from stoplog._log.delta import StoredRecord, WrongBase, last_of
from stoplog._log.paths import published_outside
from stoplog._log.records import LogRecord, RecordKind, SinkState
from stoplog._shared import LOG, NOTE_END, RECORD_ENDS, REPLACEMENTS, ROOT, shared
from stoplog._storage import FileInfo, Storage
from stoplog.errors import StoplogError

_HEAD = re.compile(
    rb'\{"version":\d+,"crc32c":"[0-9a-f]{8}","record":\{"seq":\d+,"kind":"'
    rb'(claim|epoch|roll|compact|release)"(?:,"epoch":(-?\d+))?'
)
_CONTENT: str = shared("core")["contentSetting"]
_LOOKS = 3
_MARK = ".published"
_NAME = re.compile(
    rf"([0-9]{{20}})({'|'.join(map(re.escape, (*RECORD_ENDS, _MARK)))}|{re.escape(NOTE_END)}(?:-[0-9]+)?)"
)


class UnreadableRecord(StoplogError):
    """A record is there and cannot be used: `STOPLOG_RECORD_TORN`, `…_TOO_NEW` or `…_ELSEWHERE`.

    Attributes:
        problem: why.
    """

    def __init__(self, path: str, problem: RecordProblem) -> None:
        advice = (
            "Use the release of stoplog that wrote it, or a newer one."
            if isinstance(problem, TooNew)
            else "Run 'stoplog check' on the directory: it says what is left and what to do."
        )
        super().__init__(_condition(problem), f"The record {path} cannot be used: {problem}. {advice}")
        self.problem = problem


def _condition(problem: RecordProblem) -> str:
    if isinstance(problem, TooNew):
        return "STOPLOG_RECORD_TOO_NEW"
    return "STOPLOG_RECORD_ELSEWHERE" if isinstance(problem, Elsewhere) else "STOPLOG_RECORD_TORN"


@dataclass(frozen=True, slots=True)
class LogFiles:
    """The files in a log's directory.

    Attributes:
        records: by sequence number, in ascending order.
        marks: the sequence numbers of those that have been carried out.
        noted: the sequence numbers of those with a note of what became visible, or of how a merge ends.
        others: all other files.
    """

    records: dict[int, FileInfo]
    marks: dict[int, FileInfo]
    noted: frozenset[int]
    others: tuple[FileInfo, ...]

    def is_carried_out(self, seq: int) -> bool:
        """True for a marked record, and for each behind which there is a newer one, which says that it is."""
        return seq in self.marks or seq < max(self.records, default=seq)


@dataclass(frozen=True, slots=True)
class RecordHead:
    """The subject of a record."""

    kind: RecordKind
    epoch: int | None


def is_connector(sink_id: str, state: SinkState) -> bool:
    """True for the log of a sink that writes no files.

    Its id says so, or its settings, which say what is in the files of a sink.
    """
    if sink_id.startswith("batch-") or sink_id == REPLACEMENTS:
        return False
    has_no_owner = not state.query_id  # 'stoplog reset' has begun it anew, and knows file sinks alone
    return not has_no_owner and not state.settings.get(_CONTENT)


class CommitLog:
    """The log of a sink id."""

    def __init__(self, storage: Storage, sink_id: str) -> None:
        self._storage = storage
        self._sink_id = sink_id
        self._directory = f"{ROOT}/{sink_id}/{LOG}"
        self._listed: dict[int, FileInfo] = {}
        # The state that a record leaves, which is known by its checksum: a reader of one record after the
        # other need not read again what each rests on.
        self._known: tuple[int, str, SinkState] | None = None

    def files(self) -> LogFiles:
        """All that is in its directory now."""
        records: dict[int, FileInfo] = {}
        marks: dict[int, FileInfo] = {}
        noted = set()
        others = []
        directories, files = self._storage.children(self._directory)
        for file in files:
            found = _NAME.fullmatch(file.name)
            if found is None:
                others.append(file)
            elif found.group(2) in RECORD_ENDS:
                records[int(found.group(1))] = file
            elif found.group(2) == _MARK:
                marks[int(found.group(1))] = file
            else:
                noted.add(int(found.group(1)))
        others += [FileInfo(f"{self._directory}/{name}", 0, 0) for name in directories]
        self._listed = dict(sorted(records.items()))
        return LogFiles(self._listed, marks, frozenset(noted), tuple(others))

    def newest(self) -> LogRecord | None:
        """The newest record; `None` for a log without any. Raises `UnreadableRecord`."""
        before, looks = -1, _LOOKS
        while records := self.files().records:
            seq = max(records)
            problem = Torn("it is listed and not there")
            try:
                found = self.read(seq)
            except UnreadableRecord as error:
                if not isinstance(error.problem, BaseGone):
                    raise
                found, problem = None, error.problem
            if found is not None:
                return self._leaving(found)
            # It was trimmed, or its base was, and there is a newer one; unless it stays and cannot be read.
            before, looks = seq, _LOOKS if seq > before else looks - 1
            if not looks:
                raise UnreadableRecord(self._absolute(seq), problem)
        return None

    def _leaving(self, record: LogRecord) -> LogRecord:
        """The record with the state that counts: of a rewind that was called off, the state before."""
        if not record.is_rewind or not self.is_called_off(record):
            return record
        before = self.read(record.seq - 1)
        return record if before is None else replace(record, state=before.state)

    def read(self, seq: int) -> LogRecord | None:
        """One record with its state; `None` when it is not there. Raises `UnreadableRecord`."""
        stored = self.stored(seq)
        if stored is None:
            return None
        try:
            return self._whole(stored)
        except RecordProblem as problem:
            raise UnreadableRecord(self._absolute(seq), problem) from problem

    def stored(self, seq: int) -> StoredRecord | None:
        """One record as its file has it; `None` when it is not there. Raises `UnreadableRecord`."""
        try:
            return self._stored(seq)
        except RecordProblem as problem:
            raise UnreadableRecord(self._absolute(seq), problem) from problem

    def said(self, seq: int) -> LogRecord | None:
        """What the file of one record says by itself: of its state maybe only the difference.

        `None` when it is not there. Raises `UnreadableRecord`.
        """
        stored = self.stored(seq)
        return None if stored is None else stored.said

    def _stored(self, seq: int) -> StoredRecord | None:
        data = self._bytes(seq)
        return None if data is None else decode_stored(data)

    def _whole(self, stored: StoredRecord) -> LogRecord:
        """With the state that is put together from all records on which it rests. Raises `RecordProblem`."""
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
            raise Torn(f"what it rests on does not fit together: {error}") from error

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
            raise Torn(f"it rests on record {seq}, which cannot be used: {problem}") from problem
        if base is None:
            raise BaseGone(seq)
        assert stored.base is not None
        rests_on = base.said.seq if base.base is None else base.base.whole
        if (base.checksum, base.said.seq, rests_on) != (stored.base.checksum, seq, stored.base.whole):
            raise Torn(f"record {seq} is another one than that which it was written behind")
        return base

    def is_called_off(self, record: LogRecord) -> bool:
        """True for a record that was called off: the files that it replaces stay, its parts are never shown.

        The first note of such a record is an object, and not a list of paths.
        """
        if not record.replace:
            return False
        try:
            return isinstance(json.loads(self._storage.read(self._path(record.seq, NOTE_END)) or b"[]"), dict)
        except (ValueError, RecursionError):
            return False

    def head(self, seq: int) -> RecordHead | None:
        """The beginning of a record, read without the rest; `None` when it is not there or torn."""
        data = self._bytes(seq)
        found = _HEAD.match(data) if data else None
        if found is None:
            return None
        epoch = found.group(2)
        return RecordHead(RecordKind(found.group(1).decode()), int(epoch) if epoch else None)

    def mentions(self, seq: int, text: bytes) -> bool:
        """True if the text is in a record, which is worth being read then."""
        return text in (self._bytes(seq) or b"")

    def _bytes(self, seq: int) -> bytes | None:
        paths = [self.path(seq)] if seq in self._listed else [self._path(seq, end) for end in RECORD_ENDS]
        return next((data for path in paths if (data := self._storage.read(path)) is not None), None)

    def _absolute(self, seq: int) -> str:
        return f"{self._storage.root.rstrip('/')}/{self.path(seq)}"

    def path(self, seq: int) -> str:
        """The path of a record under the sink's path: by its name of now, if `files()` saw no other."""
        listed = self._listed.get(seq)
        return listed.path if listed else self._path(seq, RECORD_ENDS[0])

    def _path(self, seq: int, end: str) -> str:
        return f"{self._directory}/{seq:020d}{end}"
