# SPDX-License-Identifier: Apache-2.0
"""The announced changes of files, compared with the position of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stoplog._inspect.check.facts import Facts
from stoplog._inspect.names import PartName, is_hidden, part_name, uid_of
from stoplog._inspect.sinks import SinkKind
from stoplog._inspect.tables import Table
from stoplog._inspect.targets import Cursor
from stoplog._log.records import LogRecord
from stoplog._shared.definitions import REPLACEMENTS

Cursors = Mapping[str, Mapping[str, Cursor]]
"""The cursors by the names of logs and of targets."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """The files that one announcement adds and removes.

    Attributes:
        log: the name of the log.
        id: the record, and the place among the announcements of the record.
    """

    log: str
    id: tuple[int, int]
    at_millis: int
    epoch: int | None
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def seq(self) -> int:
        return self.id[0]

    @property
    def is_compaction(self) -> bool:
        """Returns true if the added files have the rows of the removed files."""
        return bool(self.added and self.removed) and self.log != REPLACEMENTS


def changes_of(log: str, record: LogRecord, skipped: frozenset[str] = frozenset()) -> Iterator[FileChange]:
    """Returns the announcements of a record about files, as the jar's `Announcements`.

    Args:
        skipped: the paths of lost parts, which are not announced.
    """
    shown: dict[str, list[str]] = {}
    gone: dict[str, list[str]] = {}
    for part in record.publish:
        path = part.finished_path
        if part.size_bytes > 0 and path not in skipped and not is_hidden(path):
            shown.setdefault(part.bucket, []).append(part.finished_path)
    for old in record.replace:
        if not is_hidden(old.path):
            gone.setdefault(old.bucket, []).append(old.path)
    number = 0
    for bucket in sorted({*shown, *gone}, key=_in_java):
        added, removed = tuple(shown.get(bucket, ())), tuple(gone.get(bucket, ()))
        is_split = record.is_rewind and added and removed
        for new, former in [((), removed), (added, ())] if is_split else [(added, removed)]:
            millis, epoch = record.written_at_millis, record.state.last_epoch
            yield FileChange(log, (record.seq, number), millis, epoch, new, former)
            number += 1


def _in_java(text: str) -> bytes:
    """Returns a key by which strings have the order of Java."""
    return text.encode("utf-16-be", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Announced:
    """The announced changes of all logs, in relation to the position of a table.

    Attributes:
        table: the table.
        added: the changes up to the position, by the path of an added file.
        removed: the changes up to the position, by the path of a removed file.
        waiting: the added files of later changes.
        leaving: the removed files of later changes.
        unannounced: files whose records precede the target, or whose log has no such target.
        begins: the first change that the table is known to have received, by log.
    """

    table: Table
    added: dict[str, FileChange] = field(default_factory=dict)
    removed: dict[str, FileChange] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    leaving: set[str] = field(default_factory=set)
    unannounced: set[str] = field(default_factory=set)
    begins: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def recorded(self) -> set[str]:
        """Returns the files that a retained record has added."""
        return {*self.added, *self.waiting, *self.unannounced}

    def is_before_target(self, change: FileChange) -> bool:
        """Returns true if no evidence shows that the table had received the announcements of this record."""
        begin = self.begins.get(change.log)
        return begin is None or change.id < begin

    def rewriter(self, path: str) -> str | None:
        """Returns the commit of another writer that has removed the rows of a file.

        The target ignores the compaction of such files, and the table has the rows in other files.
        """
        found = self.table.remover(path)
        change = self.added.get(path)
        if found is not None or change is None or not change.is_compaction:
            return found
        formers = (former for former in change.removed if self._is_older(former, change))
        return next(filter(None, map(self.rewriter, formers)), None)

    def _is_older(self, path: str, change: FileChange) -> bool:
        return path not in self.added or self.added[path].seq < change.seq


def announced(table: Table, sinks: Sequence[Facts], cursors: Cursors) -> Announced:
    """Returns the changes of the logs whose position is valid."""
    result = Announced(table)
    for facts in sinks:
        if facts.kind is not SinkKind.CONNECTOR:
            _add(result, facts, cursors.get(facts.sink_id, {}).get(table.target))
    older = {name.uid for path in table.known - result.recorded if (name := _name(path))}
    for facts in sinks:
        runs = {uid_of(sketch.run) for sketch in facts.sketches.values()}
        if table.is_listed or runs & older:
            result.begins[facts.sink_id] = (-1, -1)
    return result


def _add(result: Announced, facts: Facts, cursor: Cursor | None) -> None:
    position = result.table.position(facts.sink_id)
    known = result.table.known
    for seq, sketch in facts.sketches.items():
        for change in changes_of(facts.sink_id, sketch, facts.skipped.get(seq, frozenset())):
            if position is not None and change.id <= position.id and facts.log.is_carried_out(seq):
                result.added.update(dict.fromkeys(change.added, change))
                result.removed.update(dict.fromkeys(change.removed, change))
                if not known.isdisjoint(change.added):
                    result.begins.setdefault(facts.sink_id, change.id)
            elif position is not None or (cursor is not None and seq >= cursor.next_record):
                result.waiting.update(change.added)
                result.leaving.update(change.removed)
            else:
                result.unannounced.update(change.added)


def _name(path: str) -> PartName | None:
    return part_name(path.rpartition("/")[2])
