# SPDX-License-Identifier: Apache-2.0
"""Records as their files have them: with their whole state, or with the difference from the record before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from stoplog._log.records import LogRecord, SinkState

_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Base:
    """The record before one that holds a difference.

    Attributes:
        whole: the newest record with a whole state: each behind it holds a difference.
        checksum: of the record before.
    """

    whole: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The keys of entries that the record before has and this one has not: paths of parts, buckets."""

    open: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    small: tuple[str, ...] = ()


NOTHING_GONE = Gone()


class WrongBase(ValueError):
    """A difference was not made from this state."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One file of the log.

    Attributes:
        said: all that the file says. Of a difference the lists of its state hold the entries that are new or
            changed, and the settings are empty if they are those of the record before.
        checksum: tells the record from another one in its place.
        base: of a difference; `None` for a record with its whole state.
        gone: of a difference.
    """

    said: LogRecord
    checksum: str
    base: Base | None = None
    gone: Gone = NOTHING_GONE
    has_settings: bool = True


def last_of(before: SinkState, chain: Sequence[StoredRecord]) -> LogRecord:
    """The last of these records, each of which rests on the one before it, the first on one with that state.

    Takes time for the state once, however many they are. Raises `WrongBase`.
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
    """Leaves what stays, and behind it what is new or changed."""
    for name in gone:
        if entries.pop(name, None) is None:
            raise WrongBase(f"{name!r} is to go and is not there")
    for name, entry in put:
        entries.pop(name, None)
        entries[name] = entry
