# SPDX-License-Identifier: Apache-2.0
"""Runs a whole check, and repeats the check if a process writes to the log meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from stoplog._inspect.check.facts import Facts, Watch, facts, unwatched, visible_files
from stoplog._inspect.check.finding import CheckReport, Finding, Severity
from stoplog._inspect.check.log_rules import log_findings
from stoplog._inspect.check.open_rules import open_findings
from stoplog._inspect.check.publish_rules import publish_findings
from stoplog._inspect.check.staging_rules import staging_findings, unlogged_findings
from stoplog._inspect.check.table_rules import table_findings
from stoplog._inspect.check.target_rules import target_findings
from stoplog._inspect.check.visible_rules import (
    foreign_findings,
    note_findings,
    number_findings,
    visible_findings,
)
from stoplog._inspect.names import is_hidden
from stoplog._inspect.sinks import SinkKind
from stoplog._inspect.sinks import sink_ids as all_sink_ids
from stoplog._inspect.tables import Table
from stoplog._inspect.targets import cursors
from stoplog._log.log import CommitLog
from stoplog._storage import Storage

_LOOKS = 4

Tables = Callable[[], Sequence[Table]]
"""Reads the newest versions of tables."""


def no_tables() -> Sequence[Table]:
    """Compares no table."""
    return ()


def check(
    storage: Storage,
    sink_ids: Sequence[str],
    now_millis: int,
    watch: Watch = unwatched,
    tables: Tables = no_tables,
) -> CheckReport:
    """Compares logs and files without changes to either. Raises `CannotRead`.

    A running query may decide and publish between two reads of its files. Therefore a finding counts only if
    the log did not change meanwhile, or if every repetition has the finding.

    Args:
        watch: receives the number of records of a sink that were read, and the number of all its records.
        tables: reads the tables that are compared with the logs and files.
    """
    ends = _ends(storage, sink_ids)
    report = _look(storage, sink_ids, now_millis, watch, tables)
    for _ in range(_LOOKS - 1):
        before, ends = ends, _ends(storage, sink_ids)
        if not report.findings or ends == before:
            break
        again = _look(storage, sink_ids, now_millis, watch, tables)
        known = {_identity(one) for one in report.findings}
        report = replace(again, findings=tuple(one for one in again.findings if _identity(one) in known))
    return report


def _identity(one: Finding) -> tuple[object, ...]:
    """Returns what two looks agree on. Messages and epochs contain numbers of the newest record."""
    return one.kind, one.sink_id, one.path


def _look(
    storage: Storage, sink_ids: Sequence[str], now_millis: int, watch: Watch, tables: Tables
) -> CheckReport:
    # A query changes the files, then the log, then the table, then the cursor. The check reads in the reverse
    # order, so that each later reading contains the changes of the earlier readings.
    positions = {} if tables is no_tables else {log: cursors(storage, log) for log in all_sink_ids(storage)}
    compared = tables()
    visible = visible_files(storage)
    sinks = [facts(storage, sink_id, visible, now_millis, watch) for sink_id in sink_ids]
    found: list[Finding] = []
    # The log of another system is often in a checkpoint.
    kinds = {sink.kind for sink in sinks}
    if kinds - {SinkKind.CONNECTOR}:
        found += visible_findings(visible, sinks)
    # Jobs write into paths of other programs, and compact the files of these programs.
    if SinkKind.FILES in kinds and SinkKind.REPLACEMENTS not in kinds:
        of_tables = {path for table in compared for path in table.files}
        found += (one for one in foreign_findings(visible) if one.path not in of_tables)
    for sink in sinks:
        found += _of_sink(sink)
    if compared:
        others = [log for log in positions if log not in sink_ids]
        logs = sinks + [facts(storage, log, visible, now_millis, watch) for log in others]
        for table in compared:
            found += table_findings(table, logs, positions)
    order = {severity: place for place, severity in enumerate(Severity)}
    found.sort(key=lambda one: (order[one.severity], one.kind.value, one.path))
    records = sum(len(sink.log.records) for sink in sinks)
    files = sum(not is_hidden(path) for path in visible.parts)
    return CheckReport(
        tuple(sink_ids), records, files, tuple(found), tuple(table.target for table in compared)
    )


def _of_sink(sink: Facts) -> Iterator[Finding]:
    yield from log_findings(sink)
    yield from unlogged_findings(sink)
    yield from open_findings(sink)
    yield from publish_findings(sink)
    yield from staging_findings(sink)
    yield from target_findings(sink)
    if sink.kind is not SinkKind.CONNECTOR:
        yield from note_findings(sink)
        yield from number_findings(sink)


def _ends(storage: Storage, sink_ids: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Returns the newest record and the newest mark of each log."""
    files = [CommitLog(storage, sink_id).files() for sink_id in sink_ids]
    return tuple((max(one.records, default=-1), max(one.marks, default=-1)) for one in files)
