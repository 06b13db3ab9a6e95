# SPDX-License-Identifier: Apache-2.0
"""Records as stored in their files: with the whole state, or with the difference from the last record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from stoplog._log.records import LogRecord, SinkState

_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Base:
    """The base of a record with a difference.

    Attributes:
        whole: the sequence number of the newest record with a whole state; all later records contain
            differences.
        checksum: the checksum of the preceding record.
    """

    whole: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The keys of entries that the preceding record has and this record lacks: paths of parts, buckets."""

    open: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    small: tuple[str, ...] = ()


NOTHING_GONE = Gone()


class WrongBase(ValueError):
    """The difference does not apply to this state."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A file of the log.

    Attributes:
        said: the contents of the file. For a difference, the lists of the state contain the new and changed
            entries. The settings are empty if they equal the preceding record's settings.
        checksum: distinguishes the record from another record with the same sequence number.
        base: the base of a difference; `None` for a record with its whole state.
        gone: the removed entries of a difference.
    """

    said: LogRecord
    checksum: str
    base: Base | None = None
    gone: Gone = NOTHING_GONE
    has_settings: bool = True


def last_of(before: SinkState, chain: Sequence[StoredRecord]) -> LogRecord:
    """Returns the last record of a chain with its whole state. `before` is the state before the first record.

    Each record of the chain applies to the preceding record. The cost is linear in the size of the state,
    regardless of the length of the chain. Raises `WrongBase`.
    """
    parts = {part.finished_path: part for part in before.open}
    live = {bucket.bucket: bucket for bucket in before.live}
    small = {part.path: part for part in before.small}
    settings = before.settings
    for each in chain:
        state, gone = each.said.state, each.gone
        _change(parts, gone.open, ((part.finished_path, part) for part in state.open))
        _change(live, gone.live, ((bucket.bucket, bucket) for bucket in state.live))
        _change(small, gone.small, ((part.path, part) for part in state.small))
        settings = state.settings if each.has_settings else settings
    said = chain[-1].said
    state = replace(
        said.state,
        settings=settings,
        open=tuple(parts.values()),
        live=tuple(live.values()),
        small=tuple(small.values()),
    )
    return replace(said, state=state)


def _change(entries: dict[str, _Entry], gone: Iterable[str], put: Iterable[tuple[str, _Entry]]) -> None:
    """Keeps the unchanged entries, and appends the new or changed entries."""
    for name in gone:
        if entries.pop(name, None) is None:
            raise WrongBase(f"the record removes {name!r}, which the base does not contain")
    for name, entry in put:
        entries.pop(name, None)
        entries[name] = entry
