# SPDX-License-Identifier: Apache-2.0
"""The figures of a report: of the log, and of the files."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stoplog import _redaction
from stoplog._inspect.status import SinkStatus, status
from stoplog._log.log import CommitLog, LogFiles, UnreadableRecord
from stoplog._log.records import LogRecord, RecordKind
from stoplog._report.bins import SizeBin, SizeCounts, TimeBins, TimeCounts
from stoplog._report.delays import Delays, delays_of
from stoplog._storage import FileInfo, Storage

READ_BYTES = 12 * 1024 * 1024
"""The bytes of a log that are read, from its newest record on: each names all open parts."""


@dataclass(frozen=True, slots=True)
class LogFigures:
    """The parts that the newest records published.

    Attributes:
        kept: the number of records that the log keeps.
        read: the number of those that these figures are from, the newest ones.
        unreadable: the number of others that are torn, or of a newer release.
        from_millis: the time of the oldest record that was read.
        to_millis: the time of the newest.
        parts: the parts that they published, without merged ones, whose rows were published before.
        rows: in those parts.
        bytes: of those parts.
        merged: parts that compaction put together.
        reasons: the number of parts by roll reason, merged ones among them.
        published: the times at which parts were published, by roll reason.
        delays: from a part's opening to its being published, without merged parts.
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
    """Reads the newest records of a log. What is trimmed meanwhile is left out; raises `CannotRead`."""
    log = CommitLog(storage, sink_id)
    files = log.files()
    counts = _Counts()
    # Beginning with the newest: whatever follows a record is known when it is looked at.
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
        # Each record is carried out before the next is written: only the newest may be on its way.
        if seq in files.marks or not is_newest:
            counts.add_published(record, _published_at(record, files.marks.get(seq), next_millis))
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
    """By its mark; but not after what followed, as the marks of a copied directory would have it."""
    written = record.written_at_millis
    return max(written, min(mark.modified_at_millis if mark else written, next_millis))


class _Counts:
    """The sums so far."""

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
    """The finished files of the directory, of all its sinks, as the file system lists them.

    Attributes:
        files: the number of files.
        bytes: of them all.
        largest_bytes: of the largest.
        sizes: the number of files by size.
        modified: the times of their last writes, which are before they were published.
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
        path: the directory as it was named.
        status: the open parts now, and the contents of each bucket.
        log: from the log's records.
        listing: from the directory.
    """

    path: str
    status: SinkStatus
    log: LogFigures
    listing: ListingFigures


def figures(storage: Storage, sink_id: str, now_millis: int) -> Figures:
    """Lists the directory once, and reads the log. Raises as `status` does."""
    sizes, times = SizeCounts(), TimeCounts()

    def seen(file: FileInfo) -> None:
        sizes.add(file.size_bytes)
        times.add(file.modified_at_millis)

    found = status(storage, sink_id, now_millis, seen)
    return Figures(
        _redaction.text(storage.root),
        found,
        log_figures(storage, sink_id, now_millis),
        ListingFigures(sizes.files, sizes.total_bytes, sizes.largest_bytes, sizes.bins(), times.bins()),
    )
