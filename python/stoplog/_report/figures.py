# SPDX-License-Identifier: Apache-2.0
"""The figures of a report, from the log and from the files."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stoplog._inspect.status import SinkStatus, status
from stoplog._log.log import CommitLog, LogFiles
from stoplog._log.records import LogRecord, RecordKind
from stoplog._report.bins import SizeBin, SizeCounts, TimeBins, TimeCounts
from stoplog._report.delays import Delays, delays_of
from stoplog._storage import FileInfo, Storage
from stoplog._text import redaction
from stoplog.errors import UnreadableRecord

READ_BYTES = 12 * 1024 * 1024
"""The maximum number of bytes read from a log, newest records first: each record names all open parts."""


@dataclass(frozen=True, slots=True)
class LogFigures:
    """The parts that the newest records published, without lost parts.

    Attributes:
        kept: the number of records in the log.
        read: the number of newest records that these figures include.
        unreadable: the number of records that are torn, or written by a newer release.
        from_millis: the time of the oldest included record.
        to_millis: the time of the newest record.
        parts: the number of published parts, without compacted parts, whose rows were published before.
        rows: the number of rows in these parts.
        bytes: the number of bytes in these parts.
        merged: the number of compacted parts.
        reasons: the number of parts by roll reason, including compacted parts.
        published: the publication times of parts, by roll reason.
        delays: the delays from the opening of a part to the publication, without compacted parts.
    """

    kept: int
    read: int
    unreadable: int
    from_millis: int | None
    to_millis: int | None
    parts: int
    rows: int
    bytes: int
    merged: int
    reasons: Mapping[str, int]
    published: TimeBins
    delays: Delays


def log_figures(storage: Storage, sink_id: str, now_millis: int) -> LogFigures:
    """Reads the newest records of a log. Records trimmed meanwhile are skipped. Raises `CannotRead`."""
    log = CommitLog(storage, sink_id)
    files = log.files()
    counts = _Counts()
    # From the newest record back, so that the time of the next record is known.
    next_millis = now_millis
    for seq in _newest_within(files):
        try:
            record = log.said(seq)
        except UnreadableRecord:
            counts.unreadable += 1
            continue
        if record is None:
            continue
        is_newest = not counts.read
        counts.add(record)
        # Each record is carried out before the next record is written: only the newest may be in progress.
        is_done = seq in files.marks or not is_newest
        if is_done:
            outcome = log.outcome(seq, files)
            shown = replace(record, publish=tuple(filter(outcome.shows, record.publish)))
            counts.add_published(shown, _published_at(record, files.marks.get(seq), next_millis))
        next_millis = record.written_at_millis
    return counts.done(len(files.records))


def _newest_within(files: LogFiles) -> Iterator[int]:
    left = READ_BYTES
    for place, (seq, file) in enumerate(reversed(files.records.items())):
        left -= file.size_bytes
        if left < 0 and place > 0:
            return
        yield seq


def _published_at(record: LogRecord, mark: FileInfo | None, next_millis: int) -> int:
    """Returns the time of the mark, but not after the next record: marks in a copied directory are newer."""
    written = record.written_at_millis
    return max(written, min(mark.modified_at_millis if mark else written, next_millis))


class _Counts:
    """The sums of the records read so far."""

    def __init__(self) -> None:
        self.read = self.unreadable = self.parts = self.rows = self.bytes = self.merged = 0
        self._from: int | None = None
        self._to: int | None = None
        self._reasons: Counter[str] = Counter()
        self._published = TimeCounts()
        self._waits = array("q")

    def add(self, record: LogRecord) -> None:
        self.read += 1
        self._from = record.written_at_millis
        self._to = record.written_at_millis if self._to is None else self._to

    def add_published(self, record: LogRecord, at_millis: int) -> None:
        for part in record.publish:
            self._reasons[part.reason] += 1
            self._published.add(at_millis, part.reason)
            if record.kind is RecordKind.COMPACT:
                self.merged += 1
                continue
            self.parts += 1
            self.rows += part.records
            self.bytes += part.size_bytes
            self._waits.append(at_millis - part.opened_at_millis)

    def done(self, kept: int) -> LogFigures:
        return LogFigures(
            kept=kept,
            read=self.read,
            unreadable=self.unreadable,
            from_millis=self._from,
            to_millis=self._to,
            parts=self.parts,
            rows=self.rows,
            bytes=self.bytes,
            merged=self.merged,
            reasons=dict(self._reasons.most_common()),
            published=self._published.bins(),
            delays=delays_of(self._waits),
        )


@dataclass(frozen=True, slots=True)
class ListingFigures:
    """The finished files of all sinks in the directory, as listed by the file system.

    Attributes:
        files: the number of files.
        bytes: the total size in bytes.
        largest_bytes: the size of the largest file in bytes.
        sizes: the number of files by size.
        modified: the last modification times, which precede the publication.
    """

    files: int
    bytes: int
    largest_bytes: int
    sizes: tuple[SizeBin, ...]
    modified: TimeBins


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a sink.

    Attributes:
        path: the directory as named by the user.
        status: the current open parts, and the contents of each bucket.
        log: the figures from the log's records.
        listing: the figures from the directory.
    """

    path: str
    status: SinkStatus
    log: LogFigures
    listing: ListingFigures


def figures(storage: Storage, sink_id: str, now_millis: int) -> Figures:
    """Lists the directory once, and reads the log. Raises the errors of `status`."""
    sizes, times = SizeCounts(), TimeCounts()

    def seen(file: FileInfo) -> None:
        sizes.add(file.size_bytes)
        times.add(file.modified_at_millis)

    found = status(storage, sink_id, now_millis, seen)
    return Figures(
        redaction.text(storage.root),
        found,
        log_figures(storage, sink_id, now_millis),
        ListingFigures(sizes.files, sizes.total_bytes, sizes.largest_bytes, sizes.bins(), times.bins()),
    )
