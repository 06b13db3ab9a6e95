# SPDX-License-Identifier: Apache-2.0
"""Rules for unfinished files that no record needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stoplog._inspect.check.facts import Facts
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._inspect.names import finished_name_of
from stoplog._inspect.sinks import SinkKind
from stoplog._log.paths import staged_of
from stoplog._shared.definitions import DIRECTORIES, GRACE_MILLIS, LOG, ROOT
from stoplog._storage import FileInfo

_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# The name of an atomically created file or of a storage trial.
_DRAFT = re.compile(rf"\..+\.{_UUID}|\.trial\..*", re.DOTALL)
_DIRECTORIES = frozenset({*DIRECTORIES.values(), "sent"}) - {ROOT}


def staging_findings(facts: Facts) -> Iterator[Finding]:
    own = f"{ROOT}/{facts.sink_id}/"
    needed = _needed(facts)
    for path, file in facts.staged.items():
        place, _, rest = path.removeprefix(own).partition("/")
        if place == DIRECTORIES["replaces"] and not rest:
            continue  # a batch job announces replacements by this file, and deletes the file at its end
        if place not in _DIRECTORIES or not rest:
            message = f"{path} belongs to no part and no record."
            yield finding(FindingKind.OWN_FOREIGN_FILE, message, path, facts.sink_id)
        elif place == DIRECTORIES["open"] and path not in needed:
            yield from _unfinished(facts, file)
        elif place == DIRECTORIES["spool"] and path not in needed:
            yield from _old(facts, FindingKind.ORPHAN_SIDE_FILE, file, "holds rows")
        elif place == DIRECTORIES["replaced"]:
            yield from _replaced(facts, file, rest)
    yield from _in_buckets(facts, needed)


def unlogged_findings(facts: Facts) -> Iterator[Finding]:
    """Finds a sink without a log: the log was lost, or the first start never wrote a record."""
    if facts.log.records:
        return
    parts = [path for path in facts.staged if finished_name_of(path.rpartition("/")[2])]
    if parts:
        message = (
            f"Sink {facts.sink_id} has {len(parts)} unfinished files, and no record contains these parts."
        )
        yield finding(FindingKind.LOG_GONE, message, f"{ROOT}/{facts.sink_id}/{LOG}", facts.sink_id)


def _needed(facts: Facts) -> set[str]:
    """Returns the files that the newest record names. All older records were carried out before."""
    if facts.newest is None:
        return set()
    handles = [part.handle for part in facts.newest.state.open]
    handles += [part.handle for part in facts.newest.publish]
    tokens = {path for handle in handles for path in staged_of(handle).paths}
    return tokens | {spooled.path for spooled in facts.newest.state.spool_files()}


def _unfinished(facts: Facts, file: FileInfo) -> Iterator[Finding]:
    if _DRAFT.fullmatch(file.name):
        yield from _old(facts, FindingKind.DRAFT_LEFT, file, "was written by a process that died")
    elif file.name.endswith(".upload"):
        yield from _old(facts, FindingKind.UPLOAD_LEFT, file, "is the note of an upload")
    elif finished_name_of(file.name) is None:
        message = f"{file.path} is not named like an unfinished part."
        yield finding(FindingKind.STAGING_FOREIGN_FILE, message, file.path, facts.sink_id)
    else:
        yield from _old(facts, FindingKind.ORPHAN_PART, file, "is an unfinished part")


def _replaced(facts: Facts, file: FileInfo, rest: str) -> Iterator[Finding]:
    """Finds parts that older records moved to `replaced`; the newest record's parts may still be restored."""
    seq = rest.partition("/")[0]
    newest = facts.newest
    if facts.kind is SinkKind.BATCH or newest is None or not (seq.isascii() and seq.isdecimal()):
        return
    # Older records have been carried out, so the age of a part is irrelevant.
    if int(seq) < newest.seq and facts.storage.info(file.path) is not None:
        if int(seq) in facts.called_off:
            kind, why = FindingKind.MERGE_INPUT_ASIDE, "a compaction that was called off"
        elif int(seq) not in facts.log.records:
            kind, why = FindingKind.MERGE_INPUT_ASIDE, "which may have been a compaction that was called off"
        else:
            kind, why = FindingKind.REPLACED_LEFT, "is in no record"
        message = (
            f"{file.path} was hidden for record {seq}, {why}, and is {_age(facts, file) // 60_000} min old."
        )
        yield finding(kind, message, file.path, facts.sink_id)


def _in_buckets(facts: Facts, needed: set[str]) -> Iterator[Finding]:
    if facts.layout is None:
        return
    for file in facts.visible.hidden:
        token = facts.layout.token_of(file.path)
        if token is not None and token not in needed:
            yield from _old(facts, FindingKind.ORPHAN_PART, file, "is an unfinished part")


def _old(facts: Facts, kind: FindingKind, file: FileInfo, what: str) -> Iterator[Finding]:
    """Finds a file that still exists and is older than the time for which a lost writer may continue."""
    age = _age(facts, file)
    if age > GRACE_MILLIS and facts.newest is not None and facts.storage.info(file.path) is not None:
        message = f"{file.path} {what}, is in no record, and is {age // 60_000} min old."
        yield finding(kind, message, file.path, facts.sink_id)


def _age(facts: Facts, file: FileInfo) -> int:
    return facts.now_millis - file.modified_at_millis
