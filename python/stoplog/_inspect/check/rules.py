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
    "Restore the record from a copy. The newest record may need this record as a base: delete the record "
    "only if this check can read the newest record. New records replace old records."
)
_LOST_OPEN = (
    "Restore the file from a copy. Without one, start the query with onLostPart=skip, which "
    "continues without these rows, or replay the rows from the source into another sink id."
)
_LOST_PENDING = (
    "Restore the file from a copy. Without one, start the query, or run the next batch job, with "
    "onLostPart=skip, which continues without the rows of the part."
)
# With onLostPart=skip, a query leaves out only parts whose files are missing. A short file fails each start.
_SHORT_OPEN = (
    "Restore the file from a copy. Without one, move the file away and start the query with onLostPart=skip, "
    "which continues without the rows of the part, or replay the rows from the source into another sink id."
)
_SHORT_PENDING = (
    "Restore the file from a copy. Without one, move the file away and start the query, or run the next "
    "batch job, with onLostPart=skip, which continues without the rows of the part."
)
_SWEPT = (
    "Do nothing: the driver deletes the file at the next start, or within an hour. 'stoplog clean' "
    "deletes it now."
)
_LOOK = "Find the writer of the file, and move the file out of the directory: readers read it as data."
_NOT_OURS = "Move the file elsewhere: only stoplog writes into the directory of the log."
_HEALTHY = "Do nothing: finished files belong to their readers."
_ADD_AGAIN = (
    "Run the query with a target of another name and start=snapshot, which adds the missing files. For "
    "Iceberg, first remove the table properties stoplog.position.<log>.*. A target with onRefused=skip "
    "leaves out refused files."
)
_DELETE_ENTRY = (
    "by DeleteFiles.deleteFile of Iceberg's API, or by repair() of delta-rs, which deletes entries of files "
    "that do not exist."
)
_TAMPERED = (
    "Stop the query and keep a copy of the directory: no release writes such a log. "
    "If the log was edited by hand, restore the log; otherwise report a bug."
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
        "A record contains another sequence number than the name of the file.",
        "Restore the original name: the number in the name is the record's 'seq'.",
    ),
    _K.OLD_RECORD_UNREADABLE: Rule(_W, "A record that is not the newest cannot be read.", _OLD),
    _K.LOG_GAP: Rule(
        _E,
        "Records are missing before the newest ones, and no trim removes them.",
        "Restore the records from a copy, or mount the disk: until then the query rejects a start. "
        "If the records are lost, restart the log with stoplog reset.",
    ),
    _K.LOG_GONE: Rule(
        _E,
        "A sink has unfinished parts and no record.",
        "Restore the log from a copy. Without a copy the rows of these parts are lost: "
        "start the query from a new checkpoint, or with onForeignQuery=adopt.",
    ),
    _K.LOG_FOREIGN_FILE: Rule(
        _W, "The directory of the log contains a file that is not a record.", _NOT_OURS
    ),
    _K.MARK_WITHOUT_RECORD: Rule(
        _I,
        "A mark belongs to a record that does not exist.",
        "Delete the mark, which has no effect.",
    ),
    _K.MARK_MISSING: Rule(
        _W,
        "A record before the newest record has no mark of its execution.",
        "Check whether the parts of the record exist ('stoplog show PATH @N'). The protocol marks each "
        "record "
        "before the next record.",
    ),
    _K.EPOCH_SKIPPED: Rule(_E, "An epoch is missing between two records of a query.", _TAMPERED),
    _K.EPOCH_BACKWARDS: Rule(_E, "A record goes back to an earlier epoch.", _TAMPERED),
    _K.PART_NUMBER_BACKWARDS: Rule(
        _E, "A record assigns numbers of parts that were assigned before.", _TAMPERED
    ),
    _K.RUN_WITHOUT_CLAIM: Rule(_E, "A run has written a record without a claim.", _TAMPERED),
    _K.CLOCK_BACKWARDS: Rule(
        _I,
        "A record was written earlier than the previous record.",
        "Check the clocks of the machines of the drivers: ages of parts depend on these clocks.",
    ),
    _K.QUERY_CHANGED: Rule(
        _I,
        "Another query has adopted the sink.",
        "Do nothing if the adoption was intended (onForeignQuery=adopt).",
    ),
    _K.PUBLISHED_TWICE: Rule(_E, "Two records publish the same part.", _TAMPERED),
    _K.PUBLISHED_AND_OPEN: Rule(_E, "An older record has published a part that is still open.", _TAMPERED),
    _K.OPEN_PART_MISSING: Rule(_E, "The file of an open part is missing.", _LOST_OPEN),
    _K.OPEN_PART_SHORT: Rule(_E, "The file of an open part has fewer bytes than committed.", _SHORT_OPEN),
    _K.OPEN_PART_DOUBLED: Rule(_E, "Two open parts have the same name or file.", _TAMPERED),
    _K.OPEN_PART_VISIBLE: Rule(
        _E,
        "Readers see a file under the name of a part that is still open.",
        "Move the file away: the sink never overwrites a file, so the part could not be published.",
    ),
    _K.SIDE_FILE_MISSING: Rule(_E, "A spool file of an open part is missing.", _LOST_OPEN),
    _K.SIDE_FILE_SHORT: Rule(_E, "A spool file of an open part has fewer bytes than committed.", _SHORT_OPEN),
    _K.HANDLE_OUTSIDE: Rule(_E, "A record names a file outside the sink's path.", _TAMPERED),
    _K.PENDING_PART_LOST: Rule(
        _E, "A decided part is neither at the unfinished nor at the final path.", _LOST_PENDING
    ),
    _K.PENDING_PART_SHORT: Rule(_E, "A decided part has fewer bytes than committed.", _SHORT_PENDING),
    _K.PENDING_PART_WAITING: Rule(
        _W,
        "Parts were decided minutes ago and are not published.",
        "Start the query, which publishes the parts first. If the query has ended for good, run "
        "'stoplog finalize'.",
    ),
    _K.NAME_TAKEN: Rule(
        _E,
        "Another file has the final name of a decided part.",
        "Move that file away, then start the query, which publishes the part.",
    ),
    _K.BATCH_UNFINISHED: Rule(
        _W,
        "A batch job died after the decision.",
        "Run any batch job with this path: the job first executes earlier decisions.",
    ),
    _K.FINISHED_PART_SHORT: Rule(
        _E,
        "A finished file has fewer bytes than published.",
        "Restore the file from a copy: another program truncated the published file.",
    ),
    _K.FINISHED_PART_LONG: Rule(
        _E,
        "A finished file has more bytes than published.",
        "Restore the file from a copy, or find the program that appended: readers read all bytes as data.",
    ),
    _K.FINISHED_PART_EMPTY: Rule(
        _E,
        "A finished file has no bytes; no sink publishes such a file.",
        "Restore the file from a copy: another program emptied the published file.",
    ),
    _K.FINISHED_PART_DOUBLED: Rule(
        _E,
        "Two visible files have the name of one part: if one is a copy, readers see the rows twice.",
        "Delete the copy, or move it out of the directory.",
    ),
    _K.FINISHED_PART_UNKNOWN: Rule(
        _E,
        "A file has a number that its run has not assigned.",
        "Move the file away: no record published the file, and a later part may need the name.",
    ),
    _K.FINISHED_PART_GONE: Rule(_I, "A finished file is no longer there.", _HEALTHY),
    _K.FINISHED_PART_MOVED: Rule(_I, "A finished file has another path now.", _HEALTHY),
    _K.REPLACED_PART_VISIBLE: Rule(
        _E,
        "Readers see a file that a compaction or a batch job replaced.",
        "Delete the file: according to the record, a compacted file has its rows, or a batch job has "
        "overwritten the rows.",
    ),
    _K.REWOUND_PART_VISIBLE: Rule(
        _E,
        "Readers see a file that a rewind hid. The query may write its rows again.",
        "Move the file elsewhere and keep it: no other visible file has its rows, and the query may write "
        "them again.",
    ),
    _K.VALID_LENGTH_WRONG: Rule(
        _E,
        "A valid-length file contains another length than the log.",
        "Correct the length to the number of bytes in this message, or restore the file from a copy.",
    ),
    _K.FOREIGN_FILE: Rule(_W, "Readers see a file that no sink has written.", _LOOK),
    _K.CHECKSUM_FILE: Rule(
        _W,
        "A checksum file of Hadoop's local file system is next to a part.",
        "Delete the file: no sink writes checksum files, and Spark fails to read a part that does not match.",
    ),
    _K.MARKER_GONE: Rule(
        _I,
        "The marker of a complete bucket is no longer there.",
        "Do nothing if a reader has removed the marker.",
    ),
    _K.MARKER_CHANGED: Rule(
        _W,
        "The marker of a complete bucket differs from the written marker.",
        "Restore the marker from a copy, or delete the marker.",
    ),
    _K.MANIFEST_GONE: Rule(
        _I, "The list of a record's files is no longer there.", "Do nothing: the sink deletes old lists."
    ),
    _K.MANIFEST_CHANGED: Rule(
        _W,
        "The list of a record's files differs from the written list.",
        "Restore the list from a copy: loaders rely on the list.",
    ),
    _K.ORPHAN_PART: Rule(_I, "An unfinished file that no record names.", _SWEPT),
    _K.ORPHAN_SIDE_FILE: Rule(_I, "A spool file that no record names.", _SWEPT),
    _K.UPLOAD_LEFT: Rule(
        _I,
        "An upload to S3 that no record names: stored parts cost money.",
        "Do nothing: the driver aborts the upload at the next start, or within an hour. 'stoplog clean' "
        "aborts it now.",
    ),
    _K.DRAFT_LEFT: Rule(_I, "An incomplete record or trial file of a dead process.", _SWEPT),
    _K.REPLACED_LEFT: Rule(_I, "Hidden small files after a compaction.", _SWEPT),
    _K.MERGE_INPUT_ASIDE: Rule(
        _W,
        "A small file is hidden for a compaction that was called off, or that no record names.",
        "Start the query, whose driver restores the file at the start if renames are atomic. "
        "'stoplog clean' restores it now. On an object store, move the file back by hand if no visible file "
        "contains its rows.",
    ),
    _K.STAGING_FOREIGN_FILE: Rule(
        _W,
        "A file in the directory of unfinished parts does not have the name of a part.",
        "Move the file elsewhere: the sink deletes files without a record in this directory.",
    ),
    _K.OWN_FOREIGN_FILE: Rule(_W, "The directory of the log contains another file.", _NOT_OURS),
    _K.TARGET_FAILED: Rule(
        _W,
        "A target of announcements has failed since its last success, and may lack announcements or files.",
        "Correct the target. A running query repeats its calls, except to a target that has refused an "
        "announcement. Otherwise restart the query, or run 'stoplog announce'.",
    ),
    _K.TABLE_POSITION: Rule(
        _E,
        "The position of a table does not match the log: the table or the log was replaced, or restored "
        "from an older copy. The files are not compared.",
        "Restore the table or the log. Otherwise start the query, which logs the next step.",
    ),
    _K.TABLE_FILE_LOST: Rule(
        _E,
        "A table does not have a finished file that the log has announced up to the table's position.",
        _ADD_AGAIN,
    ),
    _K.TABLE_FILE_MISSING: Rule(
        _W,
        "A table does not have a finished file, and its history is too short to show a removal.",
        f"Check whether another writer has rewritten or deleted the rows. If not, r{_ADD_AGAIN[1:]}",
    ),
    _K.TABLE_FILE_REMOVED: Rule(
        _E,
        "A table has a file that the log has removed or replaced up to the table's position.",
        f"Delete the entry from the table {_DELETE_ENTRY}",
    ),
    _K.TABLE_FILE_GONE: Rule(
        _E,
        "A table has a file that does not exist: readers of the table fail.",
        f"Restore the file from a copy, or delete the entry from the table {_DELETE_ENTRY}",
    ),
    _K.TABLE_FILE_DOUBLED: Rule(
        _E,
        "A table has a file several times: readers see the rows several times.",
        "Delete the entries by DeleteFiles.deleteFile of Iceberg's API, and add the file once.",
    ),
    _K.TABLE_FILES_WAITING: Rule(
        _I,
        "Changes of files after the position of a table are not delivered yet.",
        "Do nothing while the query runs. After its end, run 'stoplog announce'.",
    ),
    _K.TABLE_FILES_OLDER: Rule(
        _I,
        "Finished files never entered a table: its target was attached later, or the files are of a writer "
        "without this target.",
        "Do nothing, or add the files by a target of another name and start=snapshot.",
    ),
    _K.TABLE_FILES_REWRITTEN: Rule(
        _I,
        "Another writer of a table has rewritten or deleted finished files of the sink.",
        "Do nothing if the commit was intended.",
    ),
    _K.TABLE_FILES_FOREIGN: Rule(
        _I,
        "A table has files of other writers.",
        "Do nothing: a table may have several writers.",
    ),
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
