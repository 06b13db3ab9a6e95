# SPDX-License-Identifier: Apache-2.0
"""Announcements of visible files, and the outcomes of their delivery."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, ClassVar


@dataclass(frozen=True)
class AnnouncedFile:
    """A visible file.

    Attributes:
        path: relative to the path of the sink.
        bytes: the length of the file.
        rows: `None` if unknown, as in a `snapshot` and after `stoplog compact`.
        min_time: the earliest time of the sink's time column, in ISO 8601, if known.
        max_time: the latest time, in ISO 8601.
    """

    path: str
    bytes: int
    rows: int | None = None
    min_time: str | None = None
    max_time: str | None = None


@dataclass(frozen=True)
class Position:
    """The id of an announcement as a target stores the id: the newest delivered announcement of a log.

    Attributes:
        identity: the UUID of the log; a log that restarts from 0 has another identity.
        sequence: the number of the record in the log.
        number: the place among the announcements of the record, from 0.
    """

    identity: str
    sequence: int
    number: int

    def is_after(self, other: Position) -> bool:
        """Returns whether this announcement follows `other` in the same log."""
        return (self.sequence, self.number) > (other.sequence, other.number)


@dataclass(frozen=True)
class FileChange:
    """An announcement: a change of the files of one bucket that readers see, or a note about such changes.

    Attributes:
        id: unique for all logs; a repeated announcement has the same id.
        kind: `added`, `replaced`, `removed`, `partition complete`, `snapshot` or `gap`.
        path: the path of the sink.
        sink_id: the name of the sink.
        log: the name of the log under the path.
        position: the place in the log.
        decided_at: the time of the decision.
        bucket: the directory under the path; `None` for a `gap`.
        epoch: the epoch of the query; `None` for changes between epochs and of batch jobs.
        files: the new visible files of `added`, `replaced` and `snapshot`.
        replaced: the paths of the former files of `replaced`.
        removed: the paths of the files that are gone.
        version: of `partition complete`: 1 for the first completion, incremented after late rows.
        text: the announcement as JSON, which other targets send.
    """

    id: str
    kind: str
    path: str
    sink_id: str
    log: str
    position: Position
    decided_at: datetime
    bucket: str | None
    epoch: int | None
    files: tuple[AnnouncedFile, ...]
    replaced: tuple[str, ...]
    removed: tuple[str, ...]
    version: int | None
    text: str

    @classmethod
    def parse(cls, text: str) -> FileChange:
        """Parses the JSON of an announcement; unknown fields are ignored."""
        found: dict[str, Any] = json.loads(text)
        completed = found.get("completed") or [{}]
        return cls(
            id=found["id"],
            kind=found["kind"],
            path=found["path"],
            sink_id=found["sinkId"],
            log=found["log"],
            position=Position(found["identity"], found["sequence"], found["number"]),
            decided_at=_time(found["decidedAt"]),
            bucket=found.get("bucket"),
            epoch=found.get("epoch"),
            files=tuple(_file(each) for each in found.get("files", ())),
            replaced=tuple(found.get("replaced", ())),
            removed=tuple(found.get("removed", ())),
            version=completed[0].get("version"),
            text=text,
        )


@dataclass(frozen=True)
class Delivery:
    """The outcome of a delivery: `DELIVERED`, if the target has all announcements, or the result of a method.

    >>> Delivery.retry("the queue is full", after_seconds=2.5)
    Delivery(outcome='retry', reason='the queue is full', after_millis=2500)
    """

    DELIVERED: ClassVar[Delivery]

    outcome: str
    reason: str = ""
    after_millis: int | None = None

    @classmethod
    def retry(cls, reason: str, after_seconds: float | None = None) -> Delivery:
        """The target has no announcement of the call, or repeated announcements do no harm.

        Args:
            reason: a clause for messages, without secrets.
            after_seconds: the time to wait; increasing waits by default.
        """
        return cls("retry", reason, None if after_seconds is None else round(after_seconds * 1000))

    @classmethod
    def unknown(cls, reason: str) -> Delivery:
        """The outcome is unknown: the announcer reads the position, or else repeats the call."""
        return cls("unknown", reason)

    @classmethod
    def refused(cls, reason: str) -> Delivery:
        """The target rejects the announcements, and would reject a repeated call as well."""
        return cls("refused", reason)


Delivery.DELIVERED = Delivery("delivered")


def _file(found: dict[str, Any]) -> AnnouncedFile:
    return AnnouncedFile(found["path"], found["bytes"], found.get("rows"), found.get("min"), found.get("max"))


def _time(text: str) -> datetime:
    """Python before 3.11 reads neither `Z` nor a fraction of other than three or six digits.

    >>> _time("2026-01-31T23:59:58.123Z").isoformat(), _time("2026-01-31T23:59:58Z").isoformat()
    ('2026-01-31T23:59:58.123000+00:00', '2026-01-31T23:59:58+00:00')
    """
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=timezone.utc)
