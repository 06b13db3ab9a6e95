# SPDX-License-Identifier: Apache-2.0
"""A sink's log as objects, with the fields of the jar's `stoplog.log.LogRecord`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from stoplog._shared.definitions import shared
from stoplog._storage.files import join


class RecordKind(Enum):
    """The event of a record."""

    CLAIM = "claim"
    EPOCH = "epoch"
    ROLL = "roll"
    COMPACT = "compact"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class SpoolFile:
    """A spool file of an open part: rows that do not fill a block of their format yet."""

    path: str
    size_bytes: int
    level: int


@dataclass(frozen=True, slots=True)
class Spooled:
    """The spooled rows of an open part, which are not in the part's own bytes yet.

    Attributes:
        rows: the rows after the rows in the files, in base64; few enough to be stored in the record.
    """

    note: str = ""
    files: tuple[SpoolFile, ...] = ()
    storage_bytes: int = 0
    rows: str = ""


_MERGED: str = shared("core")["mergeReason"]
NOTHING_SPOOLED = Spooled()
_BRIEF_LENGTH = 300


@dataclass(frozen=True, slots=True)
class OpenPart:
    """A part that later epochs continue; `[0, valid_bytes)` is committed.

    Attributes:
        handle: the store's handle: on file systems the unfinished path, under the sink's path.
        owner: the run whose first attempts append in place, if any.
        first_event_time_millis: the start of `eventTimeInterval`, of any year that Spark's timestamps
            support.
    """

    bucket: str
    name: str
    slot: int
    handle: str
    valid_bytes: int
    records: int
    opened_at_millis: int
    last_written_at_millis: int
    owner: str | None = None
    spooled: Spooled = NOTHING_SPOOLED
    first_event_time_millis: int | None = None

    @property
    def brief_handle(self) -> str:
        """Returns the handle for display, truncated if long: a handle may contain bytes of the part."""
        return self.handle if len(self.handle) <= _BRIEF_LENGTH else f"{self.handle[:_BRIEF_LENGTH]}…"

    @property
    def size_bytes(self) -> int:
        """Returns the expected size of the finished part in bytes, which rolling policies use."""
        return self.valid_bytes + self.spooled.storage_bytes

    @property
    def finished_path(self) -> str:
        """Returns the final path of the part, under the sink's path."""
        return join(self.bucket, self.name)


@dataclass(frozen=True, slots=True)
class PendingPart:
    """A closed part, visible as soon as its record is carried out.

    Attributes:
        reason: the roll reason, a word such as `size`, `age` or `end`.
        closed: true if the handle does not allow appending.
    """

    bucket: str
    name: str
    handle: str
    closed: bool
    size_bytes: int
    records: int
    opened_at_millis: int
    last_written_at_millis: int
    reason: str

    @property
    def finished_path(self) -> str:
        """Returns the path of the visible part, under the sink's path."""
        return join(self.bucket, self.name)


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """A finished part in the log, small enough for compaction."""

    bucket: str
    name: str
    size_bytes: int
    records: int
    epoch: int
    merges: int = 0

    @property
    def path(self) -> str:
        """Returns the path of the part, under the sink's path."""
        return join(self.bucket, self.name)


@dataclass(frozen=True, slots=True)
class Totals:
    """The contents of a bucket, or of additions to a bucket."""

    files: int = 0
    rows: int = 0
    bytes: int = 0


NO_TOTALS = Totals()


@dataclass(frozen=True, slots=True)
class LiveBucket:
    """A bucket with rows that no marker has counted yet."""

    bucket: str
    version: int
    added: Totals
    last_written_at_millis: int


@dataclass(frozen=True, slots=True)
class Marker:
    """The marker of a complete bucket."""

    bucket: str
    version: int
    form: str
    sink_id: str
    cause: str
    at_millis: int
    end_millis: int | None
    added: Totals


@dataclass(frozen=True, slots=True)
class SinkState:
    """The persistent state of a sink; the newest record contains the whole state."""

    query_id: str
    last_epoch: int | None
    open: tuple[OpenPart, ...]
    next_part: int
    settings: Mapping[str, str]
    live: tuple[LiveBucket, ...] = ()
    small: tuple[FinishedPart, ...] = ()

    def spool_files(self) -> Iterator[SpoolFile]:
        """Returns the spool files of all open parts."""
        return (file for part in self.open for file in part.spooled.files)


@dataclass(frozen=True, slots=True)
class RecordOutcome:
    """The decisions of a record that never take effect, according to the notes of the record.

    Attributes:
        called_off: the reason for which the record was called off, if so: the files to replace stay, and
            the parts of the record are never published.
        skipped: the paths of the parts that were lost, and without which the query continued.
    """

    called_off: str | None = None
    skipped: frozenset[str] = frozenset()

    @property
    def is_called_off(self) -> bool:
        return self.called_off is not None

    def shows(self, part: PendingPart) -> bool:
        """Returns true if readers see the part once the record is carried out."""
        return not self.is_called_off and part.finished_path not in self.skipped


@dataclass(frozen=True, slots=True)
class LogRecord:
    """An immutable record of the commit log.

    Attributes:
        seq: the sequence number of the record, dense from 0.
        epoch: the epoch of an epoch's record; `None` for any other kind.
        publish: the parts that the record makes visible.
        manifest: the path of the record's manifest, if the sink writes manifests.
        markers: the buckets that are complete once the record's parts are visible.
        replace: finished parts that the published part replaces.
    """

    seq: int
    kind: RecordKind
    epoch: int | None
    run: str
    written_at_millis: int
    publish: tuple[PendingPart, ...]
    state: SinkState
    manifest: str | None = None
    markers: tuple[Marker, ...] = ()
    replace: tuple[FinishedPart, ...] = ()

    @property
    def is_compaction(self) -> bool:
        """Returns true if the published part contains the rows of the replaced files."""
        return self.kind is RecordKind.COMPACT and [part.reason for part in self.publish] == [_MERGED]

    @property
    def is_rewind(self) -> bool:
        """Returns true if the record rewinds a sink to an earlier epoch."""
        return self.kind is RecordKind.COMPACT and not self.is_compaction

    @property
    def has_to_be_settled(self) -> bool:
        """Returns true if the record has decisions that the driver must carry out."""
        return bool(self.publish or self.replace or self.manifest or self.markers)
