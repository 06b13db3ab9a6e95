# SPDX-License-Identifier: Apache-2.0
"""The severity, meaning and advice of each kind of finding."""

from __future__ import annotations

from dataclasses import dataclass

from stoplog._inspect.check.finding import Finding, FindingKind, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding.

    Attributes:
        meaning: the description for the page that lists all kinds.
        advice: starts with a verb.
    """

    severity: Severity
    meaning: str
    advice: str


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO
_K = FindingKind

_NEWEST = (
    "Restore the file from a copy. Without one: stop the query, copy '_stoplog/<sinkId>' elsewhere, move its "
    "'log' away, and start once with onForeignQuery=adopt. Rows of open and unpublished parts are lost, and "
    "the newest epoch may be written twice."
)
_OLD = (
    "Restore it from a copy. Delete it only if this check does not call the newest record unreadable, which "
    "may rest on it; old records go as new ones come."
)
_LOST_OPEN = (
    "Restore the file from a copy. Without one, start the query with onLostPart=skip: it goes on without "
    "these rows, or replay them from the source into another sink id."
)
_LOST_PENDING = (
    "Restore the file from a copy. Without one, start the query, or run the next batch job, with "
    "onLostPart=skip, which goes on without its rows."
)
_SWEPT = "Do nothing: the driver removes it at its start, or within an hour. 'stoplog clean' does it now."
_LOOK = "Look who wrote it, and move it out of the directory: readers take it for data."
_NOT_OURS = "Move it elsewhere: only stoplog writes into the directory of the log."
_HEALTHY = "Do nothing: finished files belong to their readers."
_TAMPERED = (
    "Stop the query and keep a copy of the directory: no release writes such a log. "
    "If it was edited by hand, restore it; otherwise report it."
)

RULES: dict[FindingKind, Rule] = {
    _K.RECORD_TORN: Rule(_E, "The newest record is cut off or is not JSON.", _NEWEST),
    _K.RECORD_EMPTY: Rule(_E, "The newest record has no bytes.", _NEWEST),
    _K.RECORD_CHECKSUM: Rule(_E, "The newest record was changed: its checksum does not match.", _NEWEST),
    _K.RECORD_TOO_NEW: Rule(
        _E,
        "A newer release wrote the newest record.",
        "Use that release, or a newer one, for query and tools.",
    ),
    _K.RECORD_MISPLACED: Rule(
        _E,
        "A record says another place in the log than its file's name.",
        "Restore the name that it had: the number in it is the record's 'seq'.",
    ),
    _K.OLD_RECORD_UNREADABLE: Rule(_W, "A record that is not the newest cannot be read.", _OLD),
    _K.LOG_GAP: Rule(
        _E,
        "Records are missing before the newest ones, and no trim removes them.",
        "Restore the records from a copy, or mount the disk: until then the query refuses to start. "
        "If they are lost, begin the log anew with stoplog reset.",
    ),
    _K.LOG_GONE: Rule(
        _E,
        "A sink has unfinished parts and no record.",
        "Restore the log from a copy. Without one their rows are lost: "
        "start the query from a new checkpoint, or with onForeignQuery=adopt.",
    ),
    _K.LOG_FOREIGN_FILE: Rule(_W, "Something that is no record is in the log's directory.", _NOT_OURS),
    _K.MARK_WITHOUT_RECORD: Rule(
        _I,
        "A mark says that a record was carried out that is not there.",
        "Delete the mark; it means nothing.",
    ),
    _K.MARK_MISSING: Rule(
        _W,
        "A record that is followed by others has no mark that it was carried out.",
        "Look whether its parts are there ('stoplog show PATH @N'). The protocol marks each before the next.",
    ),
    _K.EPOCH_SKIPPED: Rule(_E, "An epoch is missing between two records of one query.", _TAMPERED),
    _K.EPOCH_BACKWARDS: Rule(_E, "A record goes back to an earlier epoch.", _TAMPERED),
    _K.PART_NUMBER_BACKWARDS: Rule(
        _E, "A record gives out numbers of parts that were given out before.", _TAMPERED
    ),
    _K.RUN_WITHOUT_CLAIM: Rule(_E, "A run has written a record without a claim.", _TAMPERED),
    _K.CLOCK_BACKWARDS: Rule(
        _I,
        "A record was written earlier than the one before it.",
        "Look at the clocks of the machines that drivers run on: ages of parts go by them.",
    ),
    _K.QUERY_CHANGED: Rule(
        _I, "Another query has adopted the sink.", "Do nothing if that was meant (onForeignQuery=adopt)."
    ),
    _K.PUBLISHED_TWICE: Rule(_E, "Two records publish one part.", _TAMPERED),
    _K.PUBLISHED_AND_OPEN: Rule(_E, "A part is open that an older record has published.", _TAMPERED),
    _K.OPEN_PART_MISSING: Rule(_E, "The file of an open part is not there.", _LOST_OPEN),
    _K.OPEN_PART_SHORT: Rule(_E, "The file of an open part has fewer bytes than were committed.", _LOST_OPEN),
    _K.OPEN_PART_DOUBLED: Rule(_E, "Two open parts have one name or one file.", _TAMPERED),
    _K.OPEN_PART_VISIBLE: Rule(
        _E,
        "Readers see a file under the name of a part that is still open.",
        "Move it away: nothing is ever overwritten, so the part could not be published.",
    ),
    _K.SIDE_FILE_MISSING: Rule(_E, "A file with rows beside an open part is not there.", _LOST_OPEN),
    _K.SIDE_FILE_SHORT: Rule(
        _E, "A file with rows beside an open part has fewer bytes than were written.", _LOST_OPEN
    ),
    _K.HANDLE_OUTSIDE: Rule(_E, "A record names a file outside the sink's path.", _TAMPERED),
    _K.PENDING_PART_LOST: Rule(
        _E, "A part that was decided is neither where it was written nor where it belongs.", _LOST_PENDING
    ),
    _K.PENDING_PART_SHORT: Rule(
        _E, "A part that was decided has fewer bytes than were committed.", _LOST_PENDING
    ),
    _K.PENDING_PART_WAITING: Rule(
        _W,
        "Parts were decided minutes ago and are not published.",
        "Start the query: it publishes them first. If it is over, 'stoplog finalize' does.",
    ),
    _K.NAME_TAKEN: Rule(
        _E,
        "Another file has the name that a decided part is to get.",
        "Move that file away, then start the query, which publishes the part.",
    ),
    _K.BATCH_UNFINISHED: Rule(
        _W,
        "A batch job died after it had decided.",
        "Run any batch job that writes to this path: it carries out first what was decided.",
    ),
    _K.FINISHED_PART_SHORT: Rule(
        _E,
        "A finished file has fewer bytes than were published.",
        "Restore it from a copy: it was cut after it had been published.",
    ),
    _K.FINISHED_PART_LONG: Rule(
        _E,
        "A finished file has more bytes than were published.",
        "Restore it from a copy, or look who has appended to it: readers take all of it for data.",
    ),
    _K.FINISHED_PART_EMPTY: Rule(
        _E,
        "A finished file has no bytes; no sink publishes such a file.",
        "Restore it from a copy: it was emptied after it had been published.",
    ),
    _K.FINISHED_PART_DOUBLED: Rule(
        _E,
        "One name is in two directories: readers see the rows twice.",
        "Delete the copy, or move it out of the directory.",
    ),
    _K.FINISHED_PART_UNKNOWN: Rule(
        _E,
        "A file has a number that its run has not given out yet.",
        "Move it away: no record made it visible, and a later part may need its name.",
    ),
    _K.FINISHED_PART_GONE: Rule(_I, "A finished file is no longer there.", _HEALTHY),
    _K.FINISHED_PART_MOVED: Rule(_I, "A finished file is in another directory now.", _HEALTHY),
    _K.REPLACED_PART_VISIBLE: Rule(
        _E,
        "Readers see a small file whose rows are in a merged one: they see them twice.",
        "Delete it: a record says that its rows are in the merged file.",
    ),
    _K.VALID_LENGTH_WRONG: Rule(
        _E,
        "A file that says how much of another one counts says something else than the log.",
        "Correct it to the number of bytes in this message, or restore it from a copy.",
    ),
    _K.FOREIGN_FILE: Rule(_W, "Readers see a file that no sink has written.", _LOOK),
    _K.CHECKSUM_FILE: Rule(
        _W,
        "A checksum file of Hadoop's local file system lies beside a part.",
        "Delete it: no sink writes one, and Spark fails to read the part if the two do not match.",
    ),
    _K.MARKER_GONE: Rule(
        _I, "The marker of a complete bucket is no longer there.", "Do nothing if a reader has removed it."
    ),
    _K.MARKER_CHANGED: Rule(
        _W,
        "The marker of a complete bucket is not what was written.",
        "Restore it from a copy, or delete it.",
    ),
    _K.MANIFEST_GONE: Rule(
        _I, "The list of a record's files is no longer there.", "Do nothing: lists are removed by their age."
    ),
    _K.MANIFEST_CHANGED: Rule(
        _W,
        "The list of a record's files is not what was written.",
        "Restore it from a copy: loaders go by it.",
    ),
    _K.ORPHAN_PART: Rule(_I, "An unfinished file that no record names.", _SWEPT),
    _K.ORPHAN_SIDE_FILE: Rule(_I, "A file with rows that no record names.", _SWEPT),
    _K.UPLOAD_LEFT: Rule(
        _I,
        "An upload to S3 that no record names: its parts cost money.",
        "Do nothing: the driver aborts it at its start, or within an hour. 'stoplog clean' does it now.",
    ),
    _K.DRAFT_LEFT: Rule(_I, "Half of a record or of a trial file, from a process that died.", _SWEPT),
    _K.REPLACED_LEFT: Rule(_I, "Small files that were merged, out of the readers' sight.", _SWEPT),
    _K.MERGE_INPUT_ASIDE: Rule(
        _W,
        "A small file is out of the readers' sight for a merge that was called off, or of which no record "
        "tells.",
        "Start the query, whose driver brings it back at its start where renames are atomic. "
        "'stoplog clean' does it now. On an object store, move it back by hand if no visible file has its "
        "rows.",
    ),
    _K.STAGING_FOREIGN_FILE: Rule(
        _W,
        "A file among the unfinished ones that no sink has named.",
        "Move it elsewhere: what lies there and is in no record is deleted.",
    ),
    _K.OWN_FOREIGN_FILE: Rule(_W, "Something else is in the directory of the log.", _NOT_OURS),
}


def finding(
    kind: FindingKind,
    message: str,
    path: str,
    sink_id: str | None = None,
    bucket: str | None = None,
    epoch: int | None = None,
) -> Finding:
    """Creates a finding with the severity and the advice of its rule."""
    rule = RULES[kind]
    return Finding(kind, rule.severity, message, rule.advice, path, sink_id, bucket, epoch)
