# SPDX-License-Identifier: Apache-2.0
"""The sentences on records that replace files, and on records whose decisions did not take effect."""

from __future__ import annotations

from stoplog._log.records import LogRecord, PendingPart, RecordKind
from stoplog._shared.definitions import DIRECTORIES, ROOT


def why_replaced(sink_id: str, record: LogRecord) -> str:
    """Returns the reason why the files that a record replaces are no longer visible."""
    by = ", ".join(part.finished_path for part in record.publish)
    if record.is_compaction:
        return f"Its rows are in {by} now: record {record.seq} compacted small parts."
    if record.kind is not RecordKind.COMPACT:
        return f"Record {record.seq} replaced it: a batch job overwrote what was here."
    kept = f" Its first rows may be in {by}." if by else ""
    return (
        f"Record {record.seq} hid the file: 'stoplog rewind' went back to an earlier epoch, "
        f"after a copy to {ROOT}/{sink_id}/{DIRECTORIES['aside']}.{kept}"
    )


def why_called_off(record: LogRecord, cause: str) -> str:
    """Returns the cause for which a record was called off, and where its rows are."""
    because = f" because {cause.rstrip('.')}" if cause else ""
    if record.is_compaction:
        return (
            f"The compaction of record {record.seq} was called off{because}. The small parts have the rows."
        )
    if record.is_rewind:
        return f"The rewind of record {record.seq} was called off{because}. The sink is as before the rewind."
    return (
        f"The overwrite of record {record.seq} was called off{because}. Readers see the files from before "
        "the job, and no row of the job: correct the cause, and run the job again."
    )


def why_skipped(record: LogRecord, part: PendingPart) -> str:
    """Returns the sentence on a lost part, without which the query has continued."""
    return (
        f"{part.finished_path} of record {record.seq} was lost, and the query has continued without its "
        f"{part.records} rows (onLostPart=skip)."
    )
