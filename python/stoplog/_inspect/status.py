# SPDX-License-Identifier: Apache-2.0
"""The finished, decided and open parts of a sink, by bucket."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from stoplog._html.shown import Shown
from stoplog._inspect.liveness import DriverLife, driver_life
from stoplog._inspect.names import part_name
from stoplog._inspect.rolling import RollForecast, RollingFacts, forecast
from stoplog._inspect.sinks import SinkKind, SinkSummary, summary_of
from stoplog._inspect.targets import TargetStatus, targets
from stoplog._inspect.visible import listed_files
from stoplog._log.log import CommitLog
from stoplog._log.records import LogRecord, OpenPart, PendingPart, RecordKind
from stoplog._shared.definitions import DIRECTORIES, ROOT
from stoplog._storage import FileInfo, Storage
from stoplog._storage.files import join


@dataclass(frozen=True, slots=True)
class OpenPartStatus(Shown):
    """A part with rows that readers do not see yet.

    Attributes:
        bucket: the directory of the part, under the sink's path.
        name: the final name of the part.
        size_bytes: the committed bytes of the part, plus the estimated bytes of the spooled rows.
        records: the number of committed rows.
        opened_at_millis: the time of its first row.
        last_written_at_millis: the time of its last row.
        unfinished_path: the store's handle: the current path of the part, under the sink's path.
        roll: the expected close time, and the reason why the part is still open.
    """

    bucket: str
    name: str
    size_bytes: int
    records: int
    opened_at_millis: int
    last_written_at_millis: int
    unfinished_path: str
    roll: RollForecast

    @property
    def finished_path(self) -> str:
        """Returns the final path of the part, under the sink's path."""
        return join(self.bucket, self.name)


@dataclass(frozen=True, slots=True)
class BucketStatus(Shown):
    """A directory of finished parts.

    Attributes:
        bucket: the path of the directory, under the sink's path; empty for the path itself.
        finished: the number of visible files of all sinks of the path, and their bytes. For the directory of
            rejected rows, which readers ignore, the numbers of its parts.
        newest_finished_at_millis: the last write to the newest of these files.
        pending: the number of decided parts that are not known to be published.
        open: the number of parts in progress, and their bytes and rows so far.
        oldest_open_at_millis: the time of the first row of the oldest open part.
        next_roll_at_millis: the time at which the clock will close the next open part.
        markers: the number of `_SUCCESS` files.
    """

    bucket: str
    finished: int
    finished_bytes: int
    newest_finished_at_millis: int | None
    pending: int
    pending_bytes: int
    open: int
    open_bytes: int
    open_records: int
    oldest_open_at_millis: int | None
    next_roll_at_millis: int | None
    markers: int


@dataclass(frozen=True, slots=True)
class SinkStatus(Shown):
    """A sink and the contents of its buckets.

    Attributes:
        sink: the summary of the sink's newest record.
        driver: the driver of the sink's last run; None for a connector's sink and a batch job, which write no
            heartbeats.
        now_millis: the time of this status.
        rolling: the rolling policy, if the log records the policy.
        buckets: the buckets, by name.
        open: all open parts, in the order of their expected close times.
        foreign_files: the number of visible files without a sink's name.
        unfinished_files: the number of files in the staging directory, with or without a record.
        targets: the targets of announcements, by name.
    """

    sink: SinkSummary
    driver: DriverLife | None
    now_millis: int
    rolling: RollingFacts | None
    buckets: tuple[BucketStatus, ...]
    open: tuple[OpenPartStatus, ...]
    foreign_files: int
    unfinished_files: int
    targets: tuple[TargetStatus, ...] = ()


