# SPDX-License-Identifier: Apache-2.0
"""The figures of one sink, from its log and without a list of its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from stoplog._inspect.liveness import DriverLife, driver_life
from stoplog._inspect.sinks import SinkKind, kind_of
from stoplog._inspect.targets import TargetStatus, targets
from stoplog._log.log import CommitLog, RecordHead
from stoplog._log.records import RecordKind
from stoplog._storage import FileInfo, Storage
from stoplog.errors import CannotRead, UnreadableRecord


@dataclass(frozen=True, slots=True)
class SinkFigures:
    """The figures of a sink. `None` for a figure that the sink does not have.

    Attributes:
        newest_seq: the number of the newest record.
        newest_at: the time of the newest record, in seconds since 1970-01-01T00:00:00Z.
        oldest_row_at: the time of the oldest row that readers do not see, in the same unit.
        retained: the number of retained records by kind.
        driver: the driver of the sink's last run.
        targets: the targets of announcements.
    """

    newest_seq: int | None = None
    newest_at: float | None = None
    last_epoch: int | None = None
    open_parts: int = 0
    open_bytes: int = 0
    open_rows: int = 0
    pending_parts: int = 0
    oldest_row_at: float | None = None
    retained: Mapping[RecordKind, int] | None = None
    driver: DriverLife | None = None
    targets: tuple[TargetStatus, ...] = ()


class SinkReader:
    """Reads the figures of one sink.

    Remembers the kinds of records by their files: a record never changes, but a log may be deleted and begun
    anew, with other records of the same numbers.
    """

    def __init__(self, storage: Storage, sink_id: str) -> None:
        self._storage = storage
        self._sink_id = sink_id
        self._heads: dict[FileInfo, RecordHead] = {}
        self._expects_records = False

    @property
    def expects_records(self) -> bool:
        """Returns true after records were read: only the log of a batch job ends with its job."""
        return self._expects_records

    def read(self, now_millis: int) -> SinkFigures | None:
        """Returns the present figures; `None` if the log is unreadable, or has lost its records."""
        try:
            return self._read(now_millis)
        except (CannotRead, UnreadableRecord):
            return None

    def _read(self, now_millis: int) -> SinkFigures | None:
        log = CommitLog(self._storage, self._sink_id)
        newest = log.newest()
        if newest is None:
            return None if self._expects_records else SinkFigures()
        kind = kind_of(self._sink_id, newest)
        self._expects_records = kind is not SinkKind.BATCH
        files = log.files()
        pending = () if newest.seq in files.marks else newest.publish
        opened = [part.opened_at_millis for part in newest.state.open]
        opened += [part.opened_at_millis for part in pending]
        return SinkFigures(
            newest_seq=newest.seq,
            newest_at=newest.written_at_millis / 1000,
            last_epoch=newest.state.last_epoch,
            open_parts=len(newest.state.open),
            open_bytes=sum(part.size_bytes for part in newest.state.open),
            open_rows=sum(part.records for part in newest.state.open),
            pending_parts=len(pending),
            oldest_row_at=min(opened) / 1000 if opened else None,
            retained=self._kinds(log, files.records),
            driver=driver_life(self._storage, self._sink_id, newest, now_millis)
            if kind is SinkKind.FILES
            else None,
            targets=targets(self._storage, self._sink_id, newest.seq),
        )

    def _kinds(self, log: CommitLog, records: Mapping[int, FileInfo]) -> Mapping[RecordKind, int]:
        found = ((file, self._heads.get(file) or log.head(seq)) for seq, file in records.items())
        heads = {file: head for file, head in found if head is not None}
        self._heads = heads
        return Counter(head.kind for head in heads.values())
