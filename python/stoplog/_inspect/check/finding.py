# SPDX-License-Identifier: Apache-2.0
"""Findings about a sink's directory, each with a stable name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stoplog._html.shown import Shown


class Severity(Enum):
    """The weight of a finding."""

    ERROR = "error"
    """Readers miss rows, or see duplicate or wrong rows, now or later; or the query cannot continue."""

    WARNING = "warning"
    """An operator should investigate."""

    INFO = "info"
    """A valid state: no action is necessary."""


class FindingKind(Enum):
    """The names of all findings. `docs/operate/cli.md` describes their meaning and the next steps."""

    RECORD_TORN = "record-torn"
    RECORD_EMPTY = "record-empty"
    RECORD_CHECKSUM = "record-checksum"
    RECORD_TOO_NEW = "record-too-new"
    RECORD_MISPLACED = "record-misplaced"
    OLD_RECORD_UNREADABLE = "old-record-unreadable"
    LOG_GAP = "log-gap"
    LOG_GONE = "log-gone"
    LOG_FOREIGN_FILE = "log-foreign-file"
    MARK_WITHOUT_RECORD = "mark-without-record"
    MARK_MISSING = "mark-missing"
    EPOCH_SKIPPED = "epoch-skipped"
    EPOCH_BACKWARDS = "epoch-backwards"
    PART_NUMBER_BACKWARDS = "part-number-backwards"
    RUN_WITHOUT_CLAIM = "run-without-claim"
    CLOCK_BACKWARDS = "clock-backwards"
    QUERY_CHANGED = "query-changed"
    PUBLISHED_TWICE = "published-twice"
    PUBLISHED_AND_OPEN = "published-and-open"

    OPEN_PART_MISSING = "open-part-missing"
    OPEN_PART_SHORT = "open-part-short"
    OPEN_PART_DOUBLED = "open-part-doubled"
    OPEN_PART_VISIBLE = "open-part-visible"
    SIDE_FILE_MISSING = "side-file-missing"
    SIDE_FILE_SHORT = "side-file-short"
    HANDLE_OUTSIDE = "handle-outside"

    PENDING_PART_LOST = "pending-part-lost"
    PENDING_PART_SHORT = "pending-part-short"
    PENDING_PART_WAITING = "pending-part-waiting"
    NAME_TAKEN = "name-taken"
    BATCH_UNFINISHED = "batch-unfinished"

    FINISHED_PART_SHORT = "finished-part-short"
    FINISHED_PART_LONG = "finished-part-long"
    FINISHED_PART_EMPTY = "finished-part-empty"
    FINISHED_PART_DOUBLED = "finished-part-doubled"
    FINISHED_PART_UNKNOWN = "finished-part-unknown"
    FINISHED_PART_GONE = "finished-part-gone"
    FINISHED_PART_MOVED = "finished-part-moved"
    REPLACED_PART_VISIBLE = "replaced-part-visible"
    REWOUND_PART_VISIBLE = "rewound-part-visible"
    VALID_LENGTH_WRONG = "valid-length-wrong"
    FOREIGN_FILE = "foreign-file"
    CHECKSUM_FILE = "checksum-file"

    MARKER_GONE = "marker-gone"
    MARKER_CHANGED = "marker-changed"
    MANIFEST_GONE = "manifest-gone"
    MANIFEST_CHANGED = "manifest-changed"

    ORPHAN_PART = "orphan-part"
    ORPHAN_SIDE_FILE = "orphan-side-file"
    UPLOAD_LEFT = "upload-left"
    DRAFT_LEFT = "draft-left"
    REPLACED_LEFT = "replaced-left"
    MERGE_INPUT_ASIDE = "merge-input-aside"
    STAGING_FOREIGN_FILE = "staging-foreign-file"
    OWN_FOREIGN_FILE = "own-foreign-file"

    TARGET_FAILED = "target-failed"

    TABLE_POSITION = "table-position"
    TABLE_FILE_LOST = "table-file-lost"
    TABLE_FILE_MISSING = "table-file-missing"
    TABLE_FILE_REMOVED = "table-file-removed"
    TABLE_FILE_GONE = "table-file-gone"
    TABLE_FILE_DOUBLED = "table-file-doubled"
    TABLE_FILES_WAITING = "table-files-waiting"
    TABLE_FILES_OLDER = "table-files-older"
    TABLE_FILES_REWRITTEN = "table-files-rewritten"
    TABLE_FILES_FOREIGN = "table-files-foreign"


@dataclass(frozen=True, slots=True)
class Finding(Shown):
    """A deviation of the directory from the log.

    Attributes:
        kind: the name of the finding.
        severity: the weight of the finding.
        message: the fact, with names and numbers.
        advice: the next step of an operator.
        path: the file of the finding, relative to the sink's path.
        sink_id: the sink whose log contradicts the file, if any.
        bucket: the directory of the part.
        epoch: the last epoch of the record.
    """

    kind: FindingKind
    severity: Severity
    message: str
    advice: str
    path: str
    sink_id: str | None = None
    bucket: str | None = None
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class CheckReport(Shown):
    """The result of a check.

    Attributes:
        sinks: the sinks whose logs were read.
        records: the number of records in their logs.
        files: the number of files that readers see.
        findings: errors first.
        tables: the names of the targets whose tables were compared.
    """

    sinks: tuple[str, ...]
    records: int
    files: int
    findings: tuple[Finding, ...]
    tables: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Returns true if no action is necessary: all findings are information."""
        return all(finding.severity is Severity.INFO for finding in self.findings)