def status(
    storage: Storage, sink_id: str, now_millis: int, seen: Callable[[FileInfo], object] = lambda _: None
) -> SinkStatus:
    """Reads the newest record and the names of all files. Raises `UnreadableRecord`, `CannotRead`.

    Args:
        seen: called with each file that readers see, so that callers do not list a directory twice.
    """
    log = CommitLog(storage, sink_id)
    newest = log.newest()
    one = summary_of(sink_id, newest, log.files(), now_millis)
    counts: defaultdict[str, _Counts] = defaultdict(_Counts)
    foreign = 0
    # A path that contains only a log is often a checkpoint, with the checkpoint's files.
    if one.kind is not SinkKind.CONNECTOR:
        foreign = _count_files(storage, counts, seen)
    opened = _open_parts(newest, now_millis) if newest else ()
    for part in opened:
        counts[part.bucket].add_open(part)
    if newest is not None and one.pending_parts and one.kind is not SinkKind.CONNECTOR:
        for pending in newest.publish:
            counts[pending.bucket].add_pending(pending)
    return SinkStatus(
        sink=one,
        driver=driver_life(storage, sink_id, newest, now_millis) if one.kind is SinkKind.FILES else None,
        now_millis=now_millis,
        rolling=RollingFacts.of(newest.state.settings) if newest else None,
        buckets=tuple(counts[bucket].done(bucket) for bucket in sorted(counts)),
        open=opened,
        foreign_files=foreign,
        unfinished_files=sum(1 for _ in storage.files(f"{ROOT}/{sink_id}/{DIRECTORIES['open']}")),
        targets=targets(storage, sink_id, newest.seq if newest else -1),
    )


def _count_files(
    storage: Storage, counts: defaultdict[str, _Counts], seen: Callable[[FileInfo], object]
) -> int:
    """Sums up the files while listing: a directory may contain too many files for a list in memory."""
    foreign = 0
    for listed in listed_files(storage):
        bucket = listed.file.directory
        if listed.is_hidden:
            counts[bucket].markers += listed.is_marker
        elif part_name(listed.file.name) is not None:
            file = replace(listed.file, size_bytes=listed.committed_bytes)
            counts[bucket].add_finished(file)
            if not listed.is_below_hidden:
                seen(file)
        elif not listed.is_below_hidden:
            foreign += 1
    return foreign


def _open_parts(newest: LogRecord, now_millis: int) -> tuple[OpenPartStatus, ...]:
    facts = RollingFacts.of(newest.state.settings)
    ended = newest.kind is RecordKind.RELEASE
    found = (_open_part(part, forecast(part, facts, ended, now_millis)) for part in newest.state.open)
    return tuple(sorted(found, key=lambda part: (part.roll.at_millis or _NEVER, part.bucket, part.name)))


def _open_part(part: OpenPart, roll: RollForecast) -> OpenPartStatus:
    return OpenPartStatus(
        part.bucket,
        part.name,
        part.size_bytes,
        part.records,
        part.opened_at_millis,
        part.last_written_at_millis,
        part.brief_handle,
        roll,
    )


_NEVER = 1 << 62


@dataclass(slots=True)
class _Counts:
    """The files of a bucket that were counted so far, in the fields of `BucketStatus`."""

    finished: int = 0
    finished_bytes: int = 0
    newest_finished_at_millis: int | None = None
    pending: int = 0
    pending_bytes: int = 0
    open: int = 0
    open_bytes: int = 0
    open_records: int = 0
    oldest_open_at_millis: int | None = None
    next_roll_at_millis: int | None = None
    markers: int = 0

    def add_finished(self, file: FileInfo) -> None:
        self.finished += 1
        self.finished_bytes += file.size_bytes
        self.newest_finished_at_millis = max(self.newest_finished_at_millis or 0, file.modified_at_millis)

    def add_pending(self, part: PendingPart) -> None:
        self.pending += 1
        self.pending_bytes += part.size_bytes

    def add_open(self, part: OpenPartStatus) -> None:
        self.open += 1
        self.open_bytes += part.size_bytes
        self.open_records += part.records
        self.oldest_open_at_millis = min(self.oldest_open_at_millis or _NEVER, part.opened_at_millis)
        if part.roll.at_millis is not None:
            self.next_roll_at_millis = min(self.next_roll_at_millis or _NEVER, part.roll.at_millis)

    def done(self, bucket: str) -> BucketStatus:
        return BucketStatus(bucket, **asdict(self))
