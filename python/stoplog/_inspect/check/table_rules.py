# SPDX-License-Identifier: Apache-2.0
"""Rules for the tables of a sink: each finished file is in the table, up to the position of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stoplog._inspect.check.facts import Facts
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._inspect.check.table_facts import Announced, Cursors, FileChange, announced
from stoplog._inspect.names import is_hidden, part_name
from stoplog._inspect.sinks import SinkKind
from stoplog._inspect.tables import Table
from stoplog._inspect.targets import Cursor
from stoplog._shared.definitions import DIRECTORIES, ROOT
from stoplog._text.words import counted

_IDENTITY = "identity"


def table_findings(table: Table, sinks: Sequence[Facts], cursors: Cursors) -> Iterator[Finding]:
    """Compares a table with the logs and the files of a path.

    Args:
        table: the table, read before the logs.
        sinks: the facts of all logs of the path.
        cursors: the cursors of the logs, read before the table.
    """
    valid = []
    for facts in sinks:
        problem = _position_problem(table, facts, cursors.get(facts.sink_id, {}).get(table.target))
        if problem is None:
            valid.append(facts)
        else:
            path = f"{ROOT}/{facts.sink_id}/{DIRECTORIES['announced']}/{table.target}"
            yield finding(FindingKind.TABLE_POSITION, problem, path, facts.sink_id)
    if len(valid) == len(sinks):
        known = announced(table, sinks, cursors)
        yield from _surplus(known, sinks[0])
        yield from _lacking(known, sinks[0])


def _position_problem(table: Table, facts: Facts, cursor: Cursor | None) -> str | None:
    """Returns the reason for which the target would not continue from the position of the table."""
    log, position, newest = facts.sink_id, table.position(facts.sink_id), max(facts.log.records, default=-1)
    if facts.kind is SinkKind.CONNECTOR or newest < 0:
        return None
    if position is None:
        if cursor is None or cursor.last < 0:
            return None
        return (
            f"{table.subject} has no position of the log {log}, and the target has delivered the records up "
            f"to {cursor.last}: the table was dropped, replaced or restored from an older version."
        )
    identity = facts.newest.state.settings.get(_IDENTITY) if facts.newest else None
    if identity is not None and identity != position.identity:
        return (
            f"{table.subject} has a position of another log {log}, with the identity {position.identity}. "
            f"The log now has the identity {identity}."
        )
    if position.seq > newest:
        return (
            f"{table.subject} has received the records up to {position.seq} of the log {log}, whose newest "
            f"record is {newest}."
        )
    return None


def _surplus(known: Announced, facts: Facts) -> Iterator[Finding]:
    """Finds files of the table that the directory or the log does not have."""
    table, foreign, leaving = known.table, [], []
    for path, times in Counter(table.files).items():
        if times > 1:
            message = f"{table.subject} has {path} {times} times."
            yield finding(FindingKind.TABLE_FILE_DOUBLED, message, path, None, _bucket(path))
        change = known.removed.get(path)
        if change is not None:
            message = (
                f"{table.subject} has {path}. The table has received record {change.seq} of the log "
                f"{change.log}, which has removed or replaced the file."
            )
            yield _about(FindingKind.TABLE_FILE_REMOVED, message, path, change)
        elif path in known.leaving:
            leaving.append(path)
        elif path not in facts.visible and facts.length(path) is None:
            message = f"{table.subject} has {path}, and the directory does not have the file."
            yield finding(FindingKind.TABLE_FILE_GONE, message, path, None, _bucket(path))
        elif part_name(path.rpartition("/")[2]) is None:
            foreign.append(path)
    if leaving:
        message = f"{table.subject} still has {_some(leaving, 'removed file')}."
        yield finding(FindingKind.TABLE_FILES_WAITING, message, leaving[0])
    if foreign or table.elsewhere:
        message = f"{table.subject} has {counted(len(foreign) + table.elsewhere, 'file')} of other writers."
        yield finding(FindingKind.TABLE_FILES_FOREIGN, message, foreign[0] if foreign else "")


def _lacking(known: Announced, facts: Facts) -> Iterator[Finding]:
    """Finds visible files of the sink that the table does not have."""
    table = known.table
    waiting, older = [], []
    rewritten: dict[str, list[str]] = {}
    for path in sorted(facts.visible.parts.keys() - set(table.files)):
        if is_hidden(path) or path in known.removed or path in known.leaving:
            continue
        change, commit = known.added.get(path), known.rewriter(path)
        if path in known.waiting:
            waiting.append(path)
        elif change is not None and _is_incomplete(known, change):
            yield _lost(table, path, change)
        elif commit is not None:
            rewritten.setdefault(commit, []).append(path)
        elif _is_older(known, path, change):
            older.append(path)
        elif change is None or (table.since_millis is not None and change.at_millis < table.since_millis):
            yield _missing(table, path, change)
        elif change.is_compaction:
            older.append(path)  # the table never had the former files, so the target ignored the compaction
        else:
            yield _lost(table, path, change)
    if waiting:
        message = f"{table.subject} does not yet have {_some(waiting, 'file')}."
        yield finding(FindingKind.TABLE_FILES_WAITING, message, waiting[0])
    if older:
        message = f"{table.subject} has never received {_some(older, 'file')}."
        yield finding(FindingKind.TABLE_FILES_OLDER, message, older[0])
    for commit, paths in rewritten.items():
        message = f"{table.subject} no longer has {_some(paths, 'file')}. Another writer has made {commit}."
        yield finding(FindingKind.TABLE_FILES_REWRITTEN, message, paths[0])


def _is_incomplete(known: Announced, change: FileChange) -> bool:
    """Returns true if the table has received a compaction, and has left out the compacted file."""
    formers = {*known.table.files, *known.table.removed}
    return change.is_compaction and not formers.isdisjoint(change.removed)


def _is_older(known: Announced, path: str, change: FileChange | None) -> bool:
    """Returns true if the target may have been attached after the file was announced."""
    if change is None:
        return path in known.unannounced or not known.table.is_listed
    return known.is_before_target(change)


def _lost(table: Table, path: str, change: FileChange) -> Finding:
    message = (
        f"{table.subject} does not have {path}. The table has received record {change.seq} of the log "
        f"{change.log} with the file, and no commit has removed the file."
    )
    return _about(FindingKind.TABLE_FILE_LOST, message, path, change)


def _missing(table: Table, path: str, change: FileChange | None) -> Finding:
    if change is None:
        message = (
            f"{table.subject} does not have {path}, and no retained record names the file. The table has "
            "received all files of an earlier listing."
        )
        return finding(FindingKind.TABLE_FILE_MISSING, message, path, None, _bucket(path))
    message = (
        f"{table.subject} does not have {path} of record {change.seq}. The history of the table begins "
        "later, and does not show a removal."
    )
    return _about(FindingKind.TABLE_FILE_MISSING, message, path, change)


def _about(kind: FindingKind, message: str, path: str, change: FileChange) -> Finding:
    return finding(kind, message, path, change.log, _bucket(path), change.epoch)


def _some(paths: Sequence[str], what: str) -> str:
    return f"{counted(len(paths), what)}, such as {paths[0]}"


def _bucket(path: str) -> str:
    return path.rpartition("/")[0]
